package activity

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A draft is what the user types for a session, and what the user has run in it. It belongs to the UI goroutine.
type draft struct {
	text  string
	begun string   // what was typed when the user went to what is in past
	past  []string // code that the user ran, oldest first
	sent  []string // ids of the executions that have not begun, as far as is known
}

// mostPast is the maximum number of inputs of a session that are remembered.
const mostPast = 200

// An inputLine is the line below the console, in which the user runs code in the session.
type inputLine struct {
	d      *Dock
	field  *kit.Field
	slim   fyne.CanvasObject // the field with less space
	prompt *kit.Line
	run    *kit.Button
	cancel *kit.Button
	why    *kit.Line // why there is no field
	root   *fyne.Container
	hints  *completions
	grown  func() // the height has changed
	of     string // the session
	// invites is the placeholder, which the field would scroll if it were longer.
	invites string

	at int // of what the user ran, the one that is shown; len(past): what is typed
}

// Measures of an input line.
const (
	inputRow  float32 = 26 // with one line of code
	mostRows          = 6
	inputGap  float32 = 6
	inputSide float32 = 12
)

func newInputLine(d *Dock, grown func()) *inputLine {
	k := d.k
	l := &inputLine{d: d, field: k.Editor(), grown: grown}
	l.prompt = kit.NewLine("In [ ]", 11, k.P.Muted, fyne.TextStyle{Monospace: true}, 20)
	l.why = kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 20)
	l.run = k.Button(kit.Ghost, "play", "", k.T("console.run_tip"), l.submit).Small()
	l.cancel = k.Button(kit.Quiet, "close", "", k.T("console.cancel_tip"), l.cancelWaiting).Small()
	l.cancel.Hide()
	l.field.SetMinRowsVisible(1)
	l.slim = l.field.Slim(40)
	l.field.OnChanged = func(string) { l.typed() }
	l.field.OnKey = l.key
	l.hints = newCompletions(l)
	l.field.OnLeave = func() {
		if !k.Under(l.hints.root) {
			l.hints.hide()
		}
	}
	line := canvas.NewRectangle(k.P.Line)
	l.root = &fyne.Container{
		Objects: []fyne.CanvasObject{line, l.prompt, l.slim, l.why, l.run, l.cancel},
		Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(line, 0, 0, s.Width, 1)
			right := s.Width - inputSide
			for _, b := range []*kit.Button{l.run, l.cancel} {
				if b.Visible() {
					m := b.MinSize()
					right -= m.Width
					kit.Place(b, right, (s.Height-m.Height)/2, m.Width, m.Height)
					right -= inputGap
				}
			}
			kit.Place(l.prompt, inputSide, 3+(inputRow-18)/2, promptWidth-4, 18)
			wide := right - inputSide - promptWidth + 6
			kit.Place(l.slim, inputSide+promptWidth-6, 4, wide, s.Height-7)
			if text := kit.Shorten(l.invites, wide-12, theme.TextBody-1, l.field.TextStyle); text != l.field.PlaceHolder {
				l.field.SetPlaceHolder(text)
			}
			kit.Place(l.why, inputSide, 1, s.Width-2*inputSide, s.Height-1)
		}},
	}
	return l
}

// height returns the height of the line: that of the code, up to some rows.
func (l *inputLine) height() float32 { return max(l.slim.MinSize().Height, inputRow) + 7 }

// draft returns what is typed for the session.
func (l *inputLine) draft() *draft { return l.d.history.draft(l.of) }

// render shows the line for the session.
func (l *inputLine) render(n *state.Snapshot) {
	k, d := l.d.k, l.d
	x, live := n.Session(d.session)
	why := ""
	switch {
	case !live:
		why = k.T("console.no_session")
	case x.Died != "" || x.Status == "dead":
		why = k.T("console.dead")
	}
	l.why.Set(why, nil)
	for _, o := range []fyne.CanvasObject{l.prompt, l.slim, l.run} {
		kit.SetVisible(o, why == "")
	}
	if l.of != d.session {
		l.hints.hide()
		l.of = d.session
		l.at = len(l.draft().past)
		l.field.SetText(l.draft().text)
	}
	if live {
		l.invites = k.T("console.input", x.Title())
	}
	waiting := len(l.waiting())
	if waiting > 0 {
		l.cancel.SetText(k.Tr.N("console.waiting", waiting))
	}
	kit.SetVisible(l.cancel, waiting > 0)
	l.root.Layout.Layout(nil, l.root.Size())
}

// waiting returns the executions of the user that wait for the kernel.
func (l *inputLine) waiting() []string {
	d := l.draft()
	d.sent = l.d.history.waiting(d.sent)
	return d.sent
}

func (l *inputLine) typed() {
	l.draft().text = l.field.Text
	l.field.SetMinRowsVisible(min(strings.Count(l.field.Text, "\n")+1, mostRows))
	l.hints.typed()
	l.grown()
}

// key handles a key in the field: Tab completes the code, with Shift it shows what the kernel says about it; Enter
// runs the code, with Shift it begins a line; the arrows go to what the user ran before.
func (l *inputLine) key(name fyne.KeyName) bool {
	if l.hints.key(name) {
		return true
	}
	//exhaustive:ignore
	switch name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if kit.Modifiers()&fyne.KeyModifierShift != 0 {
			return false
		}
		l.submit()
		return true
	case fyne.KeyUp:
		return l.field.CursorRow == 0 && l.recall(-1)
	case fyne.KeyDown:
		return l.field.CursorRow == strings.Count(l.field.Text, "\n") && l.recall(1)
	}
	return false
}

// recall shows what the user ran before or after the shown one, and reports whether there is such.
func (l *inputLine) recall(step int) bool {
	d := l.draft()
	at := l.at + step
	if at < 0 || at > len(d.past) {
		return false
	}
	if l.at == len(d.past) {
		d.begun = d.text
	}
	text := d.begun
	if at < len(d.past) {
		text = d.past[at]
	}
	l.at = at
	l.field.SetText(text)
	l.field.CursorRow = strings.Count(text, "\n")
	l.field.CursorColumn = len([]rune(text[strings.LastIndexByte(text, '\n')+1:]))
	l.field.Refresh()
	return true
}

// submit runs the code.
func (l *inputLine) submit() {
	code := strings.TrimRight(l.field.Text, " \n")
	if strings.TrimSpace(code) == "" || !l.slim.Visible() {
		return
	}
	d, session := l.draft(), l.of
	if n := len(d.past); n == 0 || d.past[n-1] != code {
		d.past = append(d.past, code)
		d.past = d.past[max(len(d.past)-mostPast, 0):]
	}
	l.at = len(d.past)
	l.field.SetText("")
	l.d.port.Run(session, code, func(x catalog.Execution) {
		l.d.history.sent(x)
		d.sent = append(d.sent, x.ExecutionID)
		l.d.Render(l.d.port.Snapshot())
	})
}

// cancelWaiting cancels the code that waits for the kernel.
func (l *inputLine) cancelWaiting() {
	for _, id := range l.waiting() {
		l.d.port.CancelRun(id)
	}
}

// write types a character into the field, for the text above it.
func (l *inputLine) write(r rune) {
	if l.slim.Visible() {
		l.d.port.Focus(l.field)
		l.field.TypedRune(r)
	}
}
