package preferences

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

var (
	_ kit.Tall     = (*settingRow)(nil)
	_ kit.Tall     = (*card)(nil)
	_ kit.Compound = (*settingRow)(nil)
	_ kit.Compound = (*card)(nil)
)

// margin is the space at both sides of a row, and between its texts and its control.
const margin = 14

// A settingRow is a control with its name and, below the name, a hint that takes the lines that it needs.
type settingRow struct {
	widget.BaseWidget
	name    *kit.Line
	hint    *kit.Para // nil if there is none
	control fyne.CanvasObject
}

func newSettingRow(k *kit.Kit, name, hint string, control fyne.CanvasObject) *settingRow {
	r := &settingRow{name: kit.NewLine(name, theme.TextBody, k.P.Text, fyne.TextStyle{}, 60), control: control}
	if hint != "" {
		r.hint = kit.NewPara(hint, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	}
	r.ExtendBaseWidget(r)
	return r
}

// texts returns the width of the name and the hint.
func (r *settingRow) texts(width float32) float32 {
	return width - r.control.MinSize().Width - 3*margin
}

// HeightFor implements [kit.Tall].
func (r *settingRow) HeightFor(width float32) float32 {
	const title, below = 30, 10
	if r.hint == nil {
		return 46
	}
	return max(56, title+r.hint.HeightFor(r.texts(width))+below)
}

// Parts implements [kit.Compound].
func (r *settingRow) Parts() []fyne.CanvasObject {
	if r.hint == nil {
		return []fyne.CanvasObject{r.name, r.control}
	}
	return []fyne.CanvasObject{r.name, r.control, r.hint}
}

// CreateRenderer implements fyne.Widget.
func (r *settingRow) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(&fyne.Container{Objects: r.Parts(), Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			m, w := r.control.MinSize(), r.texts(s.Width)
			kit.Place(r.control, s.Width-margin-m.Width, (s.Height-m.Height)/2, m.Width, m.Height)
			if r.hint == nil {
				kit.Place(r.name, margin, 0, w, s.Height)
				return
			}
			kit.Place(r.name, margin, 9, w, 20)
			kit.Place(r.hint, margin, 30, w, r.hint.HeightFor(w))
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 46) },
	}})
}

// A card puts items on a raised background with lines between them.
type card struct {
	widget.BaseWidget
	ground fyne.CanvasObject
	items  []fyne.CanvasObject
	lines  []fyne.CanvasObject // one above each item but the first
}

func newCard(k *kit.Kit, items ...fyne.CanvasObject) *card {
	ground := kit.Fill(k.P.Raised, 8)
	ground.StrokeColor, ground.StrokeWidth = k.P.Line, 1
	c := &card{ground: ground, items: items}
	for range items[1:] {
		c.lines = append(c.lines, canvas.NewRectangle(k.P.Line))
	}
	c.ExtendBaseWidget(c)
	return c
}

// HeightFor implements [kit.Tall].
func (c *card) HeightFor(width float32) float32 {
	total := float32(0)
	for _, o := range c.items {
		total += kit.HeightOf(o, width)
	}
	return total
}

// Parts implements [kit.Compound].
func (c *card) Parts() []fyne.CanvasObject { return c.items }

// CreateRenderer implements fyne.Widget.
func (c *card) CreateRenderer() fyne.WidgetRenderer {
	objects := append(append([]fyne.CanvasObject{c.ground}, c.items...), c.lines...)
	return widget.NewSimpleRenderer(&fyne.Container{Objects: objects, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(c.ground, 0, 0, s.Width, s.Height)
			y := float32(0)
			for i, o := range c.items {
				if i > 0 {
					kit.Place(c.lines[i-1], margin, y, s.Width-2*margin, 1)
				}
				h := kit.HeightOf(o, s.Width)
				kit.Place(o, 0, y, s.Width, h)
				y += h
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 46) },
	}})
}
