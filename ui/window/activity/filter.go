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
	catalog.StatusRunning, catalog.StatusQueued, callWaits, catalog.StatusAwaitingInput, catalog.StatusOK, catalog.StatusError, callFailed,
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

// What the list can be filtered by.
const (
	byStatus = iota
	bySession
	byClient
	byTool
	filters
)

// choices are the values that the user filters by; empty: any.
type choices struct {
	by   [filters]string // the session by its id
	text string
}

// filterNames are the names of what the list can be filtered by.
var filterNames = [filters]string{"activity.status", "activity.session", "activity.client", "activity.tool"}

// A callFilter filters the log of calls by a text and by status, session, client and tool. If there
// is little room, the last four are in one menu, and the session beside it as long as it fits. The
// choices outlive it.
type callFilter struct {
	t    *callsTab
	root *fyne.Container

	chosen *choices

	by                      [filters]*kit.Button
	one, clear, save, empty *kit.Button
	more                    *kit.Overflow // instead of save and empty
	text                    fyne.CanvasObject
}

// The minimum width of the field next to the choices, and its maximum width.
const fieldLeast, fieldMost float32 = 96, 170

func newCallFilter(t *callsTab) *callFilter {
	k := t.d.k
	f := &callFilter{t: t, chosen: &t.d.history.chosen}
	var os []fyne.CanvasObject
	for i := range f.by {
		f.by[i] = k.Button(kit.Ghost, "", "", "", func() { t.d.port.Menu(f.by[i], f.items(i)...) }).Small()
		os = append(os, f.by[i])
	}
	f.one = k.Button(kit.Ghost, "filter", "", k.T("activity.filters"), func() { t.d.port.Menu(f.one, f.combinedMenu()...) }).Small()
	f.clear = k.Button(kit.Ghost, "close", "", k.T("activity.all_again"), f.reset).Small()
	f.save = k.Button(kit.Ghost, "save", "", k.T("activity.save_tip"), t.saveMenu).Small()
	f.empty = k.Button(kit.Ghost, "trash", "", k.T("activity.clear_tip"), t.clear).Small()
	f.more = k.Overflow(f.save, f.empty)
	f.more.Small()
	f.text = t.field.Slim(fieldLeast)
	f.root = &fyne.Container{
		Objects: append(os, f.one, f.clear, f.text, f.save, f.empty, f.more.Button),
		Layout:  kit.LayoutFunc{Arrange: f.arrange, Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(f.preferredWidth(), 24) }},
	}
	f.render()
	return f
}

const filterGap float32 = 4

// preferredWidth returns the width at which the choices fit next to each other.
func (f *callFilter) preferredWidth() float32 {
	w := fieldMost + f.icons(false)
	for _, b := range f.by {
		w += b.MinSize().Width + filterGap
	}
	return w
}

// icons returns the width of the icon buttons, including the one that clears the filter
// if a choice is made. If there is little room, some are in the menu.
func (f *callFilter) icons(tight bool) float32 {
	w := f.save.MinSize().Width + f.empty.MinSize().Width + 2*filterGap
	if tight {
		w = f.more.MinSize().Width + filterGap
	}
	if f.on() {
		w += f.clear.MinSize().Width + filterGap
	}
	return w
}

func (f *callFilter) arrange(_ []fyne.CanvasObject, s fyne.Size) {
	tight := s.Width < f.icons(false)+f.one.MinSize().Width+filterGap+fieldLeast
	f.more.Lack()
	if tight {
		f.more.Lack(f.save, f.empty)
	}
	kit.SetVisible(f.save, !tight)
	kit.SetVisible(f.empty, !tight)
	apart := s.Width >= f.preferredWidth()-fieldMost+fieldLeast
	for i, b := range f.by {
		beside := i == bySession && s.Width >= b.MinSize().Width+f.one.MinSize().Width+2*filterGap+fieldLeast+f.icons(tight)
		kit.SetVisible(b, apart || beside)
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
	put(f.more.Button, f.more.MinSize().Width)
	put(f.empty, f.empty.MinSize().Width)
	put(f.save, f.save.MinSize().Width)
	left := s.Width - f.icons(tight)
	buttons := append(f.by[:], f.one)
	for _, b := range buttons {
		if b.Visible() {
			left -= b.MinSize().Width + filterGap
		}
	}
	put(f.text, min(max(left, 40), fieldMost))
	put(f.clear, f.clear.MinSize().Width)
	for _, b := range slices.Backward(buttons) {
		put(b, b.MinSize().Width)
	}
}

// on reports whether a status, session, client or tool is chosen.
func (f *callFilter) on() bool { return f.chosen.by != [filters]string{} }

func (f *callFilter) reset() {
	f.chosen.by = [filters]string{}
	f.t.update()
}

// word returns a value in the user's words.
func (f *callFilter) word(i int, value string) string {
	d := f.t.d
	switch {
	case value == "":
		return ""
	case i == byStatus:
		return d.k.T("status." + value)
	case i == bySession:
		return d.port.SessionName(value)
	case i == byTool:
		return toolName(d.k.Tr, value)
	}
	return value
}

// render updates the buttons for the current choices.
func (f *callFilter) render() {
	k := f.t.d.k
	for i, name := range filterNames {
		text := k.T(name)
		f.by[i].SetTip(k.T("activity.only", text))
		if value := f.word(i, f.chosen.by[i]); value != "" {
			f.by[i].SetTip(k.T("activity.chosen", text, value))
			text = kit.Shorten(value, 92, 12, fyne.TextStyle{})
		}
		f.by[i].SetText(text)
		f.by[i].SetOn(f.chosen.by[i] != "")
	}
	f.one.SetOn(f.on() && f.chosen.by != [filters]string{bySession: f.chosen.by[bySession]})
	f.save.SetEnabled(len(f.t.all) > 0)
	f.empty.SetEnabled(len(f.t.all) > 0)
	f.arrange(nil, f.root.Size())
}

// shows reports whether an entry passes the filter: one of its calls does.
func (f *callFilter) shows(e entry) bool {
	return f.passes(e.Activity) || slices.ContainsFunc(e.polls, f.passes)
}

func (f *callFilter) passes(c catalog.Activity) bool {
	d, by := f.t.d, f.chosen.by
	if by[byClient] != "" && c.Client != by[byClient] || by[byTool] != "" && c.Tool != by[byTool] {
		return false
	}
	if by[bySession] != "" && d.sessionIn(c) != by[bySession] {
		return false
	}
	if by[byStatus] != "" && d.stateOf(d.port.Snapshot(), c) != by[byStatus] {
		return false
	}
	word := strings.ToLower(strings.TrimSpace(f.t.field.Text))
	if word == "" {
		return true
	}
	what, _ := d.details(c)
	return strings.Contains(strings.ToLower(strings.Join([]string{
		c.Tool, toolName(d.k.Tr, c.Tool), c.Client, c.Status, c.Detail, string(c.Args), d.sessionName(c), what,
	}, "\n")), word)
}

// items returns the menu of one choice: any value, or one of those in the log.
func (f *callFilter) items(i int) []*fyne.MenuItem {
	item := func(text, value string) *fyne.MenuItem {
		m := fyne.NewMenuItem(text, func() {
			f.chosen.by[i] = value
			f.t.update()
		})
		m.Checked = f.chosen.by[i] == value
		return m
	}
	any := "activity.any"
	if i == bySession {
		any = "activity.any_session"
	}
	items := []*fyne.MenuItem{item(f.t.d.k.T(any), ""), fyne.NewMenuItemSeparator()}
	for _, v := range f.seen(i) {
		items = append(items, item(f.word(i, v), v))
	}
	return items
}

// seen returns the values to choose from: all states; the sessions of the calls, the last used first; the clients
// or the tools, sorted.
func (f *callFilter) seen(i int) (values []string) {
	if i == byStatus {
		return callStates
	}
	for _, c := range f.t.all {
		v := c.Client
		switch i {
		case bySession:
			v = f.t.d.sessionIn(c)
		case byTool:
			v = c.Tool
		}
		if v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if i != bySession {
		slices.Sort(values)
	}
	return values
}

// combinedMenu returns one menu with all choices.
func (f *callFilter) combinedMenu() (items []*fyne.MenuItem) {
	for i, name := range filterNames {
		m := fyne.NewMenuItem(f.t.d.k.T(name), nil)
		m.ChildMenu = fyne.NewMenu("", f.items(i)...)
		m.Checked = f.chosen.by[i] != ""
		items = append(items, m)
	}
	return items
}
