// Package inputs draws the region below the gallery in which the user answers what running code
// asks, with input() or getpass(). It is visible only while such a question is open. It takes no
// focus, with two exceptions: the next question of code that the user has just answered keeps it, and the
// question of the user's own code takes it from an empty field, such as the console's line.
//
// # Goroutines
//
// Everything belongs to the UI goroutine. Timers post to it with the kit's Dispatcher.
package inputs

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/asking"
	"easel/ui/window/assistants"
	"easel/ui/window/kit"
	"easel/ui/window/questions"
	"easel/ui/window/theme"
)

// armAfter is how long a question must have been on the screen before the user can answer it: a
// second Enter must not answer the next question unread.
const armAfter = 400 * time.Millisecond

// lingers is how long the region stays after an answer, so that what the user types on, for the next question
// of the same code, is no key of the gallery.
const lingers = 500 * time.Millisecond

// A Port is what the region may read and do in the window. Its functions are called on
// the UI goroutine and must not block.
type Port struct {
	Snapshot   func() *state.Snapshot // the newest state
	Fullscreen func() bool            // reports whether a plot fills the window; then only the head of the region is shown
	Drafts     map[string]string      // what the user has typed, by question; it outlives the region and is never stored

	Answer          func(in command.InputAnswer, done func(err error)) // shows an error, then calls done
	Interrupt       func(session string)
	LeaveFullscreen func()
	Relayout        func() // called when the region's height has changed
	Focus           func(fyne.Focusable)
	Focused         func() fyne.Focusable
	Forward         func(fyne.Shortcut) // gets the shortcuts that a field does not use
	Arm             time.Duration       // as armAfter, for tests; 0 means that
	Linger          time.Duration       // as lingers, for tests; 0 means that
}

// A Region shows one of the open questions.
type Region struct {
	k    *kit.Kit
	port Port
	root *fyne.Container

	open  []command.InputQuestion
	id    string      // of the question that is shown
	sent  string      // of the question whose answer is being sent
	leave *time.Timer // closes the region; nil if it need not
	ended bool        // Close was called

	head       *questions.Head
	code       *kit.Line // the line of the code that asks
	prompt     *kit.Para
	field      *kit.Field
	reveal     *kit.Button // shows a password
	send, stop *kit.Button
}

// The dimensions of the region, in Fyne units.
const (
	headH           = questions.HeadHeight
	codeH   float32 = 20
	footH   float32 = 52
	mostAsk         = 6 // lines of a prompt
)

// New returns a region without a question.
func New(k *kit.Kit, port Port) *Region {
	p := &Region{k: k, port: port}
	p.head = questions.NewHead(k, questions.Port{Snapshot: port.Snapshot, LeaveFullscreen: port.LeaveFullscreen, Step: p.step},
		"edit", k.T("input.previous"), k.T("input.next"))
	p.code = kit.NewLine("", theme.TextBody, k.P.Muted, fyne.TextStyle{Monospace: true}, 80)
	p.prompt = kit.NewPara("", theme.TextTitle, k.P.Text, fyne.TextStyle{}).Most(mostAsk)
	p.field = k.Field("")
	p.reveal = k.Button(kit.Ghost, "eye", "", k.T("input.reveal"), func() { p.hide(!p.field.Password) })
	p.send = k.Button(kit.Primary, "enter", k.T("input.send"), k.T("input.send_tip"), p.Send)
	p.stop = k.Button(kit.Danger, "stop", k.T("input.stop"), k.T("input.stop_tip"), p.interrupt)
	p.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) { p.arrange(size) }}}
	p.fill()
	p.root.Hide()
	return p
}

func (p *Region) fill() {
	p.root.Objects = append(p.head.Objects(), p.code, p.prompt, p.field, p.reveal, p.send, p.stop)
}

// makeField replaces the field by one for a question. Each has its own, because a field can undo what was
// typed in it.
func (p *Region) makeField(q command.InputQuestion) {
	f := p.k.Field(p.k.T(map[bool]string{true: "input.password", false: "input.answer"}[q.Password]))
	if f.Password = q.Password; q.Password {
		f.ActionItem = &fyne.Container{} // instead of Fyne's eye, which the keyboard does not reach
	}
	f.SetText(p.port.Drafts[q.ID])
	f.CursorColumn = len([]rune(f.Text))
	f.Forward = p.port.Forward
	f.OnSubmitted = func(string) { p.Send() }
	f.OnChanged = func(text string) { p.port.Drafts[q.ID] = text }
	p.field = f
	p.fill()
}

// Object returns the object to put into the window.
func (p *Region) Object() fyne.CanvasObject { return p.root }

// Open reports whether a question is open.
func (p *Region) Open() bool { return len(p.open) > 0 }

// Ready reports whether the user can answer the displayed question now.
func (p *Region) Ready() bool { return p.id != "" && p.head.Armed() && p.sent != p.id }

// Close stops the region's timers. The region shows nothing new afterwards.
func (p *Region) Close() {
	p.ended = true
	p.halt()
}

func (p *Region) halt() {
	p.head.Stop()
	if p.leave != nil {
		p.leave.Stop()
		p.leave = nil
	}
}

// Height returns the height that the region takes of a space; 0 if no question is open.
func (p *Region) Height(size fyne.Size) float32 {
	switch {
	case p.id == "":
		return 0
	case p.port.Fullscreen():
		return headH
	}
	return headH + codeH + p.promptHeight(size.Width) + footH
}

func (p *Region) promptHeight(width float32) float32 { return p.prompt.HeightFor(width-32) + 4 }

func (p *Region) arrange(s fyne.Size) {
	p.head.Arrange(s)
	kit.Place(p.code, 16, headH-4, s.Width-32, codeH)
	kit.Place(p.prompt, 16, headH+codeH, s.Width-32, p.promptHeight(s.Width))
	y := s.Height - footH + 10
	right := s.Width - 16
	foot := func(b *kit.Button, gap float32) {
		if b.Visible() {
			w := b.MinSize().Width
			right -= w
			kit.Place(b, right, y, w, 32)
			right -= gap
		}
	}
	foot(p.stop, 24)
	foot(p.send, 8)
	foot(p.reveal, 4)
	kit.Place(p.field, 16, y, max(right-16, 40), 32)
}

// Render shows a state. While the pointer is pressed on the region, it waits, so that an answer is
// one to the question that was pressed.
func (p *Region) Render(n *state.Snapshot) {
	if p.ended || p.k.Pressed(p.root, func() { p.Render(n) }) {
		return
	}
	p.open = n.Inputs
	defer p.forget()
	if len(p.open) == 0 {
		switch {
		case p.id == "" || p.leave != nil:
		case p.sent == p.id:
			p.linger()
		default:
			p.close()
		}
		return
	}
	i := p.index()
	if i < 0 {
		i = p.follows()
	}
	if q := p.open[i]; q.ID != p.id {
		p.show(q)
	}
	p.update(n, i)
}

// forget drops what was typed for questions that are no longer open.
func (p *Region) forget() {
	maps.DeleteFunc(p.port.Drafts, func(id, _ string) bool {
		return !slices.ContainsFunc(p.open, func(q command.InputQuestion) bool { return q.ID == id })
	})
}

// linger closes the region after a while, unless there is another question.
func (p *Region) linger() {
	id := p.id
	p.leave = time.AfterFunc(cmp.Or(p.port.Linger, lingers), func() {
		p.k.Do(func() {
			if p.id == id && len(p.open) == 0 && !p.ended {
				p.close()
			}
		})
	})
}

// close hides the region.
func (p *Region) close() {
	p.id = ""
	p.makeField(command.InputQuestion{})
	p.halt()
	p.root.Hide()
	p.port.Relayout()
}

// index returns the index of the displayed question, or -1.
func (p *Region) index() int {
	return slices.IndexFunc(p.open, func(q command.InputQuestion) bool { return q.ID == p.id })
}

// follows returns the index of the question to show after the displayed one: the next of the same code, or
// the oldest.
func (p *Region) follows() int {
	code, _, _ := strings.Cut(p.id, "-")
	return max(slices.IndexFunc(p.open, func(q command.InputQuestion) bool { return q.ExecutionID == code }), 0)
}

// show shows a question. It can be answered after armAfter.
func (p *Region) show(q command.InputQuestion) {
	p.halt()
	focused := p.port.Focused()
	typing := focused == fyne.Focusable(p.field) && strings.HasPrefix(p.id, q.ExecutionID+"-")
	if f, ok := focused.(*kit.Field); ok && q.ByUser && f != p.field && f.Text == "" {
		typing = true
	}
	if typing && p.sent == p.id && p.field.Text != "" { // typed since the answer
		p.port.Drafts[q.ID] = p.field.Text
	}
	p.id = q.ID
	p.makeField(q)
	p.hide(q.Password)
	p.prompt.Set(asking.VisibleCode(strings.TrimRight(cmp.Or(q.Prompt, q.Before, p.k.T("input.no_prompt")), " \n")))
	p.code.Set(lineThatAsks(q), nil)
	p.head.Begin(q.SessionID, cmp.Or(p.port.Arm, armAfter), p.buttons)
	p.root.Show()
	p.port.Relayout()
	if typing {
		p.port.Focus(p.field)
	}
}

// hide hides what is typed, or shows it.
func (p *Region) hide(on bool) {
	if p.field.Password != on {
		p.field.Password = on
		p.field.Refresh()
	}
	tip := "input.reveal"
	if !on {
		tip = "input.conceal"
	}
	p.reveal.SetOn(!on)
	p.reveal.SetTip(p.k.T(tip))
}

func (p *Region) update(n *state.Snapshot, i int) {
	k, q := p.k, p.open[i]
	name := n.SessionName(q.SessionID)
	head := k.T("input.head", q.Client, name)
	switch {
	case q.ByUser && q.Password:
		head = k.T("input.head_yours_password", name)
	case q.ByUser:
		head = k.T("input.head_yours", name)
	case q.Password:
		head = k.T("input.head_password", q.Client, name)
	}
	full := p.port.Fullscreen()
	p.head.Set(head, i, len(p.open), full)
	p.head.SetDot(assistants.Dot(k.P, n, q.Assistant))
	for _, o := range []fyne.CanvasObject{p.code, p.prompt, p.field, p.send, p.stop} {
		kit.SetVisible(o, !full)
	}
	kit.SetVisible(p.reveal, !full && q.Password)
	if q.Deadline.IsZero() {
		p.head.Say("")
	} else {
		p.head.Count(q.Deadline)
	}
	p.buttons()
	p.arrange(p.root.Size())
}

// buttons enables the buttons that the user can press now.
func (p *Region) buttons() { p.send.SetEnabled(p.Ready()) }
