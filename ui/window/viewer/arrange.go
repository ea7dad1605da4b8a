package viewer

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/kit"
)

// CreateRenderer implements fyne.Widget.
func (v *View) CreateRenderer() fyne.WidgetRenderer {
	return &viewRenderer{v: v}
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
func (v *View) stripped() bool {
	if v.full {
		return v.over.strip()
	}
	return v.filmed
}

type viewRenderer struct{ v *View }

const barHeight float32 = 42

func (r *viewRenderer) Layout(s fyne.Size) {
	top, right := barHeight, s.Width
	if r.v.full {
		top, right = 0, s.Width-r.v.over.side-r.v.over.corner
	}
	r.v.panel.(*fyne.Container).Hidden = r.v.full && !r.v.over.bar
	r.v.strip.Hidden = !r.v.stripped()
	r.v.film.SetOn(r.v.stripped())
	bottom := s.Height
	if r.v.filmed && !r.v.full {
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
	if r.v.full {
		kit.Place(r.v.strip, 0, bottom-stripHeight, s.Width-r.v.over.side, stripHeight)
		r.v.over.place()
	}
	r.v.live.SetBare(right < bareBelow)
	narrow := right < bareBackBelow
	r.v.back.SetBare(narrow)
	r.v.back.SetTip(map[bool]string{true: r.v.k.T("viewer.back")}[narrow])
	kit.Place(r.v.panel, 0, 0, s.Width, barHeight)
	kit.Place(r.v.row, 0, 0, right, barHeight)
	kit.Place(r.v.stage, 0, top, s.Width, bottom-top)
	if r.v.problem != nil {
		kit.Place(r.v.problem, 0, top, s.Width, bottom-top)
	}
}
func (r *viewRenderer) MinSize() fyne.Size { return fyne.NewSize(200, 200) }
func (r *viewRenderer) Objects() []fyne.CanvasObject {
	os := []fyne.CanvasObject{r.v.stage}
	if !r.v.full {
		os = append(os, r.v.panel)
	}
	if r.v.filmed && !r.v.full {
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
	os = append(os, r.v.overview)
	if r.v.full {
		os = append(os, r.v.strip, r.v.over.name, r.v.panel)
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
