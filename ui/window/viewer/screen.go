package viewer

import (
	"image"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

var _ fyne.Widget = (*Screen)(nil)

// A Screen shows one picture large, with a line of text below it, for a second display
// or for screen sharing. It has no controls.
type Screen struct {
	widget.BaseWidget
	k     *kit.Kit
	load  *loader
	stage *stage

	id       string
	revision uint64
	im       library.Image
	last     loadedImage // im and its pixels, as loaded
	title    *kit.Line
	detail   *kit.Line
	line     fyne.CanvasObject
	row      *fyne.Container // the texts of line
	empty    fyne.CanvasObject
	bare     bool            // without the line
	card     *fyne.Container // of a figure without a picture; else nil
	still    *image.RGBA     // the pixels of im
	movie    *movie

	slides bool     // it belongs to a slide show
	about  string   // where in the show it is
	ahead  []string // images to decode after id
}

// NewScreen returns a screen that shows a placeholder until Present is called. The
// caller must call Close.
func NewScreen(k *kit.Kit, lib Library) *Screen {
	s := &Screen{k: k, stage: newStage(k)}
	s.stage.enlarge = math.Inf(1)
	s.load = newLoader(lib, k.Do, s.show)
	s.movie = newMovie(k, s.stage, func() {})
	s.title = kit.NewLine("", theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true}, 60)
	s.detail = kit.NewLine("", theme.TextBody, k.P.Muted, fyne.TextStyle{}, 60)
	s.detail.Align(fyne.TextAlignTrailing)
	row := &fyne.Container{Objects: []fyne.CanvasObject{s.title, s.detail}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			w := min(s.detail.PreferredWidth()+4, size.Width*0.45)
			kit.Place(s.title, 16, 0, size.Width-w-48, size.Height)
			kit.Place(s.detail, size.Width-w-16, 0, w, size.Height)
		},
	}}
	s.line, s.row = k.Panel(k.P.Panel, "t", row), row
	s.empty = k.Empty("plot", k.T("present.empty"), k.T("present.empty_text"))
	s.ExtendBaseWidget(s)
	return s
}

// Present shows an image, or the placeholder if id is empty. revision is the library's.
func (s *Screen) Present(id string, revision uint64) {
	if s.id == id && s.revision == revision {
		return
	}
	if s.id != id {
		s.card = nil
		s.movie.take(loadedImage{})
	}
	s.load.renew(s.load.lib.Changes().Summary(s.revision, revision))
	s.id, s.revision = id, revision
	if id == "" {
		s.last = loadedImage{}
		s.stage.set(nil, false)
		s.Refresh()
		return
	}
	if k, ok := s.load.load(id, s.ahead); ok {
		s.show(k)
	}
}

func (s *Screen) show(k loadedImage) {
	if k.im.ImageID != s.id || k.older(s.last) {
		return
	}
	s.im, s.last = k.im, k
	s.tell()
	s.card = nil
	if k.err == nil {
		s.card = newFigure(s.k, k.im, false)
	}
	switch {
	case k.preview:
		s.stage.preview(k.pixels, image.Pt(k.im.Width, k.im.Height), false)
	case k.pixels == nil || k.pixels != s.still:
		s.stage.set(k.pixels, false)
		s.movie.take(k)
	}
	s.still = k.pixels
	s.Refresh()
}

// tell sets the texts of the line.
func (s *Screen) tell() {
	title, detail := gallery.Title(s.k, s.im), gallery.Detail(s.k, s.im)
	if s.slides {
		detail = s.about
		if note := strings.Join(strings.Fields(s.im.Note), " "); note != "" {
			title += "  –  " + note
		}
	}
	if s.last.err != nil {
		detail = s.k.T("viewer.unreadable")
	}
	s.title.Set(title, nil)
	s.detail.Set(detail, nil)
}

// Shown returns the id of the image that was shown last; empty if there was none.
func (s *Screen) Shown() string { return s.im.ImageID }

// SetBare hides or shows the line of text.
func (s *Screen) SetBare(bare bool) {
	if s.bare != bare {
		s.bare = bare
		s.Refresh()
	}
}

// Close stops the loader and the animation, and waits for them.
func (s *Screen) Close() {
	s.movie.close()
	s.load.close()
}

// CreateRenderer implements fyne.Widget.
func (s *Screen) CreateRenderer() fyne.WidgetRenderer {
	return &screenRenderer{s, s.k.Area(s.k.P.Window, 0)}
}

type screenRenderer struct {
	s      *Screen
	ground *kit.Area
}

const lineHeight float32 = 40

func (r *screenRenderer) Layout(size fyne.Size) {
	s := r.s
	high := size.Height
	if !s.bare {
		high -= lineHeight
	}
	kit.Place(r.ground, 0, 0, size.Width, size.Height)
	kit.Place(s.stage, 0, 0, size.Width, high)
	kit.Place(s.empty, 0, 0, size.Width, high)
	if s.card != nil {
		kit.Place(s.card, 0, 0, size.Width, high)
	}
	kit.Place(s.line, 0, high, size.Width, lineHeight)
	s.row.Layout.Layout(nil, s.row.Size()) // the texts have changed
}
func (r *screenRenderer) MinSize() fyne.Size { return fyne.NewSize(240, 180) }
func (r *screenRenderer) Objects() []fyne.CanvasObject {
	s := r.s
	if s.id == "" {
		return []fyne.CanvasObject{r.ground, s.empty}
	}
	os := []fyne.CanvasObject{r.ground, s.stage}
	if s.card != nil {
		os = append(os, s.card)
	}
	if !s.bare {
		os = append(os, s.line)
	}
	return os
}
func (r *screenRenderer) Destroy() {}
func (r *screenRenderer) Refresh() {
	r.Layout(r.s.Size())
	canvas.Refresh(r.s)
}
