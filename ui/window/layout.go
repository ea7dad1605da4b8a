package window

import (
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// The default sizes.
const (
	windowW, windowH         = 1280, 800
	sideW, propsW    float32 = 216, 320
	dockH            float32 = 190
)

// An arrangement says which regions are shown and how large they are. It is stored in
// the settings and restored at the next start.
type arrangement struct {
	side, dock, strip    state.Choice
	sideW, propsW, dockH float32
	tab                  int // of the dock
	window               fyne.Size
}

func arranged(l state.Layout) arrangement {
	or := func(v int, d float32) float32 {
		if v == 0 {
			return d
		}
		return float32(v)
	}
	return arrangement{
		side: l.Side, dock: l.Dock, strip: l.Strip, tab: l.DockTab,
		sideW: or(l.SideWidth, sideW), propsW: or(l.PropsWidth, propsW), dockH: or(l.DockHeight, dockH),
		window: fyne.NewSize(or(l.Width, windowW), or(l.Height, windowH)),
	}
}

// into returns l with the arrangement. Sizes equal to the defaults are stored as 0.
func (r arrangement) into(l state.Layout) state.Layout {
	unless := func(v, d float32) int {
		if v == d {
			return 0
		}
		return int(v + 0.5)
	}
	l.Side, l.Dock, l.Strip, l.DockTab = r.side, r.dock, r.strip, r.tab
	l.SideWidth, l.PropsWidth, l.DockHeight = unless(r.sideW, sideW), unless(r.propsW, propsW), unless(r.dockH, dockH)
	l.Width, l.Height = int(r.window.Width+0.5), int(r.window.Height+0.5)
	if r.window == fyne.NewSize(windowW, windowH) {
		l.Width, l.Height = 0, 0
	}
	return l
}

// keepAfter is how long the window must have had a size before that size is stored.
// While the user drags the edge, the size changes in each frame.
const keepAfter = 400 * time.Millisecond

// A layout is the arrangement of a window. It stores the user's changes in the settings.
type layout struct {
	arrangement
	port    layoutPort
	last    panel       // that the user asked for last
	keeping *time.Timer // until the window's new size is stored
}

// A layoutPort is what a layout may read and do.
type layoutPort struct {
	do       kit.Dispatcher
	snapshot func() *state.Snapshot
	settings func(edit func(*state.Settings)) // changes the user's settings
	closed   func() bool                      // whether the window is closed
}

// resized records the size of the window. Full screen is not a size that the user chose.
func (l *layout) resized(size fyne.Size) {
	if l.port.closed() || size == l.window {
		return
	}
	l.window = size
	if l.keeping != nil {
		l.keeping.Stop()
	}
	l.keeping = time.AfterFunc(keepAfter, func() { l.port.do(l.keep) })
}

// keep stores the arrangement in the settings.
func (l *layout) keep() {
	if l.port.closed() {
		return
	}
	old := l.port.snapshot().Settings.Layout
	if n := l.into(old); n != old {
		l.port.settings(func(s *state.Settings) { s.Layout = l.into(s.Layout) })
	}
}

// keepPanel stores whether the user wants the properties panel.
func (l *layout) keepPanel(shown bool) {
	if shown {
		l.last = propsPanel
	}
	if c := state.Chosen(shown); l.port.snapshot().Settings.Layout.Props != c {
		l.port.settings(func(s *state.Settings) { s.Layout.Props = c })
	}
}
