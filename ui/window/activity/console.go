package activity

import (
	"fmt"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/outputs"
)

// A consoleTab shows the code that ran in the session and its output, as it arrives. The text can be
// selected, copied and searched.
type consoleTab struct {
	d     *Dock
	print *kit.Printout
	input *inputLine
	find  *kit.Field
	count *kit.Line
	step  [2]*kit.Button  // to the place before and the next one
	text  *fyne.Container // print and empty
	root  *fyne.Container
	empty *kit.Para
	right *fyne.Container
	of    string
	drawn string // a fingerprint of what is shown
	runs  map[string]printedRun
}

// A printedRun has the lines of an execution.
type printedRun struct {
	seen  string // a fingerprint of the execution
	lines []kit.PrintLine
}

// mostLines is the maximum number of lines in the console.
const mostLines = 20_000

// promptWidth is the width of the prompts.
const promptWidth float32 = 64

func newConsoleTab(d *Dock) *consoleTab {
	k := d.k
	t := &consoleTab{d: d, empty: note(k), runs: make(map[string]printedRun)}
	t.print = k.Printout(promptWidth)
	t.print.Copy = func(text string) { d.port.Copy(text, k.T("what.output")) }
	t.print.Forward, t.print.Focus = d.port.Forward, d.port.Focus
	t.print.Find = func() { d.port.Focus(t.find) }
	t.print.Menu = t.menu
	t.text = over(t.print, t.empty)
	t.input = newInputLine(d, func() { t.root.Layout.Layout(nil, t.root.Size()) })
	t.print.Typed = t.input.write
	t.input.field.Forward = func(s fyne.Shortcut) {
		if c, ok := s.(*desktop.CustomShortcut); ok && c.KeyName == fyne.KeyF && c.Modifier == fyne.KeyModifierShortcutDefault {
			t.print.Find()
			return
		}
		d.port.Forward(s)
	}
	t.root = &fyne.Container{Objects: []fyne.CanvasObject{t.text, t.input.root, t.input.hints.root}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			h := t.input.height()
			kit.Place(t.text, 0, 0, s.Width, s.Height-h)
			kit.Place(t.input.root, 0, s.Height-h, s.Width, h)
			hints := t.input.hints.size(fyne.NewSize(s.Width, s.Height-h-4))
			x := min(inputSide+promptWidth-6, s.Width-inputSide-hints.Width)
			kit.Place(t.input.hints.root, x, s.Height-h-2-hints.Height, hints.Width, hints.Height)
		},
	}}
	t.find = k.Field(k.T("console.find"))
	t.find.OnChanged = func(text string) { t.found(t.print.Search(strings.TrimSpace(text))) }
	t.find.OnSubmitted = func(string) {
		step := 1
		if kit.Modifiers()&fyne.KeyModifierShift != 0 {
			step = -1
		}
		t.next(step)
	}
	t.find.OnEsc = func() { t.find.SetText("") }
	t.find.Forward = d.port.Forward
	t.count = kit.NewLine("", 11, k.P.Muted, fyne.TextStyle{}, 0)
	t.count.Align(fyne.TextAlignTrailing)
	t.step[0] = k.Button(kit.Ghost, "chevron-up", "", k.T("console.find_before"), func() { t.next(-1) }).Small()
	t.step[1] = k.Button(kit.Ghost, "chevron-down", "", k.T("console.find_next"), func() { t.next(1) }).Small()
	t.found(0, 0)
	all := k.Button(kit.Ghost, "copy", "", k.T("console.copy"), func() { d.port.Copy(t.print.Text(), k.T("what.output")) }).Small()
	count := kit.Box(t.count, fyne.NewSize(76, 20))
	right, more := k.Fold(kit.Row{Gap: 7, Stretch: 1}, 96, []fyne.CanvasObject{t.step[0], t.step[1], all, count},
		count, t.find.Slim(120), t.step[0], t.step[1], all)
	more.Small()
	t.right = wanting(right, 330)
	return t
}

// wanting gives a container a width that it wants.
func wanting(o *fyne.Container, width float32) *fyne.Container {
	return &fyne.Container{Objects: []fyne.CanvasObject{o}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) { kit.Place(o, 0, 0, s.Width, s.Height) },
		Min:     func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(width, 24) },
	}}
}

func (t *consoleTab) object() fyne.CanvasObject { return t.root }
func (t *consoleTab) tools() fyne.CanvasObject  { return t.right }

// next goes to another place of the searched text.
func (t *consoleTab) next(step int) { t.found(t.print.Next(step)) }

// found shows which place of the searched text is shown, and how many there are.
func (t *consoleTab) found(at, of int) {
	k, text := t.d.k, ""
	switch {
	case of > 0:
		text = k.T("console.found", at, of)
	case t.find != nil && strings.TrimSpace(t.find.Text) != "":
		text = k.T("console.not_found")
	}
	t.count.Set(text, nil)
	for _, b := range t.step {
		b.SetEnabled(of > 1)
	}
}

// menu shows what can be done with the text.
func (t *consoleTab) menu(e *fyne.PointEvent) {
	k := t.d.k
	selected := fyne.NewMenuItem(k.T("console.copy_selected"), func() { t.d.port.Copy(t.print.Selected(), k.T("what.output")) })
	selected.Disabled = t.print.Selected() == ""
	t.d.port.MenuAt(e.AbsolutePosition, selected,
		fyne.NewMenuItem(k.T("console.select_all"), t.print.SelectAll), fyne.NewMenuItem(k.T("console.find_menu"), t.print.Find))
}

func (t *consoleTab) enter() {
	if t.input.slim.Visible() {
		t.d.port.Focus(t.input.field)
	}
}

func (t *consoleTab) render(n *state.Snapshot, shown bool) {
	if !shown {
		return
	}
	t.input.render(n)
	k := t.d.k
	if t.d.session != "" {
		t.d.history.looked(t.d.session)
	}
	runs, _ := t.d.history.of(t.d.session)
	var drawn strings.Builder
	fmt.Fprintf(&drawn, "%q", t.d.session) // not empty without a session, as before the first time
	lines, known := make([]kit.PrintLine, 0, len(t.print.Lines())), make(map[string]printedRun, len(runs))
	for _, x := range runs {
		seen := fmt.Sprint(x.ExecutionID, x.Status, x.Next, len(x.Stdout), len(x.Stderr), len(x.Outputs), len(x.Images))
		r, ok := t.runs[x.ExecutionID]
		if !ok || r.seen != seen {
			r = printedRun{seen, t.printed(x)}
		}
		known[x.ExecutionID] = r
		drawn.WriteString(seen)
		lines = append(lines, r.lines...)
	}
	if t.runs = known; drawn.String() == t.drawn {
		return
	}
	bottom := t.of != t.d.session || t.print.AtBottom()
	t.drawn, t.of = drawn.String(), t.d.session
	t.print.SetLines(lines[max(len(lines)-mostLines, 0):])
	text := ""
	if len(lines) == 0 {
		text = k.T("console.none")
	}
	t.empty.Set(text)
	t.text.Layout.Layout(t.text.Objects, t.text.Size())
	if bottom {
		t.print.ScrollToBottom()
	}
	if t.find.Text != "" {
		t.found(t.print.Found())
	}
}

// printed returns what an execution looks like in the console.
func (t *consoleTab) printed(x catalog.Execution) (all []kit.PrintLine) {
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
			all = append(all, kit.PrintLine{Mark: mark, Text: strings.ReplaceAll(line, "\t", "    "), Ink: ink})
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
	if x.Status == catalog.StatusQueued {
		lines("", k.T("console.queued"), k.P.Muted)
	}
	return append(all, kit.PrintLine{Ink: k.P.Text})
}
