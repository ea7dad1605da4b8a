package activity

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// The states of calls in addition to the statuses of executions.
const (
	callWaits  = "needs_you"
	callFailed = "failed"
)

// callStates lists the states that the user can filter by, in the order of the menu.
var callStates = []string{
	catalog.StatusRunning, catalog.StatusQueued, callWaits, catalog.StatusOK, catalog.StatusError, callFailed,
	catalog.StatusInterrupted, catalog.StatusCancelled, catalog.StatusTimeout, catalog.StatusKernelDied, catalog.StatusLost,
}

// awaits reports whether a call waits for the user: one of the open questions is about it.
func awaits(n *state.Snapshot, c catalog.Activity) bool {
	for _, q := range n.Approvals {
		if q.Project != nil { // several calls of the client may wait, and some began later
			if c.Ended.IsZero() && c.ExecutionID == "" && !q.Returned && c.Client == q.Client {
				return true
			}
			continue
		}
		if q.Kernel != nil {
			if c.Ended.IsZero() && !c.Began.After(q.AskedAt) && bytes.Contains(c.Args, []byte(q.SessionID)) {
				return true
			}
			continue
		}
		if c.Began.After(q.AskedAt) || !c.Ended.IsZero() && c.Ended.Before(q.AskedAt) {
			continue
		}
		if c.ExecutionID != "" {
			if c.ExecutionID == q.ExecutionID {
				return true
			}
			continue
		}
		if bytes.Contains(c.Result, []byte(q.ExecutionID)) {
			return true
		}
		var args struct{ Code string }
		if c.Ended.IsZero() && json.Unmarshal(c.Args, &args) == nil && args.Code == q.Code {
			return true
		}
	}
	return false
}

// A callFilter filters the log of calls by a text and by status, client and tool. If there
// is little room, the last three are in one menu.
type callFilter struct {
	t    *callsTab
	root *fyne.Container

	status, client, tool string // empty: any

	by                      [3]*kit.Button
	one, clear, save, empty *kit.Button
	text                    fyne.CanvasObject
}

// The minimum width of the field next to the three choices, and its maximum width.
const fieldLeast, fieldMost float32 = 96, 170

func newCallFilter(t *callsTab) *callFilter {
	k := t.d.k
	f := &callFilter{t: t}
	for i := range f.by {
		f.by[i] = k.Button(kit.Ghost, "", "", "", func() { t.d.port.Menu(f.by[i], f.items(i)...) }).Small()
	}
	f.one = k.Button(kit.Ghost, "filter", "", k.T("activity.filters"), func() { t.d.port.Menu(f.one, f.combinedMenu()...) }).Small()
	f.clear = k.Button(kit.Ghost, "close", "", k.T("activity.all_again"), f.reset).Small()
	f.save = k.Button(kit.Ghost, "save", "", k.T("activity.save_tip"), t.saveLog).Small()
	f.empty = k.Button(kit.Ghost, "trash", "", k.T("activity.clear_tip"), t.clear).Small()
	f.text = t.field.Slim(fieldLeast)
	f.root = &fyne.Container{
		Objects: []fyne.CanvasObject{f.by[0], f.by[1], f.by[2], f.one, f.clear, f.text, f.save, f.empty},
		Layout:  kit.LayoutFunc{Arrange: f.arrange, Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(f.preferredWidth(), 24) }},
	}
	f.render()
	return f
}

const filterGap float32 = 4

// preferredWidth returns the width at which the three choices fit next to each other.
func (f *callFilter) preferredWidth() float32 {
	w := fieldMost + f.icons()
	for _, b := range f.by {
		w += b.MinSize().Width + filterGap
	}
	return w
}

// icons returns the width of the icon buttons, including the one that clears the filter
// if a choice is made.
func (f *callFilter) icons() float32 {
	w := f.save.MinSize().Width + f.empty.MinSize().Width + 2*filterGap
	if f.on() {
		w += f.clear.MinSize().Width + filterGap
	}
	return w
}

func (f *callFilter) arrange(_ []fyne.CanvasObject, s fyne.Size) {
	apart := s.Width >= f.preferredWidth()-fieldMost+fieldLeast
	for _, b := range f.by {
		kit.SetVisible(b, apart)
	}
	kit.SetVisible(f.one, !apart)
	kit.SetVisible(f.clear, f.on())
	right := s.Width
	put := func(o fyne.CanvasObject, w float32) {
		if o.Visible() {
			kit.Place(o, right-w, (s.Height-o.MinSize().Height)/2, w, o.MinSize().Height)
			right -= w + filterGap
		}
	}
	put(f.empty, f.empty.MinSize().Width)
	put(f.save, f.save.MinSize().Width)
	left := s.Width - f.icons()
	for _, b := range append(f.by[:], f.one) {
		if b.Visible() {
			left -= b.MinSize().Width + filterGap
		}
	}
	put(f.text, min(max(left, 40), fieldMost))
	put(f.clear, f.clear.MinSize().Width)
	for _, b := range []*kit.Button{f.one, f.by[2], f.by[1], f.by[0]} {
		put(b, b.MinSize().Width)
	}
}

// on reports whether a status, client or tool is chosen.
func (f *callFilter) on() bool { return f.status != "" || f.client != "" || f.tool != "" }

func (f *callFilter) reset() {
	f.status, f.client, f.tool = "", "", ""
	f.t.update()
}

// word returns the name of a state in the user's language.
func (f *callFilter) word(kind string) string { return f.t.d.k.T("status." + kind) }

// render updates the buttons for the current choices.
func (f *callFilter) render() {
	k := f.t.d.k
	status := f.status
	if status != "" {
		status = f.word(status)
	}
	chosen := 0
	for i, x := range []struct{ name, value string }{
		{"activity.status", status},
		{"activity.client", f.client},
		{"activity.tool", toolName(k.Tr, f.tool)},
	} {
		text := k.T(x.name)
		f.by[i].SetTip(k.T("activity.only", text))
		if x.value != "" {
			chosen++
			f.by[i].SetTip(text + ": " + x.value)
			text = kit.Shorten(x.value, 92, 12, fyne.TextStyle{})
		}
		f.by[i].SetText(text)
		f.by[i].SetOn(x.value != "")
	}
	f.one.SetOn(chosen > 0)
	f.save.SetEnabled(len(f.t.all) > 0)
	f.empty.SetEnabled(len(f.t.all) > 0)
	f.arrange(nil, f.root.Size())
}

// shows reports whether a call passes the filter.
func (f *callFilter) shows(c catalog.Activity) bool {
	if f.client != "" && c.Client != f.client || f.tool != "" && c.Tool != f.tool {
		return false
	}
	if f.status != "" && f.t.d.stateOf(f.t.d.port.Snapshot(), c) != f.status {
		return false
	}
	word := strings.ToLower(strings.TrimSpace(f.t.field.Text))
	return word == "" || strings.Contains(strings.ToLower(c.Tool+"\n"+toolName(f.t.d.k.Tr,
		c.Tool)+"\n"+c.Client+"\n"+c.Status+"\n"+c.Detail+"\n"+string(c.Args)+"\n"+f.t.d.sessionOf(c)), word)
}

// items returns the menu of one choice: any value, or one of those in the log.
func (f *callFilter) items(i int) []*fyne.MenuItem {
	k := f.t.d.k
	at := [3]*string{&f.status, &f.client, &f.tool}[i]
	values, word := callStates, f.word
	if i > 0 {
		values, word = f.seen(i), func(s string) string { return s }
	}
	if i == 2 {
		word = func(s string) string { return toolName(k.Tr, s) }
	}
	item := func(text, value string) *fyne.MenuItem {
		m := fyne.NewMenuItem(text, func() {
			*at = value
			f.t.update()
		})
		m.Checked = *at == value
		return m
	}
	items := []*fyne.MenuItem{item(k.T("activity.any"), ""), fyne.NewMenuItemSeparator()}
	for _, v := range values {
		items = append(items, item(word(v), v))
	}
	return items
}

// seen returns the clients or the tools of the calls, sorted.
func (f *callFilter) seen(i int) (values []string) {
	for _, c := range f.t.all {
		v := c.Client
		if i == 2 {
			v = c.Tool
		}
		if v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

// combinedMenu returns one menu with all three choices.
func (f *callFilter) combinedMenu() (items []*fyne.MenuItem) {
	k := f.t.d.k
	for i, name := range []string{"activity.status", "activity.client", "activity.tool"} {
		m := fyne.NewMenuItem(k.T(name), nil)
		m.ChildMenu = fyne.NewMenu("", f.items(i)...)
		m.Checked = [3]string{f.status, f.client, f.tool}[i] != ""
		items = append(items, m)
	}
	return items
}
