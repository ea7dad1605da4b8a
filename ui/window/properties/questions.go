package properties

import (
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// questions returns the rows for what the user has asked about parts of the plot, and how far they
// are with it.
func (p *Panel) questions(f facts) []fyne.CanvasObject {
	k := p.k
	if len(f.questions) == 0 {
		return nil
	}
	p.thread = k.Section(k.T("properties.questions"))
	rows := []fyne.CanvasObject{p.thread}
	for i, q := range f.questions {
		number := q.Number
		if number == 0 { // an earlier version of Easel has stored it
			number = i + 1
		}
		rows = append(rows, p.question(q, number))
	}
	return rows
}

// question returns the row of a question about a plot.
func (p *Panel) question(q library.Question, number int) fyne.CanvasObject {
	x := catalog.Question{ID: q.ID, State: q.State, Words: q.Words, Region: q.Region, AnnouncedTo: q.AnnouncedTo}
	if !q.AnnouncedAt.IsZero() {
		x.AnnouncedAt = &q.AnnouncedAt
	}
	var drop func()
	var advance func(catalog.QuestionState)
	if p.act.Unask != nil {
		drop = func() { p.act.Unask(q.ID) }
	}
	if p.act.Advance != nil {
		advance = func(to catalog.QuestionState) { p.act.Advance(q.ID, to) }
	}
	return Question(p.k, x, number, drop, advance)
}

// Question returns the row of a question: its number, as on the plot, its words and its place, to whom
// it was sent, and its state. drop deletes it, and advance changes its state; both may be nil.
func Question(k *kit.Kit, q catalog.Question, number int, drop func(), advance func(to catalog.QuestionState)) fyne.CanvasObject {
	told := k.T("question.waits")
	if q.AnnouncedAt != nil {
		told = k.T("question.told", q.AnnouncedTo, q.AnnouncedAt.Local().Format("15:04"))
	}
	ink, words := k.P.Accent, k.P.Text
	switch q.State {
	case catalog.QuestionAnswered:
		ink = k.P.Good
	case catalog.QuestionDone:
		ink, words = k.P.Muted, k.P.Muted
	case catalog.QuestionOpen:
	}
	var head fyne.CanvasObject = k.Leading(badge(k, number, ink), kit.NewPara(q.Words, theme.TextBody, words, fyne.TextStyle{}))
	if drop != nil {
		head = k.Trailing(head, k.Button(kit.Ghost, "trash", "", k.T("question.delete"), drop).Small())
	}
	small := func(text string) fyne.CanvasObject { return kit.NewPara(text, 12, k.P.Muted, fyne.TextStyle{}) }
	rows := []fyne.CanvasObject{head, small(q.Region), small(told)}
	if advance != nil {
		states := kit.NewRow(4, -1)
		for _, x := range []struct {
			state     catalog.QuestionState
			text, tip string
		}{
			{catalog.QuestionOpen, "question.open", "question.open_tip"},
			{catalog.QuestionAnswered, "question.answered", "question.answered_tip"},
			{catalog.QuestionDone, "question.done", "question.done_tip"},
		} {
			b := k.Button(kit.Ghost, "", k.T(x.text), k.T(x.tip), func() { advance(x.state) }).Small()
			b.SetOn(q.State == x.state)
			states.Add(b)
		}
		rows = append(rows, states)
	}
	return kit.NewStack(2, rows...)
}

// badge returns the number of a question.
func badge(k *kit.Kit, number int, ink color.Color) fyne.CanvasObject {
	const edge = 20
	disc := canvas.NewCircle(ink)
	text := kit.Text(strconv.Itoa(number), theme.TextCaption, k.P.Panel, fyne.TextStyle{Bold: true})
	text.Alignment = fyne.TextAlignCenter
	return &fyne.Container{Objects: []fyne.CanvasObject{disc, text}, Layout: kit.LayoutFunc{
		Arrange: func([]fyne.CanvasObject, fyne.Size) {
			kit.Place(disc, 0, 0, edge, edge)
			kit.Place(text, 0, 0, edge, edge)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSquareSize(edge) },
	}}
}

// ShowQuestions scrolls to the questions about the plot.
func (p *Panel) ShowQuestions() {
	if p.thread != nil {
		p.column.Reveal(p.thread)
	}
}
