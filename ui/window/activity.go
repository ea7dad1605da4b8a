package window

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// An activityTab lists every call that the host served, and what others ran in the
// sessions, newest first.
type activityTab struct {
	s      *shell
	rows   *kit.Rows
	root   *fyne.Container
	empty  *kit.Para
	field  *kit.Field
	filter *callFilter
	all    []catalog.Activity
	shown  []catalog.Activity
	ticker *time.Timer
	open   *callSheet // nil: none was opened
}

func newActivityTab(s *shell) *activityTab {
	k := s.k
	t := &activityTab{s: s, empty: note(k)}
	mono := fyne.TextStyle{Monospace: true}
	t.rows = k.Rows(26, []kit.ColumnSpec{
		{Width: 58, Hide: 400, Style: mono, Size: 11},
		{Width: 112, Wish: 132},
		{Width: 136, Wish: 184, Hide: 520, Style: mono, Size: 11.5},
		{Style: mono, Size: 11},
		{Width: 116, Wish: 240, Hide: 640, Size: 11},
		{Width: 60, Hide: 760, Align: fyne.TextAlignTrailing, Size: 11},
	}, func() int { return len(t.shown) }, t.fill, t.detail)
	head := k.Head(t.rows, []string{k.T("activity.time"), k.T("activity.status"), k.T("activity.tool"), k.T("activity.what"), k.T("activity.client"), k.T("activity.took")}, nil)
	t.root = headed(head.Object(), over(t.rows, t.empty))
	t.field = k.Field(k.T("activity.filter"))
	t.field.OnChanged = func(string) { t.update() }
	t.field.Forward = s.a.shortcut
	t.filter = newCallFilter(t)
	return t
}

// headed stands a line of names over a list.
func headed(head, list fyne.CanvasObject) *fyne.Container {
	const h = 22
	return &fyne.Container{Objects: []fyne.CanvasObject{head, list}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(head, 0, 0, s.Width, h)
			kit.Place(list, 0, h, s.Width, s.Height-h)
		},
	}}
}

func (t *activityTab) object() fyne.CanvasObject { return t.root }
func (t *activityTab) tools() fyne.CanvasObject  { return t.filter.root }

// clear empties the list.
func (t *activityTab) clear() {
	t.s.a.journal.clear()
	t.all = nil
	t.update()
}

func (t *activityTab) render(_ *state.Snapshot, shown bool) {
	if !shown {
		return
	}
	t.all = t.s.a.journal.snapshot()
	t.update()
	if t.open != nil && !t.open.render() {
		t.open = nil
	}
}

func (t *activityTab) update() {
	k := t.s.k
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

// tick counts the seconds of what runs.
func (t *activityTab) tick() {
	if t.ticker != nil {
		t.ticker.Stop()
		t.ticker = nil
	}
	n := t.s.a.cfg.Store.Snapshot()
	for _, c := range t.shown {
		if goesOn(t.s.stateOf(n, c)) {
			t.ticker = time.AfterFunc(time.Second, func() {
				t.s.k.Do(func() {
					if t.s.a.shell == t.s && !t.s.a.closed && t.s.a.snap.Window != state.WindowHidden {
						t.rows.Update()
						t.tick()
					}
				})
			})
			return
		}
	}
}

func (t *activityTab) fill(i int) []kit.Cell {
	k, c := t.s.k, t.shown[i]
	mark, word, ink := t.s.callStatus(c)
	end := c.Ended
	if goesOn(t.s.stateOf(t.s.a.cfg.Store.Snapshot(), c)) {
		end = t.s.a.cfg.Now()
	}
	what := cmp.Or(t.s.answerWords(c), Summary(c.Args), tellingLine(t.s.a.journal.runOf(c).Code), t.s.sessionOf(c))
	if c.Detail != "" {
		what = c.Detail
	}
	client := c.Client
	if c.Transport == string(tool.Window) {
		client = k.T("activity.you")
	}
	return []kit.Cell{
		{Text: c.Began.Local().Format("15:04:05"), Ink: k.P.Muted},
		{Text: word, Ink: ink, Mark: mark},
		{Text: c.Tool},
		{Text: what, Ink: k.P.Muted},
		{Text: client, Ink: k.P.Muted},
		{Text: i18n.Duration(end.Sub(c.Began)), Ink: k.P.Muted},
	}
}

// Summary is the parameters of a call in one line: its code, else its values.
func Summary(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil || len(m) == 0 {
		return ""
	}
	if code, ok := m["code"].(string); ok {
		return tellingLine(code)
	}
	var parts []string
	for _, key := range []string{"name", "notebook_path", "rating", "tags", "add", "remove", "variable_name", "by", "direction", "theme", "filter", "resource_uri", "path", "paths", "source"} {
		if v, ok := m[key]; ok {
			parts = append(parts, fmt.Sprintf("%s=%v", key, v))
		}
	}
	return strings.Join(parts, "  ")
}

// detail shows all of a call.
func (t *activityTab) detail(i int) {
	if i < len(t.shown) {
		t.open = openCall(t.s, t.shown[i])
	}
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// sheet shows something large over the window, until it is closed.
func (s *shell) sheet(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) {
	k := s.k
	var pop *widget.PopUp
	row := append([]fyne.CanvasObject{kit.NewLine(title, 16, k.P.Text, fyne.TextStyle{Bold: true}, 60)}, actions...)
	row = append(row, k.Button(kit.Ghost, "close", "", "", func() { pop.Hide() }).Small())
	head := k.Panel(color.Transparent, "b", kit.PadRow(16, 8, 0, row...))
	size := s.a.win.Canvas().Size()
	pop = widget.NewModalPopUp(&fyne.Container{Objects: []fyne.CanvasObject{canvas.NewRectangle(color.Transparent), head, body}, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			kit.Place(os[1], 0, 0, size.Width, 46)
			kit.Place(os[2], 0, 46, size.Width, size.Height-46)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(min(760, size.Width-80), min(560, size.Height-80))
		},
	}}, s.a.win.Canvas())
	s.popup = pop
	pop.Show()
}
