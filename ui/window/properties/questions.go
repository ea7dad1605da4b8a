package properties

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// questions returns the rows for what the user has asked about parts of the plot.
func (p *Panel) questions(f facts) []fyne.CanvasObject {
	k := p.k
	if len(f.questions) == 0 {
		return nil
	}
	rows := []fyne.CanvasObject{k.Section(k.T("properties.questions"))}
	for _, q := range f.questions {
		told := k.T("question.waits")
		if !q.AnnouncedAt.IsZero() {
			told = k.T("question.told", q.AnnouncedTo, q.AnnouncedAt.Local().Format("15:04"))
		}
		var head fyne.CanvasObject = kit.NewPara(q.Words, theme.TextBody, k.P.Text, fyne.TextStyle{})
		if p.act.Unask != nil {
			head = k.Trailing(head, k.Button(kit.Ghost, "trash", "", k.T("question.delete"), func() { p.act.Unask(q.ID) }).Small())
		}
		rows = append(rows, kit.NewStack(2, head,
			kit.NewPara(q.Region, 12, k.P.Muted, fyne.TextStyle{}), kit.NewPara(told, 12, k.P.Muted, fyne.TextStyle{})))
	}
	return rows
}
