package viewer

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

const (
	// edgeZone is how near an edge the pointer has to be for what is hidden there to appear.
	edgeZone float32 = 36
	// edgeLeave is how far the pointer has to be from what has appeared for it to go.
	edgeLeave float32 = 18
	// namedFor is how long the title of a picture is shown, unless Actions has another time.
	namedFor = 2500 * time.Millisecond
	// mostName is the largest width of the title.
	mostName float32 = 460
	nameHigh float32 = 30
)

// An overlays has what appears over a picture that fills the window: the bar while the pointer is
// at the upper edge, the filmstrip while it is at the lower edge or the user wants it, and for a
// moment the title. The picture stays as it is.
type overlays struct {
	v      *View
	bar    bool    // the pointer is at the upper edge
	film   bool    // the pointer is at the lower edge
	pinned bool    // the user wants the filmstrip
	named  bool    // the title is shown
	of     string  // the image whose title was shown last
	corner float32 // width at the upper right that something else covers
	side   float32 // width at the right that something else covers
	timer  *time.Timer

	title *kit.Line
	name  *fyne.Container // title on its ground
}

func newOverlays(v *View) *overlays {
	k := v.k
	o := &overlays{v: v, title: kit.NewLine("", theme.TextBody, k.P.OnDim, fyne.TextStyle{Bold: true}, 40)}
	ground := k.Area(k.P.Dim, 8)
	o.name = &fyne.Container{Objects: []fyne.CanvasObject{ground, o.title}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			kit.Place(o.title, 12, 0, s.Width-24, s.Height)
		},
	}}
	o.name.Hide()
	v.stage.hover = o.pointer
	return o
}

// pointer is called with the position of the pointer over the picture.
func (o *overlays) pointer(at fyne.Position) {
	v := o.v
	if !v.full {
		return
	}
	bar, film := at.Y < edgeZone, at.Y > v.stage.Size().Height-edgeZone
	if o.bar && at.Y < barHeight+edgeLeave {
		bar = true
	}
	if o.film && at.Y > v.stage.Size().Height-stripHeight-edgeLeave {
		film = true
	}
	if bar != o.bar || film != o.film {
		o.bar, o.film = bar, film
		o.show()
	}
}

// reset hides what has appeared.
func (o *overlays) reset() {
	o.bar, o.film, o.pinned, o.named, o.of = false, false, false, false, ""
	if o.timer != nil {
		o.timer.Stop()
	}
}

// strip reports whether the filmstrip is shown.
func (o *overlays) strip() bool { return o.film || o.pinned }

// show shows and hides what lies over the picture, which is not drawn again.
func (o *overlays) show() {
	v := o.v
	if !v.full {
		return
	}
	kit.SetVisible(v.panel, o.bar)
	strip := v.stripped()
	v.film.SetOn(strip)
	if v.strip.Visible() != strip {
		kit.SetVisible(v.strip, strip)
		v.strip.Refresh()
	}
	kit.SetVisible(o.name, o.named && !o.bar)
	v.overview.place()
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		kit.Repaint(c)
	}
}

// tell shows the title of a picture for a moment, if it is another one.
func (o *overlays) tell() {
	v := o.v
	if !v.full || v.blank || v.shown.ImageID == "" {
		return
	}
	text := gallery.Title(v.k, v.shown)
	if i := slices.Index(v.ids, v.entry()); i >= 0 {
		text += fmt.Sprintf("   %d / %d", i+1, len(v.ids))
	}
	o.title.Set(text, nil)
	o.place()
	if o.of == v.shown.ImageID {
		return
	}
	o.of, o.named = v.shown.ImageID, true
	if o.timer != nil {
		o.timer.Stop()
	}
	of := o.of
	o.timer = time.AfterFunc(cmp.Or(v.act.Stay, namedFor), func() {
		v.k.Do(func() {
			if o.of == of && o.named {
				o.named = false
				o.show()
			}
		})
	})
	o.show()
}

// place places the title at the upper left.
func (o *overlays) place() {
	w := min(o.title.PreferredWidth()+26, mostName, o.v.Size().Width-o.corner-o.side-24)
	kit.Place(o.name, 10, 10, max(w, 60), nameHigh)
}

// SetCovered says how much of the right of a picture that fills the window is covered by something
// else: side along its whole height, and corner beside that at the upper edge.
func (v *View) SetCovered(corner, side float32) {
	if o := v.over; o.corner != corner || o.side != side {
		o.corner, o.side = corner, side
		v.Refresh()
	}
}

// ToggleStrip shows or hides the filmstrip over a picture that fills the window.
func (v *View) ToggleStrip() {
	v.over.pinned, v.over.film = !v.over.strip(), false
	v.over.show()
}
