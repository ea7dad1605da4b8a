package properties

import (
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/command"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// sides are the texts for axes that lie on others.
var sides = map[string]string{"left": "finding.left", "right": "finding.right", "top": "finding.top", "bottom": "finding.bottom"}

// A FindingReader returns what was found in a plot. It is called on the reader's goroutine.
type FindingReader func(ctx context.Context, id string) ([]command.PlotFinding, error)

// FindingActions are what the user can do with findings. They are nil if there are none.
type FindingActions struct {
	Read   FindingReader
	Choose func(id string, f command.PlotFinding) // marks its places in the picture, or no longer if it is chosen
	Judge  func(id, key string, dismiss bool)
	Drop   func() bool // ends marking; reports false if nothing is marked
}

// fewFindings is how many findings are listed before the user asks for all.
const fewFindings = 5

// finds are the rows of findings that are shown.
type finds struct {
	rows   []findingRow
	marked string // the key of the finding whose places are marked; "" for none
	all    bool   // not only the first ones
}

type findingRow struct {
	of    command.PlotFinding
	stop  *kit.Stop
	judge *kit.Button
}

// Sentence returns what a finding says in the user's language.
func Sentence(k *kit.Kit, f command.PlotFinding) string {
	if k.Tr.Lang() == "ja" {
		return f.Japanese
	}
	return f.English
}

// findings returns the rows for what was found in the plot.
func (p *Panel) findings(f facts) []fyne.CanvasObject {
	k, all := p.k, listedFindings(f.findings)
	p.finds.rows = nil
	if len(all) == 0 || p.act.Findings.Choose == nil {
		return nil
	}
	var more []fyne.CanvasObject
	if len(all) > fewFindings {
		text := k.T("finding.all", len(all))
		if p.finds.all {
			text = k.T("properties.less")
		}
		more = append(more, k.Button(kit.Ghost, "", text, "", func() {
			p.finds.all = !p.finds.all
			p.redraw()
		}).Small())
		if !p.finds.all {
			all = all[:fewFindings]
		}
	}
	several := slices.ContainsFunc(f.findings, func(x command.PlotFinding) bool { return x.Axes > 1 })
	rows := make([]fyne.CanvasObject, len(all))
	for i, x := range all {
		row := p.finding(f.images[0].ImageID, x, several)
		p.finds.rows = append(p.finds.rows, row)
		rows[i] = row.stop
	}
	p.paintMarked()
	return []fyne.CanvasObject{k.Section(k.T("finding.section"), more...), kit.NewStack(2, rows...)}
}

// listedFindings returns findings with those that are no problem last.
func listedFindings(all []command.PlotFinding) (list []command.PlotFinding) {
	for _, dismissed := range []bool{false, true} {
		for _, x := range all {
			if x.Dismissed == dismissed {
				list = append(list, x)
			}
		}
	}
	return list
}

// finding returns the row of a finding.
func (p *Panel) finding(id string, x command.PlotFinding, several bool) findingRow {
	k := p.k
	ink, note := k.P.Text, ""
	if several && x.Axes > 0 {
		note = k.T("finding.axes", x.Axes)
	}
	if side, ok := sides[x.Side]; ok {
		note = strings.TrimSpace(note + " " + k.T(side))
	}
	if len(x.Where) == 0 {
		note = k.T("finding.no_place")
	}
	label, hint := "finding.dismiss", "finding.dismiss_tip"
	if x.Dismissed {
		ink, note = k.P.Muted, k.T("finding.dismissed")
		label, hint = "finding.undismiss", "finding.undismiss_tip"
	}
	judge := k.Button(kit.Ghost, "", k.T(label), k.T(hint), func() { p.act.Findings.Judge(id, x.Key, !x.Dismissed) }).Small()
	content := newInset(kit.NewStack(2,
		kit.NewPara(Sentence(k, x), theme.TextBody, ink, fyne.TextStyle{}),
		kit.NewRow(4, 0, kit.NewLine(note, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 20), judge)))
	tip, tap := k.T("finding.mark"), func() { p.act.Findings.Choose(id, x) }
	if len(x.Where) == 0 {
		tip, tap = "", nil
	}
	row := findingRow{x, k.Stop(content, k.P.Panel, tip, tap), judge}
	row.stop.OnKey = func(name fyne.KeyName) bool { return p.findingKey(x.Key, name) }
	row.stop.OnEsc = p.act.Findings.Drop
	return row
}

// findingKey moves the focus among the findings, and the marks with it.
func (p *Panel) findingKey(key string, name fyne.KeyName) bool {
	step, ok := map[fyne.KeyName]int{fyne.KeyUp: -1, fyne.KeyDown: 1}[name]
	i := p.findingAt(key) + step
	if !ok || i < 0 || i >= len(p.finds.rows) {
		return ok
	}
	row := p.finds.rows[i]
	p.act.Focus(row.stop)
	p.column.RevealWithin(row.stop)
	if p.finds.marked != "" && p.finds.marked != row.of.Key && len(row.of.Where) > 0 {
		p.act.Findings.Choose(p.shown.ids[0], row.of)
	}
	return true
}

func (p *Panel) findingAt(key string) int {
	return slices.IndexFunc(p.finds.rows, func(r findingRow) bool { return r.of.Key == key })
}

// FocusFindings gives the keyboard focus to the first finding.
func (p *Panel) FocusFindings() {
	if len(p.finds.rows) > 0 {
		p.act.Focus(p.finds.rows[0].stop)
		p.column.RevealWithin(p.finds.rows[0].stop)
	}
}

// SetMarked shows which finding's places are marked; "" for none.
func (p *Panel) SetMarked(key string) {
	if p.finds.marked != key {
		p.finds.marked = key
		p.paintMarked()
	}
}

// checkMarked ends marking a finding that the plot no longer has, for example because its check was turned off.
func (p *Panel) checkMarked() {
	is := func(x command.PlotFinding) bool { return x.Key == p.finds.marked }
	if p.finds.marked != "" && len(p.shown.images) == 1 && !slices.ContainsFunc(p.shown.findings, is) {
		p.act.Findings.Drop()
	}
}

func (p *Panel) paintMarked() {
	for _, r := range p.finds.rows {
		if r.of.Key == p.finds.marked {
			r.stop.SetBase(p.k.P.Selected)
		} else {
			r.stop.SetBase(p.k.P.Panel)
		}
	}
}

// focusedFinding returns the place of the finding that has the keyboard focus, or -1.
func (p *Panel) focusedFinding() int {
	if len(p.finds.rows) == 0 {
		return -1
	}
	now := p.act.Focused()
	return slices.IndexFunc(p.finds.rows, func(r findingRow) bool { return now == fyne.Focusable(r.stop) || now == fyne.Focusable(r.judge) })
}

// refocus gives the focus back to a finding after the rows were made anew: to the same one or, if it is now further
// down, to the one in its place.
func (p *Panel) refocus(was []findingRow, at int) {
	if at < 0 || len(p.finds.rows) == 0 {
		return
	}
	i := p.findingAt(was[at].of.Key)
	if i < 0 || p.finds.rows[i].of.Dismissed != was[at].of.Dismissed {
		i = min(at, len(p.finds.rows)-1)
	}
	p.act.Focus(p.finds.rows[i].stop)
}

// redraw makes the rows of a plot anew.
func (p *Panel) redraw() {
	was, at := p.finds.rows, p.focusedFinding()
	p.column.SetRows(p.one(p.shown)...)
	p.refocus(was, at)
}

// An inset is an object with space around it. Its height depends on its width.
type inset struct {
	widget.BaseWidget
	o fyne.CanvasObject
}

const insetX, insetTop, insetBottom float32 = 8, 6, 2

func newInset(o fyne.CanvasObject) *inset {
	i := &inset{o: o}
	i.ExtendBaseWidget(i)
	return i
}

// HeightFor implements kit.Tall.
func (i *inset) HeightFor(w float32) float32 {
	return kit.HeightOf(i.o, w-2*insetX) + insetTop + insetBottom
}

// CreateRenderer implements fyne.Widget.
func (i *inset) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(&fyne.Container{Objects: []fyne.CanvasObject{i.o}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(i.o, insetX, insetTop, s.Width-2*insetX, s.Height-insetTop-insetBottom)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return i.o.MinSize().AddWidthHeight(2*insetX, insetTop+insetBottom)
		},
	}})
}
