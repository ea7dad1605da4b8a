// Package approvals draws the region below the gallery in which the user approves or
// denies what assistants want to run. It is visible only while a question is open, or has
// expired and can still be answered. It takes no focus, and leaves the rest of the window
// usable.
//
// # Goroutines
//
// Everything belongs to the UI goroutine. Timers post to it with the kit's Dispatcher.
package approvals

import (
	"cmp"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/asking"
	"easel/ui/window/assistants"
	"easel/ui/window/kit"
	"easel/ui/window/questions"
	"easel/ui/window/theme"
)

// armAfter is how long a question must have been on the screen before the user can
// answer it: a second click on Approve must not approve the next question unread.
const armAfter = 500 * time.Millisecond

// A Port is what the region may read and do in the window. Its functions are called on
// the UI goroutine and must not block.
type Port struct {
	Snapshot   func() *state.Snapshot      // the newest state
	Language   func(session string) string // of the session's code
	Fullscreen func() bool                 // reports whether a plot fills the window; then only the head of the region is shown
	Drafts     map[string]string           // edited code by approval; it outlives the region

	Answer          func(in command.ApprovalAnswer, done func(err error)) // shows an error, then calls done
	LeaveFullscreen func()
	Relayout        func() // called when the region's height has changed
	Focus           func(fyne.Focusable)
	Forward         func(fyne.Shortcut) // gets the shortcuts that a field does not use
	Say             func(kit.Mark, string)
	Menu            func(under fyne.CanvasObject, items ...*fyne.MenuItem)
	Arm             time.Duration // as armAfter, for tests; 0 means that
}

// A Region shows one of the open questions.
type Region struct {
	k    *kit.Kit
	port Port
	root *fyne.Container

	open   []catalog.Approval // the open questions, then those that have expired
	id     string             // of the question that is shown
	about  string             // the code of that question
	chosen string             // the question that the user last went to
	sent   string             // of the question whose answer is being sent; its buttons are disabled
	ended  bool               // Close was called

	head    *questions.Head
	dismiss *kit.Button // closes a question that has expired
	note    *kit.Para   // what an answer does now; hidden while the call waits
	why     *kit.Para   // because of which places the user is asked; hidden if there are none
	code    fyne.CanvasObject
	codeH   func(width float32) float32
	seen    *sight     // how much of the code has been shown
	resume  *Draft     // to be continued when its question is shown; may be nil
	editor  *kit.Field // nil unless the code is being edited
	reason  *kit.Field

	approve, session, edit, deny *kit.Button
}

// The dimensions of the region, in Fyne units.
const (
	askHead          = questions.HeadHeight
	askFoot  float32 = 52
	askLeast float32 = 64
	askEdit  float32 = 190
)

// New returns a region without a question.
func New(k *kit.Kit, port Port) *Region {
	p := &Region{
		k: k, port: port, code: canvas.NewRectangle(k.P.Code),
	}
	p.head = questions.NewHead(k, questions.Port{Snapshot: port.Snapshot, LeaveFullscreen: port.LeaveFullscreen, Step: p.step},
		"help", k.T("ask.previous"), k.T("ask.next"))
	p.dismiss = k.Button(kit.Ghost, "close", "", k.T("ask.dismiss"), func() { p.send(command.ApprovalAnswer{Dismiss: true}, "") }).Small()
	p.note = kit.NewPara("", theme.TextBody, k.P.Muted, fyne.TextStyle{})
	p.note.Hide()
	p.why = kit.NewPara("", theme.TextBody, k.P.Text, fyne.TextStyle{})
	p.why.Hide()
	p.approve = k.Button(kit.Primary, "check", k.T("ask.approve"), k.T("ask.approve_tip"), func() { p.Answer(true, false) })
	p.session = k.Button(kit.Quiet, "", k.T("ask.session"), k.T("ask.session_tip"), p.more)
	p.edit = k.Button(kit.Quiet, "code", k.T("ask.edit"), k.T("ask.edit_tip"), p.ToggleEdit)
	p.deny = k.Button(kit.Danger, "close", k.T("ask.deny"), k.T("ask.deny_tip"), func() { p.Answer(false, false) })
	p.reason = k.Field(k.T("ask.reason"))
	p.reason.Forward = port.Forward
	p.seen = newSight(k, p.look)
	p.reason.OnSubmitted = func(string) { p.Answer(false, false) }
	p.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) { p.arrange(size) }}}
	p.fill()
	p.root.Hide()
	return p
}

func (p *Region) fill() {
	p.root.Objects = append(p.head.Objects(),
		p.dismiss, p.note, p.why, p.code, p.seen.more, p.approve, p.session, p.edit, p.reason, p.deny)
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
	p.head.Stop()
}

// Height returns the height that the region takes of a space; 0 if no question is open.
func (p *Region) Height(size fyne.Size) float32 {
	switch {
	case len(p.open) == 0:
		return 0
	case p.port.Fullscreen():
		return askHead
	}
	head := askHead + paraHeight(p.note, size.Width) + paraHeight(p.why, size.Width)
	most := max(size.Height*0.45-head-askFoot, askLeast)
	want := min(max(p.codeH(size.Width-32), askLeast), most)
	if p.editor != nil {
		want = min(max(want, askEdit), most)
	}
	return head + want + askFoot
}

// paraHeight returns the height of a text above the code, with the space below it.
func paraHeight(text *kit.Para, width float32) float32 {
	if !text.Visible() {
		return 0
	}
	return text.HeightFor(width-32) + 6
}

func (p *Region) arrange(s fyne.Size) {
	p.head.Arrange(s, p.dismiss)
	note := paraHeight(p.note, s.Width)
	kit.Place(p.note, 16, askHead, s.Width-32, note)
	why := paraHeight(p.why, s.Width)
	kit.Place(p.why, 16, askHead+note, s.Width-32, why)
	note += why
	p.arrangeCode(fyne.NewPos(16, askHead+note), fyne.NewSize(s.Width-32, max(s.Height-askHead-note-askFoot, 0)))
	y := s.Height - askFoot + 10
	x := float32(16)
	for _, b := range []*kit.Button{p.approve, p.session, p.edit} {
		if !b.Visible() {
			continue
		}
		m := b.MinSize()
		kit.Place(b, x, y, m.Width, 32)
		x += m.Width + 8
	}
	m := p.deny.MinSize()
	kit.Place(p.deny, s.Width-16-m.Width, y, m.Width, 32)
	w := min(s.Width-16-m.Width-8-x-12, 340)
	kit.Place(p.reason, s.Width-16-m.Width-8-w, y, w, 32)
}

// Render shows a state. While the pointer is pressed on the region, it waits, so that an answer is
// one to the question that was pressed.
func (p *Region) Render(n *state.Snapshot) {
	if p.ended || p.k.Pressed(p.root, func() { p.Render(n) }) {
		return
	}
	p.open = slices.Concat(n.Approvals, answerable(n))
	slices.SortStableFunc(p.open, func(a, b catalog.Approval) int { return cmp.Compare(behind(a), behind(b)) })
	i := slices.IndexFunc(p.open, func(q catalog.Approval) bool { return q.ApprovalID == p.id })
	idle := p.reason.Text == "" && p.editor == nil && p.id != p.chosen
	if len(p.open) > 0 && (i < 0 || idle && behind(p.open[i]) > behind(p.open[0])) { // an assistant may wait for an answer
		i = 0
	}
	if len(p.open) == 0 {
		if p.id != "" {
			p.id, p.editor = "", nil
			p.head.Stop()
			p.root.Hide()
			p.port.Relayout()
		}
		return
	}
	if q := p.open[i]; q.ApprovalID != p.id || q.Code != p.about {
		p.show(q)
	}
	p.update(n, i)
}

// show shows a question. Its buttons are disabled for armAfter.
func (p *Region) show(q catalog.Approval) {
	if q.ApprovalID == p.id {
		delete(p.port.Drafts, p.id) // it was about other code
	}
	p.id, p.about, p.editor = q.ApprovalID, q.Code, nil
	p.seen.reset()
	if draft, ok := p.port.Drafts[q.ApprovalID]; ok {
		p.makeEditor(draft)
	} else if q.Tool != "" && q.Code == "" || q.Kernel != nil || q.Project != nil {
		p.makeFacts(q)
	} else {
		p.makeCode(q)
	}
	p.reason.SetText("")
	p.head.Begin(q.SessionID, cmp.Or(p.port.Arm, armAfter), p.buttons)
	p.root.Show()
	p.port.Relayout()
	p.resumed()
}

func (p *Region) update(n *state.Snapshot, i int) {
	k, q := p.k, p.open[i]
	p.head.Set(asking.Title(k.Tr, n, q), i, len(p.open), p.port.Fullscreen())
	p.head.SetDot(assistants.Dot(k.P, n, q.Assistant))
	for _, o := range []fyne.CanvasObject{p.code, p.approve, p.session, p.edit, p.reason, p.deny} {
		kit.SetVisible(o, !p.port.Fullscreen())
	}
	kit.SetVisible(p.edit, !p.port.Fullscreen() && !q.Check && q.IsCode()) // a check runs what ran before
	kit.SetVisible(p.session, !p.port.Fullscreen() && len(p.choices(q)) > 0)
	if p.wide(q) {
		p.session.SetText(k.T("ask.beyond"))
		p.session.SetTip(k.T("ask.beyond_tip"))
	} else {
		p.session.SetText(k.T("ask.session"))
		p.session.SetTip(k.T("ask.session_tip"))
	}
	kit.SetVisible(p.dismiss, expired(q))
	p.explain(q)
	p.reasons(q)
	if expired(q) {
		p.head.Say(k.T("ask.expired"))
	} else {
		p.head.Count(q.Deadline)
	}
	p.buttons()
	p.arrange(p.root.Size())
}

// buttons enables the buttons that the user can press now.
func (p *Region) buttons() {
	k := p.k
	ready := p.Ready()
	p.deny.SetEnabled(ready)
	p.approve.SetEnabled(ready && p.read())
	p.session.SetEnabled(ready && p.read() && p.editor == nil) // edited code can be allowed only once
	p.edit.SetEnabled(p.read())
	approve, edit := "ask.approve", "ask.edit"
	if p.editor != nil {
		approve, edit = "ask.approve_edited", "ask.discard"
	}
	if q, ok := p.question(); ok && (q.Project != nil || q.Tool != "") {
		approve = "ask.allow_project"
	} else if ok && expired(q) {
		approve = "ask.approve_next"
	}
	p.approve.SetText(k.T(approve))
	p.edit.SetText(k.T(edit))
}
