package window

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/sidebar"
	"easel/ui/window/theme"
)

// armAfter is how long a question must have been on the screen before it can be
// answered: a second click on Approve must not approve the next one unread.
const armAfter = 500 * time.Millisecond

// An approvals is the region under the gallery where the person answers what
// assistants want to run. It is there only while a question is open, takes no focus,
// and lets everything else go on.
type approvals struct {
	s    *shell
	root *fyne.Container

	open  []catalog.Approval
	id    string // the one that is shown
	told  string // what the person is waiting for the answer to: its buttons rest
	armed bool
	arm   *time.Timer
	tick  *time.Timer

	ground, edge *canvas.Rectangle
	bar          *canvas.Rectangle // the session's colour
	icon         fyne.CanvasObject
	head         *kit.Line
	place        *kit.Line // 1 of 3
	left         *kit.Line // time
	prev, next   *kit.Button
	back         *kit.Button // out of the full screen
	code         fyne.CanvasObject
	codeH        func(width float32) float32
	editor       *kit.Field // nil unless the code is being edited
	reason       *kit.Field

	approve, session, edit, deny *kit.Button
}

// The measures of the region.
const (
	askHead  float32 = 42
	askFoot  float32 = 52
	askLeast float32 = 64
	askEdit  float32 = 190
)

func newApprovals(s *shell) *approvals {
	k := s.k
	p := &approvals{s: s, ground: canvas.NewRectangle(k.P.Panel), edge: canvas.NewRectangle(k.P.Warn), bar: kit.Fill(k.P.Line, 2), code: canvas.NewRectangle(k.P.Code)}
	p.icon = kit.Icon("help", k.P.Warn, 18)
	p.head = kit.NewLine("", theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true}, 80)
	p.place = kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 50).Align(fyne.TextAlignCenter)
	p.left = kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 90).Align(fyne.TextAlignTrailing)
	p.prev = k.Button(kit.Ghost, "chevron-left", "", k.T("ask.previous"), func() { p.step(-1) }).Small()
	p.next = k.Button(kit.Ghost, "chevron-right", "", k.T("ask.next"), func() { p.step(1) }).Small()
	p.back = k.Button(kit.Quiet, "", k.T("ask.show"), "", s.a.toggleFullscreen).Small()
	p.approve = k.Button(kit.Primary, "check", k.T("ask.approve"), k.T("ask.approve_tip"), func() { p.answer(true, false) })
	p.session = k.Button(kit.Quiet, "", k.T("ask.session"), k.T("ask.session_tip"), func() { p.answer(true, true) })
	p.edit = k.Button(kit.Quiet, "code", k.T("ask.edit"), k.T("ask.edit_tip"), p.toggleEdit)
	p.deny = k.Button(kit.Danger, "close", k.T("ask.deny"), k.T("ask.deny_tip"), func() { p.answer(false, false) })
	p.reason = k.Field(k.T("ask.reason"))
	p.reason.Forward = s.a.shortcut
	p.reason.OnSubmitted = func(string) { p.answer(false, false) }
	p.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) { p.arrange(size) }}}
	p.fill()
	p.root.Hide()
	return p
}

func (p *approvals) fill() {
	p.root.Objects = []fyne.CanvasObject{
		p.ground, p.edge, p.bar, p.icon, p.head, p.prev, p.place, p.next, p.left, p.back, p.code, p.approve, p.session, p.edit, p.reason, p.deny,
	}
}

func (p *approvals) stop() {
	for _, t := range []*time.Timer{p.arm, p.tick} {
		if t != nil {
			t.Stop()
		}
	}
	p.arm, p.tick = nil, nil
}

// height is what the region takes of a space; 0: no question is open.
func (p *approvals) height(size fyne.Size) float32 {
	switch {
	case len(p.open) == 0:
		return 0
	case p.s.full:
		return askHead
	}
	most := max(size.Height*0.45-askHead-askFoot, askLeast)
	want := min(max(p.codeH(size.Width-32), askLeast), most)
	if p.editor != nil {
		want = min(max(want, askEdit), most)
	}
	return askHead + want + askFoot
}

func (p *approvals) arrange(s fyne.Size) {
	kit.Place(p.ground, 0, 0, s.Width, s.Height)
	kit.Place(p.edge, 0, 0, s.Width, 2)
	kit.Place(p.bar, 16, 13, 4, 18)
	kit.Place(p.icon, 28, 13, 18, 18)
	x := s.Width - 16
	put := func(o fyne.CanvasObject, w float32) {
		if o.Visible() {
			x -= w
			m := o.MinSize()
			kit.Place(o, x, (askHead-m.Height)/2+1, w, m.Height)
			x -= 4
		}
	}
	put(p.back, p.back.MinSize().Width)
	put(p.left, p.left.Wish()+4)
	x -= 8
	put(p.next, 24)
	put(p.place, p.place.Wish()+8)
	put(p.prev, 24)
	kit.Place(p.head, 54, 1, max(x-62, 0), askHead)
	kit.Place(p.code, 16, askHead, s.Width-32, max(s.Height-askHead-askFoot, 0))
	y := s.Height - askFoot + 10
	x = 16
	for _, b := range []*kit.Button{p.approve, p.session, p.edit} {
		m := b.MinSize()
		kit.Place(b, x, y, m.Width, 32)
		x += m.Width + 8
	}
	m := p.deny.MinSize()
	kit.Place(p.deny, s.Width-16-m.Width, y, m.Width, 32)
	w := min(s.Width-16-m.Width-8-x-12, 340)
	kit.Place(p.reason, s.Width-16-m.Width-8-w, y, w, 32)
}

// render shows a state.
func (p *approvals) render(n *state.Snapshot) {
	p.open = n.Approvals
	i := slices.IndexFunc(p.open, func(q catalog.Approval) bool { return q.ApprovalID == p.id })
	if i < 0 && len(p.open) > 0 {
		i = 0
	}
	if len(p.open) == 0 {
		if p.id != "" {
			p.id, p.editor = "", nil
			p.stop()
			p.root.Hide()
			p.s.relayout()
		}
		return
	}
	if q := p.open[i]; q.ApprovalID != p.id {
		p.show(q, n)
	}
	p.update(n, i)
}

// show takes a question onto the card. The buttons rest a moment.
func (p *approvals) show(q catalog.Approval, n *state.Snapshot) {
	p.stop()
	p.id, p.armed, p.editor = q.ApprovalID, false, nil
	if draft, ok := p.s.a.drafts[q.ApprovalID]; ok {
		p.makeEditor(draft)
	} else {
		p.makeCode(q.Code)
	}
	p.reason.SetText("")
	p.bar.FillColor = p.s.k.P.Session(0)
	for _, x := range n.Sessions {
		if x.SessionID == q.SessionID {
			p.bar.FillColor = p.s.k.P.Session(x.Colour)
		}
	}
	p.arm = time.AfterFunc(armAfter, func() {
		p.s.k.Do(func() {
			if p.id == q.ApprovalID && !p.armed {
				p.armed = true
				p.buttons()
			}
		})
	})
	p.root.Show()
	p.s.relayout()
}

func (p *approvals) update(n *state.Snapshot, i int) {
	k, q := p.s.k, p.open[i]
	name := ""
	for _, x := range n.Sessions {
		if x.SessionID == q.SessionID {
			name = sidebar.Name(x)
		}
	}
	if name == "" {
		name = q.SessionID[:min(8, len(q.SessionID))]
	}
	p.head.Set(k.T("ask.head", q.Client, name), nil)
	many := len(p.open) > 1
	for _, o := range []fyne.CanvasObject{p.prev, p.place, p.next} {
		kit.SetVisible(o, many)
	}
	p.place.Set(k.T("ask.place", i+1, len(p.open)), nil)
	kit.SetVisible(p.back, p.s.full)
	for _, o := range []fyne.CanvasObject{p.code, p.approve, p.session, p.edit, p.reason, p.deny} {
		kit.SetVisible(o, !p.s.full)
	}
	p.count(q)
	p.buttons()
	p.arrange(p.root.Size())
}

// buttons says which of them can be pressed now.
func (p *approvals) buttons() {
	k := p.s.k
	ready := p.armed && p.told != p.id
	for _, b := range []*kit.Button{p.approve, p.session, p.deny} {
		b.SetEnabled(ready)
	}
	p.session.SetEnabled(ready && p.editor == nil) // edited code is allowed once
	if p.editor != nil {
		p.approve.SetText(k.T("ask.approve_edited"))
		p.edit.SetText(k.T("ask.discard"))
	} else {
		p.approve.SetText(k.T("ask.approve"))
		p.edit.SetText(k.T("ask.edit"))
	}
}

// count shows how long the question will still wait, each second while it does.
func (p *approvals) count(q catalog.Approval) {
	if p.tick != nil {
		p.tick.Stop()
	}
	left := max(q.Deadline.Sub(p.s.a.cfg.Now()), 0).Truncate(time.Second)
	p.left.Set(p.s.k.T("ask.left", fmt.Sprintf("%d:%02d", int(left.Minutes()), int(left.Seconds())%60)), nil)
	p.tick = time.AfterFunc(time.Second, func() {
		p.s.k.Do(func() {
			if p.id == q.ApprovalID && p.s.a.shell == p.s && !p.s.a.closed && p.s.a.snap.Window != state.WindowHidden {
				p.count(q)
			}
		})
	})
}

// step goes to another question that is open.
func (p *approvals) step(by int) {
	i := slices.IndexFunc(p.open, func(q catalog.Approval) bool { return q.ApprovalID == p.id })
	if n := len(p.open); n > 1 {
		s := p.s.a.cfg.Store.Snapshot()
		p.show(p.open[(i+by+n)%n], s)
		p.update(s, (i+by+n)%n)
	}
}

// makeCode shows code to be read: all of it, also what would hide itself.
func (p *approvals) makeCode(code string) {
	k := p.s.k
	seen := visibleCode(code)
	if strings.Count(seen, "\n") >= kit.MostLines {
		long := k.LongCode(seen)
		p.code, p.codeH = long, func(float32) float32 { return 10_000 }
	} else {
		view := k.Code(seen, "python")
		column := k.Column(2, 0, view) // its edge is not cut
		p.code, p.codeH = column, func(w float32) float32 { return view.HeightFor(w-4) + 6 }
	}
	p.fill()
}

func (p *approvals) makeEditor(text string) {
	p.editor = p.s.k.Editor()
	p.editor.SetText(text)
	p.editor.Forward = p.s.a.shortcut
	id := p.id
	p.editor.OnChanged = func(s string) { p.s.a.drafts[id] = s }
	lines := float32(strings.Count(text, "\n") + 2)
	p.code, p.codeH = p.editor, func(float32) float32 { return lines * 18 }
	p.fill()
}

// toggleEdit lets the person change the code, or drops what they changed.
func (p *approvals) toggleEdit() {
	q, ok := p.question()
	if !ok || p.s.full {
		return
	}
	if p.editor == nil {
		p.s.a.drafts[q.ApprovalID] = q.Code
		p.makeEditor(q.Code)
		p.s.a.win.Canvas().Focus(p.editor)
	} else {
		delete(p.s.a.drafts, q.ApprovalID)
		p.editor = nil
		p.makeCode(q.Code)
	}
	p.buttons()
	p.s.relayout()
}

func (p *approvals) question() (catalog.Approval, bool) {
	i := slices.IndexFunc(p.open, func(q catalog.Approval) bool { return q.ApprovalID == p.id })
	if i < 0 {
		return catalog.Approval{}, false
	}
	return p.open[i], true
}

// answer tells the assistant yes or no.
func (p *approvals) answer(yes, session bool) {
	q, ok := p.question()
	if !ok || !p.armed || p.told == p.id || p.s.full {
		return
	}
	a := p.s.a
	in := catalog.ApprovalAnswer{ApprovalID: q.ApprovalID, Approve: yes, Session: session, Words: strings.TrimSpace(p.reason.Text)}
	if draft, ok := a.drafts[q.ApprovalID]; yes && ok && draft != q.Code {
		in.Code = draft
	}
	p.told = p.id
	p.buttons()
	text := "ask.denied"
	switch {
	case session:
		text = "ask.allowed"
	case yes:
		text = "ask.approved"
	}
	a.tasks.Go(func() {
		_, err := catalog.AnswerApproval.Ask(asPerson(a.ctx), a.cfg.Bus, in)
		a.settle("answer_approval", err, func() {
			delete(a.drafts, q.ApprovalID)
			if err != nil {
				p.told = ""
				p.buttons()
				return
			}
			a.shell.flash(kit.MarkCheck, a.shell.k.T(text))
		})
	})
}
