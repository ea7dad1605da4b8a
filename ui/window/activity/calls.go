package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// A callsTab lists the calls that the host served and the code that others ran in the
// sessions, newest first.
type callsTab struct {
	d      *Dock
	rows   *kit.Rows
	root   *fyne.Container
	empty  *kit.Para
	field  *kit.Field
	filter *callFilter
	all    []catalog.Activity
	shown  []entry
	ticker *time.Timer
	seen   bool       // the list is in sight
	fresh  []string   // executions that failed while it was not
	open   *callSheet // shows the call that was opened last; nil if none is open
}

// toolHides is the width of the list below which it has no column of tools. Then the details name them.
const toolHides float32 = 880

func newCallsTab(d *Dock) *callsTab {
	k := d.k
	t := &callsTab{d: d, empty: note(k)}
	mono := fyne.TextStyle{Monospace: true}
	t.rows = k.Rows(26, []kit.ColumnSpec{
		{Width: 58, Hide: 400, Style: mono, Size: 11},
		{Width: 112, Preferred: 126},
		{Width: 112, Preferred: 200, Hide: 480},
		{Width: 136, Preferred: 184, Hide: toolHides, Style: mono, Size: 11.5},
		{Size: 11.5},
		{Width: 116, Preferred: 220, Hide: 620, Size: 11},
		{Width: 60, Hide: 760, Align: fyne.TextAlignTrailing, Size: 11},
	}, func() int { return len(t.shown) }, t.fill, t.detail)
	t.rows.OnMenu = t.menu
	t.rows.ID = func(i int) string { return strconv.FormatUint(t.shown[i].ID, 10) }
	head := k.Head(t.rows, []string{
		k.T("activity.time"), k.T("activity.status"), k.T("activity.session"), k.T("activity.tool"), k.T("activity.what"),
		k.T("activity.client"), k.T("activity.took"),
	}, nil)
	t.root = headed(head.Object(), over(t.rows, t.empty))
	t.field = k.Field(k.T("activity.filter"))
	t.field.Text = d.history.chosen.text
	t.field.OnChanged = func(text string) {
		d.history.chosen.text = text
		t.update()
	}
	t.field.Forward = d.port.Forward
	t.filter = newCallFilter(t)
	return t
}

// headed puts the column names above a list.
func headed(head, list fyne.CanvasObject) *fyne.Container {
	const h = 22
	return &fyne.Container{Objects: []fyne.CanvasObject{head, list}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(head, 0, 0, s.Width, h)
			kit.Place(list, 0, h, s.Width, s.Height-h)
		},
	}}
}

func (t *callsTab) object() fyne.CanvasObject { return t.root }
func (t *callsTab) enter()                    {}
func (t *callsTab) tools() fyne.CanvasObject  { return t.filter.root }

// clear empties the list.
func (t *callsTab) clear() {
	t.d.history.clear()
	t.all = nil
	t.update()
}

func (t *callsTab) render(_ *state.Snapshot, shown bool) {
	t.look(shown)
	if !shown {
		return
	}
	t.all = t.d.history.snapshot()
	t.update()
	if t.open != nil && !t.open.render() {
		t.open = nil
	}
}

func (t *callsTab) update() {
	k := t.d.k
	if k.Pressed(t.root, t.update) {
		return
	}
	t.filter.render()
	t.shown = t.shown[:0:0]
	for _, e := range entries(t.all) {
		if t.filter.shows(e) {
			t.shown = append(t.shown, e)
		}
	}
	text := ""
	switch {
	case len(t.all) == 0:
		text = k.T("activity.none")
	case len(t.shown) == 0:
		text = k.T("activity.none_match")
	}
	t.empty.Set(text)
	t.rows.Update()
	t.root.Layout.Layout(t.root.Objects, t.root.Size())
	t.tick()
}

// tick updates the durations of running calls each second.
func (t *callsTab) tick() {
	if t.ticker != nil {
		t.ticker.Stop()
		t.ticker = nil
	}
	n := t.d.port.Snapshot()
	for _, e := range t.shown {
		if !e.Ended.IsZero() && e.ExecutionID == "" {
			continue // to read its result again takes long
		}
		if goesOn(t.d.stateOf(n, e.Activity)) {
			t.ticker = time.AfterFunc(time.Second, func() {
				t.d.k.Do(func() {
					if !t.d.ended && t.d.port.Snapshot().Window != state.WindowHidden {
						t.rows.Update()
						t.tick()
					}
				})
			})
			return
		}
	}
}

func (t *callsTab) fill(i int) []kit.Cell { return t.cells(t.shown[i]) }

// marked reports whether the execution of an entry had failed before the user looked.
func (t *callsTab) marked(e entry) bool { return slices.Contains(t.fresh, e.ExecutionID) }

// look records that the user sees the failures, and marks those that came while the list was out of sight.
func (t *callsTab) look(shown bool) {
	if !shown {
		t.seen, t.fresh = false, nil
		return
	}
	if !t.seen {
		t.seen, t.fresh = true, t.d.history.failures()
	}
	t.d.history.looked("")
}

// reveal scrolls to the oldest of the marked rows. If the filter hides it, the filter is cleared.
func (t *callsTab) reveal() {
	at := func() (i int) {
		for i, e := range slices.Backward(t.shown) {
			if t.marked(e) {
				return i
			}
		}
		return -1
	}
	i := at()
	if i < 0 {
		t.filter.reset()
		t.field.SetText("")
		i = at()
	}
	if i >= 0 {
		t.rows.Reveal(i)
	}
}

// problem describes what went wrong in a call. Tools answer in English, so other
// languages show the name of the problem; the call's sheet has the rest.
func problem(tr *i18n.Catalog, c catalog.Activity) string {
	if key := "apierror." + strings.ToLower(c.Status); tr.Lang() != "en" && tr.Has(key) {
		return tr.T(key)
	}
	return c.Detail
}

// toolName returns the name of a tool for the list. Requests that assistants cannot
// make have translated names.
func toolName(tr *i18n.Catalog, name string) string {
	if key := "activity.tool." + name; name != "" && tr.Has(key) {
		return tr.T(key)
	}
	return name
}

// summary returns the parameters of a call in one line: the code or, if there is none,
// the values.
func summary(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil || len(m) == 0 {
		return ""
	}
	if code, ok := m["code"].(string); ok {
		return subject(code)
	}
	var parts []string
	for _, key := range []string{
		"directory", "name", "notebook_path", "rating", "tags", "add", "remove", "variable_name", "by", "direction", "theme",
		"filter", "resource_uri", "path", "paths", "source",
	} {
		if v, ok := m[key]; ok {
			parts = append(parts, fmt.Sprintf("%s=%v", key, v))
		}
	}
	return strings.Join(parts, "  ")
}

// detail shows a call in its sheet.
func (t *callsTab) detail(i int) {
	if i < len(t.shown) {
		t.open = openCall(t.d, t.shown[i].Activity)
	}
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
