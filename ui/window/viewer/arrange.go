package viewer

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/kit"
)

// CreateRenderer implements fyne.Widget.
func (v *View) CreateRenderer() fyne.WidgetRenderer {
	return &viewRenderer{v: v, bar: v.k.Panel(v.k.P.Panel, "b", v.bar)}
}

// Foot returns the height of the filmstrip and the rows of frames and versions and the caption
// below the picture.
func (v *View) Foot() (height float32) {
	if v.stripped() {
		height += stripHeight
	}
	if v.layout.shows() {
		height += captionHeight
	}
	if v.played() {
		height += trackHeight
	}
	if v.moves() {
		height += trackHeight
	}
	return height
}

// stripped reports whether the filmstrip is displayed.
func (v *View) stripped() bool { return v.strip.Visible() && !v.full }

type viewRenderer struct {
	v   *View
	bar fyne.CanvasObject
}

const barHeight float32 = 42

func (r *viewRenderer) Layout(s fyne.Size) {
	top := barHeight
	if r.v.full {
		top = 0
	}
	r.bar.(*fyne.Container).Hidden = r.v.full
	bottom := s.Height
	if r.v.stripped() {
		bottom -= stripHeight
		kit.Place(r.v.strip, 0, bottom, s.Width, stripHeight)
	}
	if r.v.played() {
		bottom -= trackHeight
		kit.Place(r.v.versions.row, 0, bottom, s.Width, trackHeight)
	}
	if r.v.moves() {
		bottom -= trackHeight
		kit.Place(r.v.movie.row, 0, bottom, s.Width, trackHeight)
	}
	if r.v.layout.shows() {
		bottom -= captionHeight
		kit.Place(r.v.layout.row, 0, bottom, s.Width, captionHeight)
	}
	r.v.live.SetBare(s.Width < bareBelow)
	narrow := s.Width < bareBackBelow
	r.v.back.SetBare(narrow)
	r.v.back.SetTip(map[bool]string{true: r.v.k.T("viewer.back")}[narrow])
	kit.Place(r.bar, 0, 0, s.Width, barHeight)
	kit.Place(r.v.stage, 0, top, s.Width, bottom-top)
	if r.v.problem != nil {
		kit.Place(r.v.problem, 0, top, s.Width, bottom-top)
	}
}
func (r *viewRenderer) MinSize() fyne.Size { return fyne.NewSize(200, 200) }
func (r *viewRenderer) Objects() []fyne.CanvasObject {
	os := []fyne.CanvasObject{r.v.stage, r.bar}
	if r.v.stripped() {
		os = append(os, r.v.strip)
	}
	if r.v.played() {
		os = append(os, r.v.versions.row)
	}
	if r.v.moves() {
		os = append(os, r.v.movie.row)
	}
	if r.v.layout.shows() {
		os = append(os, r.v.layout.row)
	}
	if r.v.problem != nil {
		os = append(os, r.v.problem)
	}
	return os
}
func (r *viewRenderer) Destroy() {}
func (r *viewRenderer) Refresh() {
	r.Layout(r.v.Size())
	canvas.Refresh(r.v)
	if r.v.problem != nil {
		r.v.problem.Refresh()
	}
}
