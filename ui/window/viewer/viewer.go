// Package viewer shows one image large: fitted to the viewport, at 100 %, or at any
// zoom. It steps through the images of a list and through the versions of a figure. It
// also compares images, and shows one in a second window.
//
// # Goroutines
//
// A View and a Screen belong to the UI goroutine. Each has a loader with one goroutine,
// which runs until Close and passes its results to the Dispatcher. A View also has the
// goroutines of its filmstrip's [gallery.Thumbs]. See [Compare] for its goroutines.
package viewer

import (
	"fmt"
	"image"
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// Actions are called when the user does something in the viewer. They are called on the
// UI goroutine and must not block.
type Actions struct {
	Close      func()
	Go         func(direction string) // next, previous, first, last
	Rate       func(ids []string, rating int)
	Menu       func(id string, at fyne.Position)
	Fullscreen func()
	Focus      func()                 // lets the picture fill the window, or ends that; may be nil
	Stay       time.Duration          // how long the title stays over a picture that fills the window; 0 means the default
	Open       func(id string)        // shows another image, chosen in the filmstrip
	Strip      func()                 // shows or hides the filmstrip
	Former     func(im library.Image) // compares an image with the version before it
	Present    func()                 // shows or closes the presentation window
	Newer      func(id string) string // returns the newest version of an image's figure if it is recent, else id; may be nil
	// Redraw has a picture drawn anew. done gets nil and the redraw.Reason if that is impossible.
	// It may be nil.
	Redraw func(im library.Image, d Drawing, done func(m *image.RGBA, why string)) (cancel func())
	// Idle reports whether an image may be drawn anew now. If not, the viewer asks again when it
	// is opened again. It may be nil.
	Idle    func(im library.Image) bool
	Export  func(id string) // saves it in another size or format
	Version func()          // Older has changed; may be nil
	// ShowCell shows the cell of a notebook that drew a picture in JupyterLab; may be nil.
	ShowCell func(id string)
	Live     func(id string) // opens an interactive figure in the browser; may be nil
	Region   RegionActions
	Findings func()            // shows what was found in the picture; may be nil
	Unmark   func()            // is called when the user wants no marks any more; may be nil
	Say      func(text string) // shows a message over the picture, for a few seconds; may be nil

	// For figures without a picture. Each may be nil.
	Copy func(line string)      // copies code that produces a picture
	Save func(ids []string)     // saves the figures' data
	Lab  func(id string) func() // returns a function that opens a session in JupyterLab, or nil
}

var _ fyne.Widget = (*View)(nil)

// A View is the viewer.
type View struct {
	widget.BaseWidget
	zoom
	bar
	coordinates
	k    *kit.Kit
	act  Actions
	load *loader

	id     string
	ids    []string
	listed []string // what the filmstrip shows: ids, or the last ids that contained id
	strip  *strip

	problem fyne.CanvasObject // shown in place of the picture; may be nil
	card    *fyne.Container   // problem, if it is the card of a figure; else nil
	filmed  bool              // the filmstrip is shown under a picture that does not fill the window
	shown   library.Image
	last    loadedImage // shown and its pixels, as loaded
	waiting bool        // the image asked for is not shown yet
	blank   bool        // it took longer than holdBack, so nothing is shown meanwhile
	small   bool        // only a preview is shown
	late    *time.Timer

	still    *image.RGBA // the pixels of shown; the stage may show a later frame
	movie    *movie
	rested   bool // Rest was called after the last Open
	versions *player
	sharp    *sharpener
	layout   *layouter
	region   *regioner
	marked   string           // the image that has marks; "" for none
	marks    []command.Region // in its pixels
	notes    *noter
	over     *overlays
	overview *overview

	revision uint64 // of the library
}

// New returns a viewer. The caller must call Close.
func New(k *kit.Kit, lib Library, act Actions) *View {
	v := &View{k: k, act: act, zoom: zoom{stage: newStage(k)}, coordinates: coordinates{k: k}}
	v.sharp, v.layout = &sharpener{v: v}, newLayouter(v)
	v.load = newLoader(lib, k.Do, v.show)
	v.stage.changed = v.zoomed
	v.stage.wheel = func(up bool) {
		if up {
			act.Go("previous")
		} else {
			act.Go("next")
		}
	}
	v.strip = newStrip(k, lib, func(id string) { act.Open(id) }, v.stage.wheel)
	v.strip.Hide()
	v.stage.secondary = func(at fyne.Position) { act.Menu(v.seen(), at) }
	v.notes = newNoter(v)
	v.region = newRegioner(v)
	v.overview = newOverview(v)
	v.over = newOverlays(v)
	v.region.tool = k.Button(kit.Ghost, "region", "", k.T("viewer.region"), v.SelectRegion)
	v.bar = newBar(k, act, &v.zoom, barPort{
		seen: v.seen, shown: v.Image, openLive: v.openLive, layout: v.layout.tool, region: v.region.tool,
	})
	v.movie = newMovie(k, v.stage, v.Refresh)
	v.versions = newPlayer(v)
	v.ExtendBaseWidget(v)
	return v
}

// Widths below which buttons show only their icons: the one that opens a figure, and the one that leads back.
const (
	bareBelow     float32 = 760
	bareBackBelow float32 = 400
)

// leastTitle is the width of the title below which buttons are hidden.
const leastTitle float32 = 130

// Close stops the goroutines of the viewer and waits for them.
func (v *View) Close() {
	if v.late != nil {
		v.late.Stop()
	}
	v.over.reset()
	v.act.Redraw = nil // nothing is drawn anew from now on
	v.sharp.stop()
	v.layout.close()
	v.versions.stop()
	v.movie.close()
	v.load.close()
	v.strip.thumbs.Close()
}

// Drop releases the decoded images, for example when the window is hidden.
func (v *View) Drop() {
	v.sharp.stop()
	v.layout.rest()
	v.layout.kept = nil
	v.versions.stop()
	v.movie.rest()
	v.load.forget("")
	v.strip.thumbs.Drop()
}

// SetStrip shows or hides the filmstrip.
func (v *View) SetStrip(on bool) {
	if v.filmed != on {
		v.filmed = on
		v.Refresh()
	}
}

// SetFullscreen says whether the picture fills the window. Everything else then appears over it.
func (v *View) SetFullscreen(on bool) {
	if v.full != on {
		v.full = on
		v.focus.SetOn(on)
		v.over.reset()
		v.stage.edge = margin
		if on {
			v.stage.edge = 0
		}
		v.enlarges()
		v.Refresh()
		v.over.tell()
		v.layout.tell()
	}
}

// Settled reports whether the image asked for is shown, with its newest versions. It is
// for tests.
func (v *View) Settled() bool {
	if v.last.as != v.load.state() { // it is shown as it was before, and is being read again
		return false
	}
	if !v.movie.settled() || v.layout.pending() {
		return false
	}
	return v.shown.ImageID == v.wanted() && !v.blank && !v.small && (v.stage.pixels != nil || v.problem != nil) &&
		(!v.stripped() || v.strip.settled())
}

func (v *View) zoomed() {
	v.layout.change()
	v.sharp.change()
	v.region.place()
	v.notes.place()
	v.overview.place()
	v.percent.SetText(fmt.Sprintf("%d %%", int(math.Round(v.stage.current()*100))))
}

// Image returns the image that is shown.
func (v *View) Image() library.Image { return v.shown }

// Key handles a key. It reports whether the viewer uses the key.
func (v *View) Key(name fyne.KeyName) bool {
	const step = 60
	//exhaustive:ignore
	switch name {
	case fyne.KeyRight, fyne.KeyPageDown:
		v.act.Go("next")
	case fyne.KeyLeft, fyne.KeyPageUp:
		v.act.Go("previous")
	case fyne.KeyHome:
		v.act.Go("first")
	case fyne.KeyEnd:
		v.act.Go("last")
	case fyne.KeyUp:
		v.stage.pan(0, step)
	case fyne.KeyDown:
		v.stage.pan(0, -step)
	case fyne.KeySpace:
		v.Toggle()
	case fyne.KeyReturn, fyne.KeyEnter:
		if !v.blank && v.act.opens(v.shown) {
			v.openLive()
		} else {
			v.act.Close()
		}
	case fyne.KeyEscape:
		if !v.Cancel() {
			v.act.Close()
		}
	default:
		return false
	}
	return true
}

// Cancel ends what the user does in the picture: it drops a region or marks. It reports false if
// there is nothing to end.
func (v *View) Cancel() bool { return v.region.leaves() || v.unmark() || v.region.cancel() }
