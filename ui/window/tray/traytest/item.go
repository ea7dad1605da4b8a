//go:build linux || freebsd || openbsd || netbsd

package traytest

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"easel/internal/require"
)

const (
	itemName = "org.kde.StatusNotifierItem"
	menuName = "com.canonical.dbusmenu"
)

// An Item is an icon in the tray.
type Item struct {
	conn  *dbus.Conn
	owner string
	path  dbus.ObjectPath
}

// A Row is a row of its menu.
type Row struct {
	ID                 int32
	Label              string // empty for a separator
	Enabled            bool
	Checkable, Checked bool
}

// A layout is a node of the menu, as sent over the bus.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

func (i Item) call(t *testing.T, path dbus.ObjectPath, method string, args ...any) *dbus.Call {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	c := i.conn.Object(i.owner, path).CallWithContext(ctx, method, 0, args...)
	if c.Err != nil {
		t.Fatalf("%s: %v", method, c.Err)
	}
	return c
}

// Property returns a property of the icon.
func (i Item) Property(t *testing.T, name string) any {
	t.Helper()
	var v dbus.Variant
	require.NoError(t, i.call(t, i.path, "org.freedesktop.DBus.Properties.Get", itemName, name).Store(&v))
	return v.Value()
}

// Rows returns the visible rows of the menu, from top to bottom.
func (i Item) Rows(t *testing.T) []Row {
	t.Helper()
	menu, ok := i.Property(t, "Menu").(dbus.ObjectPath)
	if !ok {
		t.Fatal("the icon has no menu")
	}
	var revision uint32
	var root layout
	require.NoError(t, i.call(t, menu, menuName+".GetLayout", int32(0), int32(-1), []string{}).Store(&revision, &root))
	var rows []Row
	for _, child := range root.Children {
		var l layout
		require.NoError(t, dbus.Store([]any{child.Value()}, &l))
		p := func(name string) any { return l.Properties[name].Value() }
		label, _ := p("label").(string)
		enabled, _ := p("enabled").(bool)
		toggle, _ := p("toggle-type").(string)
		on, _ := p("toggle-state").(int32)
		if visible, ok := p("visible").(bool); ok && !visible {
			continue
		}
		rows = append(rows, Row{l.ID, label, enabled, toggle == "checkmark", on == 1})
	}
	return rows
}

// Row waits for a row whose label starts with label.
func (i Item) Row(t *testing.T, label string) Row {
	t.Helper()
	var found Row
	Eventually(t, "the row "+label, func() bool {
		for _, r := range i.Rows(t) {
			if r.Label != "" && strings.HasPrefix(r.Label, label) {
				found = r
				return true
			}
		}
		return false
	})
	return found
}

// Labels returns the labels of the menu; "-" is a separator.
func (i Item) Labels(t *testing.T) []string {
	t.Helper()
	var labels []string
	for _, r := range i.Rows(t) {
		r.Label = cmp.Or(r.Label, "-")
		labels = append(labels, r.Label)
	}
	return labels
}

// Click clicks the row whose label starts with label.
func (i Item) Click(t *testing.T, label string) {
	t.Helper()
	i.ClickID(t, i.Row(t, label).ID)
}

// ClickID clicks a row by its id, like a user who opened the menu earlier.
func (i Item) ClickID(t *testing.T, id int32) {
	t.Helper()
	menu := i.Property(t, "Menu").(dbus.ObjectPath)
	i.call(t, menu, menuName+".Event", id, "clicked", dbus.MakeVariant(""), uint32(0))
}

// Activate taps the icon.
func (i Item) Activate(t *testing.T) {
	t.Helper()
	i.call(t, i.path, itemName+".Activate", int32(0), int32(0))
}

// Icon returns the size of the icon and its pixels, four bytes each: alpha, red, green,
// blue.
func (i Item) Icon(t *testing.T) (width, height int, argb []byte) {
	t.Helper()
	var maps []struct {
		W, H int32
		Pix  []byte
	}
	if err := dbus.Store([]any{i.Property(t, "IconPixmap")}, &maps); err != nil || len(maps) == 0 {
		t.Fatalf("the icon's pixels: %v, %d of them", err, len(maps))
	}
	return int(maps[0].W), int(maps[0].H), maps[0].Pix
}
