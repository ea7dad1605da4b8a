package viewer

import (
	"errors"
	"image"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library/feed"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The dimensions of the filmstrip, in Fyne units.
const (
	stripHeight float32 = 84
	frameW      float32 = 88
	frameH      float32 = 64
	frameGap    float32 = 6
)

var (
	_ fyne.Widget     = (*strip)(nil)
	_ fyne.Scrollable = (*strip)(nil)
)

// A strip is the filmstrip: thumbnails of the images before and after the one that is
// shown, which is in the middle if possible.
type strip struct {
	widget.BaseWidget
	k      *kit.Kit
	thumbs *gallery.Thumbs
	open   func(id string)
	wheel  func(up bool)

	ids    []string
	at     int               // index in ids; -1 if the image is not among them
	stills map[string]*still // visible ones, by image id
	row    []*still          // the same, from left to right
	pool   []*still          // for reuse

	changes  *feed.Feed
	revision uint64
	stamps   map[string]string // revisions after which files and figures have looked different, by image id
}

// looks is the changes of an image after which a file or a figure may look different.
const looks = feed.Added | feed.Picture | feed.Detail

func newStrip(k *kit.Kit, lib Library, open func(id string), wheel func(up bool)) *strip {
	s := &strip{
		k: k, open: open, wheel: wheel, at: -1, stills: make(map[string]*still), changes: lib.Changes(),
		stamps: make(map[string]string),
	}
	s.thumbs = gallery.NewThumbs(figureThumber{lib}, k.Do, s.ready)
	s.ExtendBaseWidget(s)
	return s
}

// show highlights an image of ids. revision is the library's.
func (s *strip) show(id string, ids []string, revision uint64) {
	if s.k.Pressed(s, func() { s.show(id, ids, revision) }) {
		return
	}
	if i := slices.Index(ids, id); i != s.at || revision != s.revision || !slices.Equal(ids, s.ids) {
		if what := s.changes.Summary(s.revision, revision); what.What&looks != 0 {
			for _, id := range ids {
				if what.Of(id)&looks != 0 {
					s.stamps[id] = strconv.FormatUint(revision, 10)
				}
			}
		}
		s.ids, s.at, s.revision = ids, i, revision
		s.arrange()
		s.Refresh()
	}
}

// arrange places the stills around the highlighted image. An image that stays visible
// keeps its still, so a step changes only one of them.
func (s *strip) arrange() {
	first, last := s.sight()
	old := s.stills
	s.stills, s.row = make(map[string]*still, last-first), s.row[:0:0]
	for _, id := range s.ids[first:last] {
		if f := old[id]; f != nil {
			s.stills[id] = f
			delete(old, id)
		}
	}
	for _, f := range old {
		s.pool = append(s.pool, f)
	}
	x := (s.Size().Width - float32(last-first)*(frameW+frameGap) + frameGap) / 2
	for i := first; i < last; i++ {
		f := s.stills[s.ids[i]]
		if f == nil {
			f = s.pooled()
			s.stills[s.ids[i]] = f
		}
		f.set(s.ids[i], i == s.at)
		s.row = append(s.row, f)
		kit.Place(f, x, (stripHeight-frameH)/2, frameW, frameH)
		x += frameW + frameGap
	}
}

// sight returns the range of ids that fits.
func (s *strip) sight() (first, last int) {
	w := s.Size().Width
	if w <= 0 || s.at < 0 || !s.Visible() {
		return 0, 0
	}
	n := max(int((w-2*frameGap+frameGap)/(frameW+frameGap)), 1)
	first = max(min(s.at-n/2, len(s.ids)-n), 0)
	return first, min(first+n, len(s.ids))
}

func (s *strip) pooled() *still {
	if n := len(s.pool); n > 0 {
		f := s.pool[n-1]
		s.pool = s.pool[:n-1]
		return f
	}
	return newStill(s)
}

// box returns the size of a still's picture in screen pixels.
func (s *strip) box() (w, h int) {
	scale := kit.Scale(s)
	return int((frameW - 10) * scale), int((frameH - 10) * scale)
}

func (s *strip) ready(w gallery.ThumbRequest, m image.Image, err error) {
	f := s.stills[w.ID]
	if f == nil || f.request != w {
		return // no longer visible, or another size or version is wanted now
	}
	f.failed = err != nil
	if figure, ok := errors.AsType[figureError](err); ok {
		f.sign.ShowIcon(theme.Icon(figure.kind.Icon, s.k.P.Accent))
		f.figure = true
	} else if err == nil && f.figure { // the figure has a picture now
		f.figure = false
		f.sign.Show(nil)
	}
	f.picture.Show(m)
	f.paint()
}

// settled reports whether all visible thumbnails are loaded or have failed. It is for
// tests.
func (s *strip) settled() bool {
	return !slices.ContainsFunc(s.row, func(f *still) bool { return f.picture.Pixels() == nil && !f.failed })
}

// Scrolled implements fyne.Scrollable.
func (s *strip) Scrolled(e *fyne.ScrollEvent) {
	if d := e.Scrolled.DY + e.Scrolled.DX; d != 0 {
		s.wheel(d > 0)
	}
}

// CreateRenderer implements fyne.Widget.
func (s *strip) CreateRenderer() fyne.WidgetRenderer {
	return &stripRenderer{s, s.k.Area(s.k.P.Panel, 0), canvas.NewRectangle(s.k.P.Line)}
}

type stripRenderer struct {
	s      *strip
	ground *kit.Area
	line   *canvas.Rectangle
}

func (r *stripRenderer) Layout(size fyne.Size) {
	kit.Place(r.ground, 0, 0, size.Width, size.Height)
	kit.Place(r.line, 0, 0, size.Width, 1)
	r.s.arrange()
}
func (r *stripRenderer) MinSize() fyne.Size { return fyne.NewSize(frameW, stripHeight) }
func (r *stripRenderer) Objects() []fyne.CanvasObject {
	os := []fyne.CanvasObject{r.ground, r.line}
	for _, f := range r.s.row {
		os = append(os, f)
	}
	return os
}
func (r *stripRenderer) Destroy() {}
func (r *stripRenderer) Refresh() {
	r.Layout(r.s.Size())
	canvas.Refresh(r.s)
}

var (
	_ fyne.Tappable      = (*still)(nil)
	_ desktop.Hoverable  = (*still)(nil)
	_ desktop.Cursorable = (*still)(nil)
)

// A still is one thumbnail of the strip. It is reused for other images.
type still struct {
	widget.BaseWidget
	s       *strip
	id      string
	request gallery.ThumbRequest // what picture shows, or will show once it is read
	now     bool
	hovered bool
	failed  bool // reading failed
	figure  bool // a figure without a picture, which the sign represents
	matte   *kit.Area
	picture *kit.Picture
	sign    *kit.Picture
	ring    *canvas.Rectangle
}

func newStill(s *strip) *still {
	f := &still{
		s: s, matte: s.k.Area(s.k.P.Matte, 5), ring: kit.Outline(s.k.P.Accent, 3, 6),
		picture: kit.NewPicture(), sign: kit.NewPicture(),
	}
	f.ExtendBaseWidget(f)
	return f
}

func (f *still) set(id string, now bool) {
	w, h := f.s.box()
	request := gallery.ThumbRequest{ID: id, W: w, H: h}
	if gallery.Mutable(id) || f.id == id && f.figure { // which may have a picture now
		request.Stamp = f.s.stamps[id]
	}
	if f.id != id {
		f.id, f.request, f.hovered, f.failed, f.figure = id, gallery.ThumbRequest{}, false, false, false
		f.picture.Show(nil)
		f.sign.Show(nil)
	}
	if f.now = now; f.request != request || f.picture.Pixels() == nil && !f.failed {
		f.request = request
		if m := f.s.thumbs.Get(request); m != nil {
			f.picture.Show(m)
		}
	}
	f.paint()
}

func (f *still) paint() {
	p := f.s.k.P
	matte := p.Matte
	if f.figure {
		matte = p.Code
	}
	f.matte.Paint(matte, p.Line, 1)
	f.ring.Hidden = !f.now && !f.hovered
	f.ring.StrokeColor, f.ring.StrokeWidth = p.Accent, 3
	if !f.now {
		f.ring.StrokeColor, f.ring.StrokeWidth = p.Muted, 1.5
	}
	f.Refresh()
}

// MouseDown implements desktop.Mouseable.
func (f *still) MouseDown(e *desktop.MouseEvent) { f.s.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (f *still) MouseUp(*desktop.MouseEvent) { f.s.k.Release() }

// Tapped implements fyne.Tappable.
func (f *still) Tapped(*fyne.PointEvent) { f.s.open(f.id) }

// MouseIn implements desktop.Hoverable.
func (f *still) MouseIn(e *desktop.MouseEvent) { f.s.k.PointerAt(e); f.hovered = true; f.paint() }

// MouseMoved implements desktop.Hoverable.
func (f *still) MouseMoved(e *desktop.MouseEvent) { f.s.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (f *still) MouseOut() { f.hovered = false; f.paint() }

// Cursor implements desktop.Cursorable.
func (f *still) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (f *still) CreateRenderer() fyne.WidgetRenderer { return &stillRenderer{f} }

type stillRenderer struct{ f *still }

func (r *stillRenderer) Layout(s fyne.Size) {
	kit.Place(r.f.matte, 2, 2, s.Width-4, s.Height-4)
	kit.Place(r.f.picture.Object(), 5, 5, s.Width-10, s.Height-10)
	kit.Place(r.f.sign.Object(), (s.Width-28)/2, (s.Height-28)/2, 28, 28)
	kit.Place(r.f.ring, 0, 0, s.Width, s.Height)
}
func (r *stillRenderer) MinSize() fyne.Size { return fyne.NewSize(frameW, frameH) }
func (r *stillRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.f.matte, r.f.picture.Object(), r.f.sign.Object(), r.f.ring}
}
func (r *stillRenderer) Destroy() {}
func (r *stillRenderer) Refresh() {
	r.Layout(r.f.Size())
	canvas.Refresh(r.f)
}
