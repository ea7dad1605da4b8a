package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/viewer"
)

// A presenter is a second window, for a second screen or for screen sharing. It shows
// only the selected plot, large, in the version that the viewer shows. While the newest
// plot is followed, it shows that one, even if the main window is hidden. Closing it
// closes nothing else.
type presenter struct {
	port   presenterPort
	win    fyne.Window // nil while it is closed
	k      *kit.Kit    // the screen's kit
	screen *viewer.Screen

	id              string // of the image to show
	newest, current string // of the previous state
}

// A presenterPort is what the presenter may read and do.
type presenterPort struct {
	window   func(title string) fyne.Window // creates a window
	kit      func() *kit.Kit                // in the current language and colours
	snapshot func() *state.Snapshot
	older    func() string // the older version that the viewer shows in place of the current image; "" if none
	library  viewer.Library
}

// open reports whether the window is open.
func (p *presenter) open() bool { return p.win != nil }

// toggle opens or closes the window.
func (p *presenter) toggle() {
	if p.open() {
		p.close()
		return
	}
	*p = presenter{port: p.port, win: p.port.window(p.port.kit().T("present.title"))}
	p.win.SetPadded(false)
	p.win.Resize(fyne.NewSize(960, 640))
	p.win.SetCloseIntercept(p.close)
	p.win.Canvas().SetOnTypedKey(p.key)
	p.win.Canvas().SetOnTypedRune(p.typedRune)
	p.win.Canvas().AddShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyW, Modifier: fyne.KeyModifierShortcutDefault}, p.shortcut)
	p.render(p.port.snapshot())
	p.win.Show()
}

// render shows the chosen plot in a state's language and colours, if the window is open.
func (p *presenter) render(n *state.Snapshot) {
	if !p.open() {
		return
	}
	if k := p.port.kit(); p.k != k {
		if p.screen != nil {
			p.screen.Close()
		}
		p.k, p.screen = k, viewer.NewScreen(k, p.port.library)
		p.screen.SetBare(p.win.FullScreen())
		p.win.SetTitle(k.T("present.title"))
		p.win.SetContent(p.screen)
	}
	id := p.choose(n)
	if older := p.port.older(); older != "" && id == n.Current {
		id = older
	}
	p.screen.Present(id, n.Revision)
}

// present updates the second window after the viewer has gone to another version.
func (c *galleryPage) present() {
	if a := c.s.a; a.snap != nil {
		a.present.render(a.cfg.Store.Snapshot())
	}
}

// older returns the older version that the viewer shows in place of the current image;
// "" if none.
func (c *galleryPage) older() string {
	if c.mode != state.Viewer || c.comparing {
		return ""
	}
	return c.view.Older()
}

// choose returns the image to show: the one that was selected last, or a newer plot.
func (p *presenter) choose(n *state.Snapshot) string {
	p.id, p.current, p.newest = n.Newer(p.id), n.Newer(p.current), n.Newer(p.newest)
	if n.Current != p.current && n.Current != "" {
		p.id = n.Current
	}
	if n.Newest != p.newest && (p.newest != "" && n.Follows() || p.id == "") {
		p.id = n.Newest
	}
	p.current, p.newest = n.Current, n.Newest
	return p.id
}

func (p *presenter) key(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyF11, fyne.KeyReturn:
		p.full(!p.win.FullScreen())
	case fyne.KeyEscape:
		if p.win.FullScreen() {
			p.full(false)
			return
		}
		p.close()
	}
}

// typedRune handles letters. W, which opens the window, also closes it.
func (p *presenter) typedRune(r rune) {
	switch r {
	case 'f', 'F':
		p.full(!p.win.FullScreen())
	case 'w', 'W':
		p.close()
	}
}

// shortcut handles Ctrl+W, which closes only the window that has the focus.
func (p *presenter) shortcut(fyne.Shortcut) { p.close() }

func (p *presenter) full(on bool) {
	p.win.SetFullScreen(on)
	p.screen.SetBare(on)
}

func (p *presenter) close() {
	win := p.win
	if p.end(); win != nil {
		win.Close()
	}
}

// end ends the window's work, and leaves the window itself to Fyne: it has closed all
// windows when its loop has ended, and closing one then panics.
func (p *presenter) end() {
	if p.open() {
		p.win = nil
		p.screen.Close()
	}
}
