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
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
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
	k    *kit.Kit
	act  Actions
	load *loader

	id     string
	ids    []string
	listed []string // what the filmstrip shows: ids, or the last ids that contained id
	strip  *strip

	title   *kit.Line
	count   *kit.Line
	stars   *kit.Stars
	percent *kit.Button
	film    *kit.Button
	former  *kit.Button
	cell    *kit.Button       // shows the cell of a notebook that drew the picture; hidden if none is known
	back    *kit.Button       // leads to the gallery
	live    *kit.Button       // opens the figure in the browser; hidden for a picture
	problem fyne.CanvasObject // shown in place of the picture; may be nil
	card    *fyne.Container   // problem, if it is the card of a figure; else nil
	bar     fyne.CanvasObject
	panel   fyne.CanvasObject // bar on its ground
	focus   *kit.Button       // lets the picture fill the window
	filmed  bool              // the filmstrip is shown under a picture that does not fill the window
	shown   library.Image
	last    loadedImage // shown and its pixels, as loaded
	waiting bool        // the image asked for is not shown yet
	blank   bool        // it took longer than holdBack, so nothing is shown meanwhile
	small   bool        // only a preview is shown
	late    *time.Timer
	full    bool // the picture fills the window

	still    *image.RGBA // the pixels of shown; the stage may show a later frame
	movie    *movie
	rested   bool // Rest was called after the last Open
	versions *player
	sharp    *sharpener
	layout   *layouter
	region   *regioner
	marked   string           // the image that has marks; "" for none
	marks    []command.Region // in its pixels
	habits   Habits
	notes    *noter
	over     *overlays
	overview *overview
	found    *kit.Button // the number of the picture's findings; hidden if there are none

	revision uint64 // of the library
}

// New returns a viewer. The caller must call Close.
func New(k *kit.Kit, lib Library, act Actions) *View {
	v := &View{k: k, act: act, zoom: zoom{stage: newStage(k)}}
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
	v.makeBar()
	v.movie = newMovie(k, v.stage, v.Refresh)
	v.versions = newPlayer(v)
	v.ExtendBaseWidget(v)
	return v
}

func (v *View) makeBar() {
	k := v.k
	v.title = kit.NewLine("", theme.TextBody, k.P.Text, fyne.TextStyle{Bold: true}, 40)
	v.count = kit.NewLine("", theme.TextBody-1, k.P.Muted, fyne.TextStyle{}, 62)
	v.stars = k.Stars(15, func(n int) { v.act.Rate([]string{v.seen()}, n) })
	v.percent = k.Button(kit.Ghost, "", "100 %", k.T("viewer.actual"), v.Actual)
	v.locked = k.Button(kit.Ghost, "lock", "", k.T("viewer.lock"), v.ToggleLock)
	v.film = k.Button(kit.Ghost, "strip", "", k.T("viewer.strip"), v.act.Strip)
	v.former = k.Button(kit.Ghost, "versions", "", k.T("viewer.former"), func() { v.act.Former(v.shown) })
	v.former.Hide()
	v.live = k.Button(kit.Ghost, "external", k.T("menu.interactive"), k.T("viewer.interactive"), v.openLive)
	v.live.Hide()
	v.cell = k.Button(kit.Ghost, "code", "", k.T("menu.show_cell"), func() { v.act.ShowCell(v.seen()) })
	v.cell.Hide()
	v.found = k.Button(kit.Ghost, "finding", "", "", func() { v.act.Findings() })
	v.found.Hide()
	smaller := k.Button(kit.Ghost, "zoom-out", "", k.T("viewer.smaller"), v.Smaller)
	larger := k.Button(kit.Ghost, "zoom-in", "", k.T("viewer.larger"), v.Larger)
	export := k.Button(kit.Ghost, "save", "", k.T("viewer.export"), func() { v.act.Export(v.seen()) })
	v.region.tool = k.Button(kit.Ghost, "region", "", k.T("viewer.region"), v.SelectRegion)
	present := k.Button(kit.Ghost, "present", "", k.T("present.tip"), v.act.Present)
	fit := k.Button(kit.Ghost, "fit", "", k.T("viewer.fit"), v.Fit)
	v.focus = k.Button(kit.Ghost, "focus", "", k.T("viewer.focus"), func() { v.act.Focus() })
	v.back = k.Button(kit.Ghost, "chevron-left", k.T("viewer.back"), "", v.act.Close)
	fullscreen := k.Button(kit.Ghost, "fullscreen", "", k.T("viewer.fullscreen"), v.act.Fullscreen)
	former, cell, live := kit.Optional(v.former), kit.Optional(v.cell), kit.Optional(v.live)
	v.bar, _ = k.Fold(kit.Row{Pad: 8, Gap: 3, Stretch: 3}, leastTitle,
		[]fyne.CanvasObject{
			smaller, larger, v.locked, present, v.stars, export, v.layout.tool, v.region.tool, v.film, v.count, v.percent, fit,
			former, cell, live, fullscreen,
		},
		v.back,
		k.Button(kit.Ghost, "chevron-left", "", k.T("viewer.previous"), func() { v.act.Go("previous") }),
		k.Button(kit.Ghost, "chevron-right", "", k.T("viewer.next"), func() { v.act.Go("next") }),
		v.title, v.found, cell, live, former, v.count, v.stars, kit.Box(canvas.NewRectangle(k.P.Panel), fyne.NewSize(8, 1)),
		smaller, v.percent, larger,
		fit, v.layout.tool,
		v.locked, v.region.tool, v.film, export, present, v.focus,
		fullscreen,
	)
	v.panel = k.Panel(k.P.Panel, "b", v.bar)
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

// remedies returns the buttons for a figure that has no picture; nil for other images.
func (v *View) remedies(im library.Image) (buttons []fyne.CanvasObject) {
	kind, ok := gallery.Figure(im)
	if !ok {
		return nil
	}
	button := func(icon, key string, do func()) {
		buttons = append(buttons, v.k.Button(kit.Quiet, icon, v.k.T(key), "", do))
	}
	if v.opens(im) {
		button("external", "menu.interactive", v.openLive)
	}
	if kind.Code != "" && v.act.Copy != nil {
		button("copy", "figure.copy", func() { v.act.Copy(kind.Code) })
	}
	if v.act.Save != nil {
		button("save", "figure.save", func() { v.act.Save([]string{im.ImageID}) })
	}
	if v.act.Lab != nil {
		if open := v.act.Lab(im.SessionID); open != nil {
			button("external", "menu.jupyterlab", open)
		}
	}
	return buttons
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
		if v.opens(v.shown) {
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
