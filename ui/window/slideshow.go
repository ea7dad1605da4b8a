package window

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/viewer"
)

// A slideshow shows the plots of the gallery one after the other, in a full-screen
// window of its own, in the gallery's order. Plots that appear meanwhile come last. An
// animation is played to its end.
type slideshow struct {
	port slidePort
	win  fyne.Window // nil while it is closed
	k    *kit.Kit    // the screen's kit

	screen  *viewer.Screen
	ids     []string
	id      string // of the image that is shown
	paused  bool
	caption bool
	stop    func() // stops the timer for the next image; never nil while it is open
	release func() // lets the screen turn off again; nil while it may
}

// A slidePort is what the slide show may read and do.
type slidePort struct {
	window   func(title string) fyne.Window // creates a window
	kit      func() *kit.Kit                // in the current language and colours
	snapshot func() *state.Snapshot
	settings func(edit func(*state.Settings)) // changes the user's settings
	library  viewer.Library
	ids      func() []string // the gallery's images
	say      func(text string)
	after    func(d time.Duration, f func()) (stop func()) // calls f on the UI goroutine
	awake    func() (release func())                       // keeps the screen on until release is called
}

// slideSeconds are the times for which an image can be shown.
var slideSeconds = []int{3, 5, 10, 30}

const defaultSlide = 1 // index in slideSeconds

// slideWait is how often the show checks whether a large image is decoded or an animation
// has been played, when its time is over.
const slideWait = 200 * time.Millisecond

// open reports whether the window is open.
func (s *slideshow) open() bool { return s.win != nil }

// start opens the window with an image, or with the first one if the gallery does not show
// the image. If the window is open, it brings it to the front.
func (s *slideshow) start(id string) {
	if s.open() {
		s.win.RequestFocus()
		return
	}
	ids := s.port.ids()
	if len(ids) == 0 {
		s.port.say(s.port.kit().T("slides.none"))
		return
	}
	if !slices.Contains(ids, id) {
		id = ids[0]
	}
	*s = slideshow{
		port: s.port, win: s.port.window(s.port.kit().T("slides.title")), ids: slices.Clone(ids), id: id, caption: true,
		stop: func() {},
	}
	s.win.SetPadded(false)
	s.win.Resize(fyne.NewSize(960, 640))
	s.win.SetCloseIntercept(s.close)
	s.win.Canvas().SetOnTypedKey(s.key)
	s.win.Canvas().SetOnTypedRune(s.typedRune)
	s.win.SetFullScreen(true)
	s.release = s.port.awake()
	s.render(s.port.snapshot())
	s.schedule()
	s.win.Show()
}

// render shows the image in a state's language and colours, if the window is open.
func (s *slideshow) render(n *state.Snapshot) {
	if !s.open() {
		return
	}
	if k := s.port.kit(); s.k != k {
		if s.screen != nil {
			s.screen.Close()
		}
		s.k, s.screen = k, viewer.NewScreen(k, s.port.library)
		s.screen.SetBare(!s.caption)
		s.win.SetTitle(k.T("slides.title"))
		s.win.SetContent(s.screen)
	}
	s.id = n.Newer(s.id)
	at := slices.Index(s.ids, s.id)
	about := s.k.T("slides.about", at+1, len(s.ids), s.seconds())
	if s.paused {
		about += "  ·  " + s.k.T("slides.paused")
	}
	s.screen.Slide(s.id, n.Revision, about, s.ids[(at+1)%len(s.ids)])
}

// list takes the gallery's images. Those that are new come last.
func (s *slideshow) list(ids []string) {
	if !s.open() {
		return
	}
	n := s.port.snapshot()
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	at := slices.Index(s.ids, s.id)
	var kept []string
	was := make(map[string]bool, len(ids))
	next := 0 // number of kept images before the one that is shown
	for i, id := range s.ids {
		if id = n.Newer(id); listed[id] && !was[id] {
			was[id] = true
			kept = append(kept, id)
			if i < at {
				next++
			}
		}
	}
	for _, id := range ids {
		if !was[id] {
			kept = append(kept, id)
		}
	}
	if len(kept) == 0 {
		s.close()
		return
	}
	s.ids = kept
	if !slices.Contains(kept, n.Newer(s.id)) { // the one after it takes its place
		s.id = kept[next%len(kept)]
		s.schedule()
	}
	s.render(n)
}

// seconds returns the time for which an image is shown.
func (s *slideshow) seconds() int {
	if n := s.port.snapshot().Settings.Layout.SlideSeconds; slices.Contains(slideSeconds, n) {
		return n
	}
	return slideSeconds[defaultSlide]
}

// schedule starts the time of the image that is shown, unless the show is paused.
func (s *slideshow) schedule() {
	s.stop()
	if !s.paused {
		s.stop = s.port.after(time.Duration(s.seconds())*time.Second, s.due)
	}
}

// due goes to the next image when the current one is finished.
func (s *slideshow) due() {
	switch {
	case !s.open() || s.paused:
	case !s.screen.Finished():
		s.stop = s.port.after(slideWait, s.due)
	default:
		s.step(1)
	}
}

// step goes forward or, if negative, back. The first image follows the last.
func (s *slideshow) step(by int) {
	n := len(s.ids)
	s.goTo((slices.Index(s.ids, s.id) + by + n) % n)
}

func (s *slideshow) goTo(at int) {
	s.id = s.ids[at]
	s.schedule()
	s.render(s.port.snapshot())
}

func (s *slideshow) key(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyRight, fyne.KeyDown, fyne.KeyPageDown:
		s.step(1)
	case fyne.KeyLeft, fyne.KeyUp, fyne.KeyPageUp:
		s.step(-1)
	case fyne.KeyHome:
		s.goTo(0)
	case fyne.KeyEnd:
		s.goTo(len(s.ids) - 1)
	case fyne.KeySpace:
		s.pause()
	case fyne.KeyF11:
		s.win.SetFullScreen(!s.win.FullScreen())
	case fyne.KeyEscape, fyne.KeyF5:
		s.close()
	}
}

// typedRune handles letters: C shows or hides the caption; + and − change how long an
// image is shown.
func (s *slideshow) typedRune(r rune) {
	switch r {
	case 'c', 'C':
		s.caption = !s.caption
		s.screen.SetBare(!s.caption)
	case '+', '=':
		s.slower(1)
	case '-':
		s.slower(-1)
	}
}

// slower shows each image longer or, if by is negative, for less time.
func (s *slideshow) slower(by int) {
	at := slices.Index(slideSeconds, s.seconds()) + by
	if at < 0 || at >= len(slideSeconds) {
		return
	}
	s.port.settings(func(c *state.Settings) { c.Layout.SlideSeconds = slideSeconds[at] })
	s.schedule()
	s.render(s.port.snapshot())
}

// pause pauses or continues. While the show is paused, the screen may turn off.
func (s *slideshow) pause() {
	s.paused = !s.paused
	if s.paused {
		s.release()
		s.release = nil
	} else {
		s.release = s.port.awake()
	}
	s.schedule()
	s.render(s.port.snapshot())
}

func (s *slideshow) close() {
	win := s.win
	if s.end(); win != nil {
		win.Close()
	}
}

// end ends the show and, like the presenter's end, leaves its window to Fyne.
func (s *slideshow) end() {
	if !s.open() {
		return
	}
	s.win = nil
	s.stop()
	if s.release != nil {
		s.release()
	}
	s.screen.Close()
}
