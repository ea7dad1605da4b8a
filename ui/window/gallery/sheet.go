package gallery

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// CreateRenderer implements fyne.Widget.
func (g *Grid) CreateRenderer() fyne.WidgetRenderer { return &gridRenderer{g} }

type gridRenderer struct{ g *Grid }

func (r *gridRenderer) Layout(s fyne.Size) {
	at, within := r.g.top()
	if r.g.atEnd {
		at = ""
	}
	r.g.scrub.resizing = true // what moves then, the user has not moved
	defer func() { r.g.scrub.resizing = false }()
	r.g.scroll.Resize(s)
	r.g.flow.width = s.Width
	r.g.flow.reflow()
	r.g.fit()
	if i, ok := r.g.list.index[at]; ok { // keep the same images in view if the columns change
		r.g.scroll.Offset.Y = r.g.flow.rowTop(r.g.flow.row(i)) + within
	}
	r.g.scroll.Refresh()
	r.g.arrange()
}
func (r *gridRenderer) MinSize() fyne.Size { return fyne.NewSize(120, 120) }
func (r *gridRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.g.scroll, r.g.scrub.root}
}
func (r *gridRenderer) Destroy() {}
func (r *gridRenderer) Refresh() { canvas.Refresh(r.g.scroll) }

var _ desktop.Mouseable = (*sheet)(nil)

// A sheet is the content that is scrolled. It is as high as all images, but contains
// only the visible cells.
type sheet struct {
	widget.BaseWidget
	g       *Grid
	objects []fyne.CanvasObject
}

// MouseDown implements desktop.Mouseable. A click outside the cells clears the
// selection; a drag from there draws a band.
func (s *sheet) MouseDown(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonPrimary {
		newBand(s.g, e).begin(e)
	}
}

// MouseUp implements desktop.Mouseable.
func (s *sheet) MouseUp(e *desktop.MouseEvent) { s.g.released(e) }

// CreateRenderer implements fyne.Widget.
func (s *sheet) CreateRenderer() fyne.WidgetRenderer { return &sheetRenderer{s} }

type sheetRenderer struct{ s *sheet }

func (r *sheetRenderer) Layout(fyne.Size)             {}
func (r *sheetRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.s.g.flow.height()) }
func (r *sheetRenderer) Objects() []fyne.CanvasObject { return r.s.objects }
func (r *sheetRenderer) Destroy()                     {}
func (r *sheetRenderer) Refresh()                     { canvas.Refresh(r.s) }
