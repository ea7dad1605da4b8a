package window

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

// The states of calls that are no status of an execution.
const (
	callWaits  = "needs_you"
	callFailed = "failed"
)

// callStates are what the log is narrowed to, in the order of the menu.
var callStates = []string{
	catalog.StatusRunning, catalog.StatusQueued, callWaits, catalog.StatusOK, catalog.StatusError, callFailed,
	catalog.StatusInterrupted, catalog.StatusCancelled, catalog.StatusTimeout, catalog.StatusKernelDied, catalog.StatusLost,
}

// awaits tells whether a call waits for the person: one of the open questions is its.
func awaits(n *state.Snapshot, c catalog.Activity) bool {
	for _, q := range n.Approvals {
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

// A callFilter narrows the log of calls: a text, and what is chosen of status,
// client and tool. Where there is little room, the three are in one menu.
type callFilter struct {
	t    *activityTab
	root *fyne.Container

	status, client, tool string // empty: any

	by                      [3]*kit.Button
	one, clear, save, empty *kit.Button
	text                    fyne.CanvasObject
}

// The widths of the field: what it has at least where the three choices stand beside
// it, and at most.
const fieldLeast, fieldMost float32 = 96, 170

func newCallFilter(t *activityTab) *callFilter {
	k := t.s.k
	f := &callFilter{t: t}
	for i := range f.by {
		f.by[i] = k.Button(kit.Ghost, "", "", "", func() { t.s.popUnder(f.by[i], f.items(i)...) }).Small()
	}
	f.one = k.Button(kit.Ghost, "filter", "", k.T("activity.filters"), func() { t.s.popUnder(f.one, f.together()...) }).Small()
	f.clear = k.Button(kit.Ghost, "close", "", k.T("activity.all_again"), f.reset).Small()
	f.save = k.Button(kit.Ghost, "save", "", k.T("activity.save_tip"), t.saveLog).Small()
	f.empty = k.Button(kit.Ghost, "trash", "", k.T("activity.clear_tip"), t.clear).Small()
	f.text = t.field.Slim(fieldLeast)
	f.root = &fyne.Container{
		Objects: []fyne.CanvasObject{f.by[0], f.by[1], f.by[2], f.one, f.clear, f.text, f.save, f.empty},
		Layout:  kit.LayoutFunc{Arrange: f.arrange, Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(f.wish(), 24) }},
	}
	f.render()
	return f
}

const filterGap float32 = 4

// wish is the width at which the three choices stand beside each other.
func (f *callFilter) wish() float32 {
	w := fieldMost + f.icons()
	for _, b := range f.by {
		w += b.MinSize().Width + filterGap
	}
	return w
}

// icons is the width of the buttons that are always there.
func (f *callFilter) icons() float32 {
	w := f.save.MinSize().Width + f.empty.MinSize().Width + 2*filterGap
	if f.on() {
		w += f.clear.MinSize().Width + filterGap
	}
	return w
}

func (f *callFilter) arrange(_ []fyne.CanvasObject, s fyne.Size) {
	apart := s.Width >= f.wish()-fieldMost+fieldLeast
	for _, b := range f.by {
		setVisible(b, apart)
	}
	setVisible(f.one, !apart)
	setVisible(f.clear, f.on())
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

// on tells whether something is chosen beside the text.
func (f *callFilter) on() bool { return f.status != "" || f.client != "" || f.tool != "" }

func (f *callFilter) reset() {
	f.status, f.client, f.tool = "", "", ""
	f.t.update()
}

// word is a kind of status in words.
func (f *callFilter) word(kind string) string { return f.t.s.k.T("status." + kind) }

// render shows what is chosen.
func (f *callFilter) render() {
	k := f.t.s.k
	status := f.status
	if status != "" {
		status = f.word(status)
	}
	chosen := 0
	for i, x := range []struct{ name, value string }{{"activity.status", status}, {"activity.client", f.client}, {"activity.tool", f.tool}} {
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

// shows tells whether a call passes.
func (f *callFilter) shows(c catalog.Activity) bool {
	if f.client != "" && c.Client != f.client || f.tool != "" && c.Tool != f.tool {
		return false
	}
	if f.status != "" && f.t.s.stateOf(f.t.s.a.cfg.Store.Snapshot(), c) != f.status {
		return false
	}
	word := strings.ToLower(strings.TrimSpace(f.t.field.Text))
	return word == "" || strings.Contains(strings.ToLower(c.Tool+"\n"+c.Client+"\n"+c.Status+"\n"+c.Detail+"\n"+string(c.Args)), word)
}

// items is the menu of one choice: anything, or one of what there is.
func (f *callFilter) items(i int) []*fyne.MenuItem {
	k := f.t.s.k
	at := [3]*string{&f.status, &f.client, &f.tool}[i]
	values, word := callStates, f.word
	if i > 0 {
		values, word = f.seen(i), func(s string) string { return s }
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

// seen are the clients or the tools of the calls.
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

// together is the three choices in one menu.
func (f *callFilter) together() (items []*fyne.MenuItem) {
	k := f.t.s.k
	for i, name := range []string{"activity.status", "activity.client", "activity.tool"} {
		m := fyne.NewMenuItem(k.T(name), nil)
		m.ChildMenu = fyne.NewMenu("", f.items(i)...)
		m.Checked = [3]string{f.status, f.client, f.tool}[i] != ""
		items = append(items, m)
	}
	return items
}
