package viewer

import (
	"context"
	"errors"
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/interactive"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// figureWidth is the maximum width of a figure's card.
const figureWidth float32 = 500

// newFigure returns the card for a figure without a picture, or nil for other images.
// The card says what the figure is. If full, it also says why there is no picture and
// how to get one. Below that are the buttons.
func newFigure(k *kit.Kit, im library.Image, full bool, buttons ...fyne.CanvasObject) *fyne.Container {
	kind, ok := gallery.Figure(im)
	if !ok {
		return nil
	}
	f := &figure{
		ground: kit.Fill(k.P.Panel, theme.Radius+4), disc: canvas.NewCircle(k.P.Hover), sign: kit.Icon(kind.Icon, k.P.Accent, 36),
		head: kit.NewPara(k.T("figure.none", kind.Label), theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true}).Align(fyne.TextAlignCenter),
	}
	f.ground.StrokeColor, f.ground.StrokeWidth = k.P.Line, 1
	text := k.T("figure.text")
	if full && kind.Code == "" {
		text += " " + k.T("figure.otherwise")
	}
	f.add(kit.NewPara(text, theme.TextBody, k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter), 6)
	if reason := gallery.NotDrawn(k, im); full && reason != "" {
		f.add(kit.NewPara(reason, theme.TextBody, k.P.Warn, fyne.TextStyle{}).Align(fyne.TextAlignCenter), 10)
	}
	if full && kind.Code != "" {
		f.add(kit.NewPara(k.T("figure.remedy"), theme.TextBody, k.P.Text, fyne.TextStyle{}).Align(fyne.TextAlignCenter), 14)
		f.add(k.Output(kit.Passage{Text: kind.Code, Ink: k.P.Text}), 4)
		needs := ""
		switch {
		case kind.Browser:
			needs = k.T("figure.needs_browser", kind.Package)
		case kind.Package != "":
			needs = k.T("figure.needs", kind.Package)
		}
		if needs != "" {
			f.add(kit.NewPara(needs, theme.TextCaption, k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter), 6)
		}
	}
	if len(buttons) > 0 {
		f.row = kit.NewFlow(8, buttons...)
		for _, b := range buttons {
			f.wide += b.MinSize().Width + 8
		}
		f.add(f.row, 16)
	}
	return &fyne.Container{Objects: f.objects(), Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, s fyne.Size) { f.layout(s) }}}
}

// A figure contains the parts of a card, from top to bottom.
type figure struct {
	ground *canvas.Rectangle
	disc   *canvas.Circle
	sign   *canvas.Image
	head   *kit.Para
	row    fyne.CanvasObject // of buttons, among parts
	wide   float32           // width of row in one line, with a gap after each button
	parts  []fyne.CanvasObject
	gaps   []float32
}

func (f *figure) add(o fyne.CanvasObject, gap float32) {
	f.parts, f.gaps = append(f.parts, o), append(f.gaps, gap)
}

func (f *figure) objects() []fyne.CanvasObject {
	return append([]fyne.CanvasObject{f.ground, f.disc, f.sign, f.head}, f.parts...)
}

// heightFor returns the height of a part at a width.
func heightFor(o fyne.CanvasObject, w float32) float32 {
	if p, ok := o.(kit.Tall); ok {
		return p.HeightFor(w)
	}
	o.Resize(fyne.NewSize(w, o.MinSize().Height))
	return o.MinSize().Height
}

const (
	figurePad  float32 = 24
	figureDisc float32 = 72
)

// layout places the card in the middle. It hides the parts below the heading that do
// not fit; the buttons are hidden last.
func (f *figure) layout(s fyne.Size) {
	card := min(s.Width-16, figureWidth)
	w := card - 2*figurePad
	head := f.head.HeightFor(w)
	disc := figureDisc + 12
	if s.Height < disc+head+2*figurePad+60 {
		disc = 0
	}
	room := s.Height - 16 - 2*figurePad - disc - head
	show := make([]bool, len(f.parts))
	total := disc + head
	take := func(i int) {
		if h := heightFor(f.parts[i], w) + f.gaps[i]; h <= room {
			show[i] = true
			room, total = room-h, total+h
		}
	}
	for i, o := range f.parts {
		if o == f.row {
			take(i)
		}
	}
	for i, o := range f.parts {
		if o != f.row {
			take(i)
		}
	}
	y := (s.Height - total) / 2
	kit.Place(f.ground, (s.Width-card)/2, y-figurePad, card, total+2*figurePad)
	f.disc.Hidden, f.sign.Hidden = disc == 0, disc == 0
	kit.Place(f.disc, (s.Width-figureDisc)/2, y, figureDisc, figureDisc)
	kit.Place(f.sign, (s.Width-36)/2, y+(figureDisc-36)/2, 36, 36)
	y += disc
	x := (s.Width - w) / 2
	kit.Place(f.head, x, y, w, head)
	y += head
	for i, o := range f.parts {
		if !show[i] {
			o.Hide()
			continue
		}
		o.Show()
		h := heightFor(o, w)
		y += f.gaps[i]
		if o == f.row && f.wide-8 <= w { // centered
			kit.Place(o, (s.Width-f.wide+8)/2, y, f.wide, h)
		} else {
			kit.Place(o, x, y, w, h)
		}
		y += h
	}
}

// A figureError is the error for a figure that has no picture.
type figureError struct{ kind picture.Interactive }

func (figureError) Error() string { return "a figure without a picture" }

// A figureThumber returns a figureError for a figure without a picture, which
// distinguishes it from an unreadable image.
type figureThumber struct{ Library }

// Thumb implements gallery.Thumber.
func (t figureThumber) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	m, err := t.Library.Thumb(ctx, id, edge)
	if errors.Is(err, picture.ErrNoRaster) {
		if images, e := t.Get(ctx, id); e == nil && len(images) == 1 {
			if kind, ok := gallery.Figure(images[0]); ok {
				return nil, figureError{kind}
			}
		}
	}
	return m, err
}

// opens reports whether an image has a figure that the browser can open.
func (act *Actions) opens(im library.Image) bool {
	return act.Live != nil && interactive.Has(im)
}

func (v *View) openLive() { v.act.Live(v.shown.ImageID) }

// remedies returns the buttons for a figure that has no picture; nil for other images.
func (act *Actions) remedies(k *kit.Kit, im library.Image) (buttons []fyne.CanvasObject) {
	kind, ok := gallery.Figure(im)
	if !ok {
		return nil
	}
	button := func(icon, key string, do func()) {
		buttons = append(buttons, k.Button(kit.Quiet, icon, k.T(key), "", do))
	}
	if act.opens(im) {
		button("external", "menu.interactive", func() { act.Live(im.ImageID) })
	}
	if kind.Code != "" && act.Copy != nil {
		button("copy", "figure.copy", func() { act.Copy(kind.Code) })
	}
	if act.Save != nil {
		button("save", "figure.save", func() { act.Save([]string{im.ImageID}) })
	}
	if act.Lab != nil {
		if open := act.Lab(im.SessionID); open != nil {
			button("external", "menu.jupyterlab", open)
		}
	}
	return buttons
}
