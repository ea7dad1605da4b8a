//go:build linux || freebsd || openbsd || netbsd

package traytest

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"

	"easel/internal/require"
)

// Names on the bus.
const (
	watcherName  = "org.kde.StatusNotifierWatcher"
	watcherPath  = "/StatusNotifierWatcher"
	notifierName = "org.freedesktop.Notifications"
	notifierPath = "/org/freedesktop/Notifications"
	properties   = "org.freedesktop.DBus.Properties"
)

// A Desktop is a panel and a notification service, each once it is shown.
type Desktop struct {
	conn *dbus.Conn

	mu     sync.Mutex
	items  []Item
	notes  []Note
	closed []uint32 // ids of notifications that were withdrawn
	can    []string // capabilities of the notification service; nil if it does not say
	quiet  bool     // the user does not want to be disturbed
	asked  int      // how often somebody asked whether they do
}

// A Note is a notification as it was received.
type Note struct {
	ID, Replaces       uint32
	App, Title, Text   string
	Actions            []string
	Icon, DesktopEntry string
}

// NewDesktop connects to the bus. It shows nothing yet.
func NewDesktop(t *testing.T, address string) *Desktop {
	t.Helper()
	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &Desktop{conn: conn}
}

// ShowTray shows a tray: a watcher which, if drawn, has a host that draws the icons.
func (d *Desktop) ShowTray(t *testing.T, drawn bool) {
	t.Helper()
	d.mu.Lock()
	d.items = nil // a new panel knows no icons
	d.mu.Unlock()
	d.export(t, (*watcher)(d), watcherPath, watcherName)
	_, err := prop.Export(d.conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: drawn, Emit: prop.EmitTrue},
		"ProtocolVersion":                {Value: int32(0), Emit: prop.EmitTrue},
	}})
	require.NoError(t, err)
	d.request(t, watcherName)
}

// HideTray removes the tray, as when a panel ends.
func (d *Desktop) HideTray(t *testing.T) {
	t.Helper()
	if _, err := d.conn.ReleaseName(watcherName); err != nil {
		t.Fatal(err)
	}
}

// ShowNotes starts serving notifications.
func (d *Desktop) ShowNotes(t *testing.T) {
	t.Helper()
	d.export(t, (*notifier)(d), notifierPath, notifierName)
	d.export(t, (*notifierProperties)(d), notifierPath, properties)
	d.request(t, notifierName)
}

func (d *Desktop) export(t *testing.T, object any, path dbus.ObjectPath, name string) {
	t.Helper()
	require.NoError(t, d.conn.Export(object, path, name))
}

func (d *Desktop) request(t *testing.T, name string) {
	t.Helper()
	got, err := d.conn.RequestName(name, dbus.NameFlagDoNotQueue)
	if err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the name %s: %v, %v", name, got, err)
	}
}

// Item waits for the first icon in the tray.
func (d *Desktop) Item(t *testing.T) Item {
	t.Helper()
	var it Item
	Eventually(t, "an icon in the tray", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		if len(d.items) == 0 {
			return false
		}
		it = d.items[0]
		return true
	})
	return it
}

// Notes returns the notifications received so far.
func (d *Desktop) Notes() []Note {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.notes)
}

// Note waits for the n-th notification, counted from 0.
func (d *Desktop) Note(t *testing.T, n int) Note {
	t.Helper()
	Eventually(t, "a notification", func() bool { return len(d.Notes()) > n })
	return d.Notes()[n]
}

// Can says what the notification service can do. Before, it does not know.
func (d *Desktop) Can(capabilities ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.can = append([]string{"body"}, capabilities...)
}

// Disturb says whether the user wants to be disturbed.
func (d *Desktop) Disturb(t *testing.T, yes bool) {
	t.Helper()
	d.mu.Lock()
	d.quiet = !yes
	d.mu.Unlock()
	changed := map[string]dbus.Variant{"Inhibited": dbus.MakeVariant(!yes)}
	require.NoError(t, d.conn.Emit(notifierPath, properties+".PropertiesChanged", notifierName, changed, []string{}))
}

// Asked returns how often somebody asked whether the user wants to be disturbed.
func (d *Desktop) Asked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

// Closed returns the ids of the notifications that were withdrawn so far.
func (d *Desktop) Closed() []uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.closed)
}

// ClickNote clicks a notification.
func (d *Desktop) ClickNote(t *testing.T, id uint32) {
	t.Helper()
	require.NoError(t, d.conn.Emit(notifierPath, notifierName+".ActionInvoked", id, "default"))
}

// A watcher contains the Desktop's methods for icons.
type watcher Desktop

// RegisterStatusNotifierItem registers an icon, by its path or by the bus name of its
// owner.
func (w *watcher) RegisterStatusNotifierItem(sender dbus.Sender, service string) *dbus.Error {
	it := Item{conn: w.conn, owner: string(sender), path: "/StatusNotifierItem"}
	if strings.HasPrefix(service, "/") {
		it.path = dbus.ObjectPath(service)
	} else {
		it.owner = service
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items = append(w.items, it)
	return nil
}

// A notifier contains the Desktop's methods for notifications.
type notifier Desktop

// Notify receives a notification.
func (n *notifier) Notify(app string, replaces uint32, icon, title, text string, actions []string,
	hints map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := replaces
	id = cmp.Or(id, uint32(100+len(n.notes)))
	entry, _ := hints["desktop-entry"].Value().(string)
	n.notes = append(n.notes, Note{
		ID: id, Replaces: replaces, App: app, Title: title, Text: text, Actions: actions, Icon: icon,
		DesktopEntry: entry,
	})
	return id, nil
}

// GetCapabilities returns what the notification service can do.
func (n *notifier) GetCapabilities() ([]string, *dbus.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.can == nil {
		return nil, &dbus.ErrMsgUnknownMethod
	}
	return n.can, nil
}

// CloseNotification withdraws a notification.
func (n *notifier) CloseNotification(id uint32) *dbus.Error {
	n.mu.Lock()
	n.closed = append(n.closed, id)
	n.mu.Unlock()
	_ = n.conn.Emit(notifierPath, notifierName+".NotificationClosed", id, uint32(3))
	return nil
}

// notifierProperties contains the Desktop's methods for the properties of the notification service.
type notifierProperties Desktop

// Get returns the only property.
func (p *notifierProperties) Get(_, name string) (dbus.Variant, *dbus.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if name != "Inhibited" {
		return dbus.Variant{}, prop.ErrPropNotFound
	}
	p.asked++
	return dbus.MakeVariant(p.quiet), nil
}
