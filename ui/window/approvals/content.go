package approvals

import (
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/window/asking"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// mostColoured is the length of code, in bytes, up to which it is coloured. Longer code is shown
// in rows that are made while they are visible: one line can be a megabyte.
const mostColoured = 64 << 10

// makeCode shows the whole code, including characters that would be invisible.
func (p *Region) makeCode(q catalog.Approval) {
	k := p.k
	seen, lines := asking.VisibleCode(q.Code), []int(nil)
	if strings.Count(seen, "\n") >= kit.MostLines || len(seen) > mostColoured {
		long, rows := k.LongCodeRows(seen)
		rows.Scrolled = p.look
		p.seen.follow(rows.Scroll(), 18)
		p.code, p.codeH = long, func(float32) float32 { return 10_000 }
	} else {
		view := k.Code(seen, p.port.Language(q.SessionID))
		for _, r := range q.Risks {
			lines = append(lines, asking.ShownLine(q.Code, r.Line))
		}
		view.Mark(lines...)
		column := k.Column(2, 0, view) // so that the column does not cut off the edge of the code
		column.Scroll().OnScrolled = func(fyne.Position) { p.look() }
		p.seen.follow(column.Scroll(), view.LineHeight())
		p.code, p.codeH = column, func(w float32) float32 { return view.HeightFor(w-4) + 6 }
	}
	p.fill()
}

// makeFacts shows what identifies the kernel or project that a client wants to use, or what its call would do.
func (p *Region) makeFacts(q catalog.Approval) {
	k := p.k
	text := kit.NewPara(asking.Facts(k.Tr, q, k.Now()), theme.TextBody, k.P.Text, fyne.TextStyle{})
	p.code, p.codeH = k.Column(2, 0, text), func(w float32) float32 { return text.HeightFor(w-4) + 6 }
	p.seen.follow(nil, 0)
	p.fill()
}

func (p *Region) makeEditor(text string) {
	p.editor = p.k.Editor()
	p.editor.SetText(text)
	p.editor.Forward = p.port.Forward
	id := p.id
	p.editor.OnChanged = func(s string) { p.port.Drafts[id] = s }
	lines := float32(strings.Count(text, "\n") + 2)
	p.code, p.codeH = p.editor, func(float32) float32 { return lines * 18 }
	p.seen.follow(nil, 0)
	p.fill()
}

// ToggleEdit lets the user edit the code, or discards the edited code. The end of the code must
// have been shown before: the editor marks nothing that is hidden.
func (p *Region) ToggleEdit() {
	q, ok := p.question()
	if !ok || q.Check || !q.IsCode() || p.port.Fullscreen() {
		return
	}
	if p.editor == nil && !p.read() {
		p.port.Say(kit.MarkNone, p.k.T("ask.unread"))
		return
	}
	if p.editor == nil {
		p.port.Drafts[q.ApprovalID] = q.Code
		p.makeEditor(q.Code)
		p.port.Focus(p.editor)
	} else {
		delete(p.port.Drafts, q.ApprovalID)
		p.editor = nil
		p.makeCode(q)
	}
	p.buttons()
	p.port.Relayout()
	p.arrange(p.root.Size()) // the height may be the same as before
}
