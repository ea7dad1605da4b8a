package activity

import (
	"fmt"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/outputs"
)

// A consoleTab shows the code that ran in the session and its output, as it arrives.
type consoleTab struct {
	d     *Dock
	rows  *kit.Rows
	root  *fyne.Container
	empty *kit.Para
	right *fyne.Container
	of    string
	lines []consoleLine
	drawn string // a fingerprint of the lines
}

type consoleLine struct {
	mark string // the prompt, for example In [3], or empty
	text string
	ink  color.Color
}

// mostLines is the maximum number of lines in the console.
const mostLines = 5_000

func newConsoleTab(d *Dock) *consoleTab {
	k := d.k
	t := &consoleTab{d: d, empty: note(k)}
	mono := fyne.TextStyle{Monospace: true}
	t.rows = k.Rows(18, []kit.ColumnSpec{{Width: 66, Style: mono, Size: 11}, {Style: mono}},
		func() int { return len(t.lines) }, func(i int) []kit.Cell {
			l := t.lines[i]
			return []kit.Cell{{Text: l.mark, Ink: k.P.Muted}, {Text: l.text, Ink: l.ink}}
		}, nil)
	t.root = over(t.rows, t.empty)
	arranged := t.root.Layout
	t.root.Layout = kit.LayoutFunc{Arrange: func(objects []fyne.CanvasObject, size fyne.Size) {
		bottom := t.rows.AtBottom()
		arranged.Layout(objects, size)
		if bottom { // a question took room
			t.rows.ScrollToBottom()
		}
	}}
	t.right = kit.NewRow(4, -1, k.Button(kit.Ghost, "copy", "", k.T("console.copy"), func() {
		var b strings.Builder
		for _, l := range t.lines {
			b.WriteString(l.text + "\n")
		}
		d.port.Copy(b.String(), k.T("what.output"))
	}).Small())
	return t
}

func (t *consoleTab) object() fyne.CanvasObject { return t.root }
func (t *consoleTab) tools() fyne.CanvasObject  { return t.right }

func (t *consoleTab) render(_ *state.Snapshot, shown bool) {
	if !shown {
		return
	}
	k := t.d.k
	if t.d.session != "" {
		t.d.history.looked(t.d.session)
	}
	runs, _ := t.d.history.of(t.d.session)
	var drawn strings.Builder
	fmt.Fprintf(&drawn, "%q", t.d.session) // not empty without a session, as before the first time
	for _, x := range runs {
		fmt.Fprint(&drawn, x.ExecutionID, x.Status, x.Next, len(x.Stdout), len(x.Stderr), len(x.Outputs), len(x.Images))
	}
	if drawn.String() == t.drawn {
		return
	}
	bottom := t.of != t.d.session || t.rows.AtBottom()
	t.drawn, t.of = drawn.String(), t.d.session
	t.lines = t.lines[:0:0]
	for _, x := range runs {
		t.add(x)
	}
	t.lines = t.lines[max(len(t.lines)-mostLines, 0):]
	text := ""
	if len(t.lines) == 0 {
		text = k.T("console.none")
	}
	t.empty.Set(text)
	t.rows.Update()
	if bottom {
		t.rows.ScrollToBottom()
	}
	t.root.Layout.Layout(t.root.Objects, t.root.Size())
}

func (t *consoleTab) add(x catalog.Execution) {
	k := t.d.k
	mark := "In [ ]"
	if x.ExecutionCount > 0 {
		mark = fmt.Sprintf("In [%d]", x.ExecutionCount)
	}
	lines := func(mark, text string, ink color.Color) {
		if strings.TrimSpace(text) == "" {
			return
		}
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			t.lines = append(t.lines, consoleLine{mark, strings.ReplaceAll(line, "\t", "    "), ink})
			mark = ""
		}
	}
	lines(mark, x.Code, k.P.Accent)
	for _, p := range outputs.Of(k, x) {
		of := ""
		if p.Kind == outputs.Result {
			of = "Out"
		}
		lines(of, p.Words(k), p.Ink(k))
	}
	t.lines = append(t.lines, consoleLine{ink: k.P.Text})
}
