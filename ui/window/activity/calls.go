package activity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
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
	shown  []catalog.Activity
	ticker *time.Timer
	open   *callSheet // shows the call that was opened last; nil if none is open
}

func newCallsTab(d *Dock) *callsTab {
	k := d.k
	t := &callsTab{d: d, empty: note(k)}
	mono := fyne.TextStyle{Monospace: true}
	t.rows = k.Rows(26, []kit.ColumnSpec{
		{Width: 58, Hide: 400, Style: mono, Size: 11},
		{Width: 112, Preferred: 132},
		{Width: 136, Preferred: 184, Hide: 520, Style: mono, Size: 11.5},
		{Style: mono, Size: 11},
		{Width: 116, Preferred: 240, Hide: 640, Size: 11},
		{Width: 60, Hide: 760, Align: fyne.TextAlignTrailing, Size: 11},
	}, func() int { return len(t.shown) }, t.fill, t.detail)
	head := k.Head(t.rows, []string{
		k.T("activity.time"), k.T("activity.status"), k.T("activity.tool"), k.T("activity.what"),
		k.T("activity.client"), k.T("activity.took"),
	}, nil)
	t.root = headed(head.Object(), over(t.rows, t.empty))
	t.field = k.Field(k.T("activity.filter"))
	t.field.OnChanged = func(string) { t.update() }
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
func (t *callsTab) tools() fyne.CanvasObject  { return t.filter.root }

// clear empties the list.
func (t *callsTab) clear() {
	t.d.history.clear()
	t.all = nil
	t.update()
}

func (t *callsTab) render(_ *state.Snapshot, shown bool) {
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
	for _, c := range t.all {
		if t.filter.shows(c) {
			t.shown = append(t.shown, c)
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
	for _, c := range t.shown {
		if goesOn(t.d.stateOf(n, c)) {
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

func (t *callsTab) fill(i int) []kit.Cell {
	k, c := t.d.k, t.shown[i]
	mark, word, ink := t.d.callStatus(c)
	end := c.Ended
	if goesOn(t.d.stateOf(t.d.port.Snapshot(), c)) {
		end = t.d.k.Now()
	}
	what := cmp.Or(t.d.answerWords(c), summary(c.Args), tellingLine(t.d.history.runOf(c).Code), t.d.sessionOf(c))
	if c.Detail != "" {
		what = problem(k.Tr, c)
	}
	client := c.Client
	if c.Transport == string(tool.Window) {
		client = k.T("activity.you")
	}
	return []kit.Cell{
		{Text: c.Began.Local().Format("15:04:05"), Ink: k.P.Muted},
		{Text: word, Ink: ink, Mark: mark},
		{Text: toolName(k.Tr, c.Tool)},
		{Text: what, Ink: k.P.Muted},
		{Text: client, Ink: k.P.Muted},
		{Text: i18n.Duration(end.Sub(c.Began)), Ink: k.P.Muted},
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
		return tellingLine(code)
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
		t.open = openCall(t.d, t.shown[i])
	}
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
