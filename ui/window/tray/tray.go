// Package tray is Easel's icon in the system tray. It shows what the assistant is
// doing, brings back a hidden window, and interrupts running code. It also sends
// desktop notifications about what the user must know while the window is hidden.
//
// The menu has a fixed set of items whose labels change. So a menu that is open on the
// screen stays the same while the user points at it. Fyne's own tray menu is created
// again at each change, and a click on the old one is lost. Therefore Fyne starts and
// ends the tray, but the items are ours.
//
// # Goroutines
//
// One goroutine follows the store and decides what to show. The menu and the icon are
// changed on the UI goroutine, through the Dispatcher. One goroutine per item waits for
// its clicks. On D-Bus desktops, one follows the bus. Each action that may wait has its
// own. None of them waits for the UI goroutine, and all end in Close. None of them
// wakes up while nothing changes.
package tray

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/internal/wake"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// Config configures a tray.
type Config struct {
	App    fyne.App // there is a tray only if this is a desktop.App
	Window fyne.Window
	Store  *state.Store
	Do     func(f func()) // runs f on the UI goroutine, later
	Log    *slog.Logger

	Actions

	grace time.Duration // 0 means the constant grace; tests use a shorter time
}

// Actions are what the tray asks of the window. They are called on the UI goroutine.
type Actions struct {
	Show           func()        // shows the window and raises it
	CloseRequested func()        // what the window's close button does; Fyne's tray replaces it, so New sets it again
	Latest         func()        // shows the window with the newest plot
	Settings       func()        // shows the window with the settings
	Connect        func()        // shows the window with the page for setting up clients
	Autostart      func(on bool) // turns starting Easel at login on or off
	TogglePause    func()        // pauses or resumes the AI
	Quit           func()
	// Interrupt interrupts sessions. It then calls done on the UI goroutine: whether that failed
	// for one, and whether the code of one runs on.
	Interrupt func(sessions []string, done func(failed, runs bool))
}

const (
	// calm is the minimum time between two changes of the tray. Kernels may become busy
	// and idle many times per second.
	calm = 250 * time.Millisecond
	// grace is how long a hidden window may have no tray before it is shown again. A
	// panel that restarts is back sooner.
	grace = 10 * time.Second
)

// A Tray is the icon, its menu and the notifications.
type Tray struct {
	cfg    Config
	ctx    context.Context //nolint:containedctx // the life of the tray; Close ends it
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	wake   wake.Signal
	end    func() // ends OnChange

	shell     *shell // the desktop's side: whether there is a tray, and notifications
	menu      *menu  // nil without a tray
	available atomic.Bool

	mu     sync.Mutex // guards closed, so that no task is added once Close waits
	closed bool
}

// New returns a tray. Call it on the main goroutine before the app runs, because Fyne
// does not start a tray later. The caller must call Close.
func New(c Config) *Tray {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.grace = cmp.Or(c.grace, grace)
	ctx, cancel := context.WithCancel(context.Background())
	t := &Tray{cfg: c, ctx: ctx, cancel: cancel, wake: wake.New()}
	t.shell = newShell(t)
	app, ok := c.App.(desktop.App)
	if ok && t.shell.open() {
		first := c.Store.Snapshot()
		t.menu = newMenu(t, app, viewOf(first, i18n.New(first.Settings.Language), view{}))
		t.tasks.Go(t.shell.follow)
	}
	t.end = c.Store.OnChange(t.wake.Notify)
	t.wake.Notify() // the window may be hidden at the start
	t.tasks.Go(t.run)
	return t
}

// Available reports whether the desktop currently shows the tray, so that the user can
// bring back a hidden window. It may be called from any goroutine.
func (t *Tray) Available() bool { return t.available.Load() }

// Close stops the goroutines of the tray and waits for them. It also removes the icon,
// except on macOS, where it disappears with the app. Close may be called from any
// goroutine, and more than once.
func (t *Tray) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end()
	t.cancel()
	t.tasks.Wait()
	t.available.Store(false)
	if t.menu != nil {
		t.menu.close()
	}
}

// task runs f on a goroutine that Close waits for. f must end when t.ctx ends. After
// Close, task does nothing.
func (t *Tray) task(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.tasks.Go(f)
	}
}

// setAvailable records whether the desktop shows the tray.
func (t *Tray) setAvailable(yes bool) {
	if t.available.Swap(yes) != yes {
		t.cfg.Log.Info("the availability of the tray has changed", "available", yes)
		t.wake.Notify()
	}
}

// run follows the store until Close.
func (t *Tray) run() {
	s := t.cfg.Store.Snapshot()
	tr := i18n.New(s.Settings.Language)
	lang := s.Settings.Language
	shown := viewOf(s, tr, view{})
	told := newNews(s)
	if t.menu != nil {
		t.cfg.Do(t.menu.build)
	}
	var lost <-chan time.Time // fires when the window has been unreachable for too long
	var due <-chan time.Time  // fires when the news are told
	urgent := false           // due is soon
	for {
		select {
		case <-t.wake:
		case <-lost:
			t.cfg.Log.Info("the desktop shows no tray; showing the window instead")
			t.cfg.Do(t.cfg.Show)
			lost = nil
			continue
		case <-due:
			due = nil
			t.tellNews(told, tr)
		case <-t.ctx.Done():
			return
		}
		s = t.cfg.Store.Snapshot()
		if s.Settings.Language != lang {
			lang = s.Settings.Language
			tr = i18n.New(lang)
		}
		if v := viewOf(s, tr, shown); v != shown && t.menu != nil {
			shown = v
			t.cfg.Do(func() { t.menu.apply(v) })
		}
		switch wait, tell, withdraw := told.wait(told.observe(s), time.Now()); {
		case withdraw:
			due = nil
			t.shell.withdraw(noteNews)
		case !tell:
			due = nil
		case due == nil || wait == gather && !urgent:
			due, urgent = time.After(wait), wait == gather
		}
		if s.Window == state.WindowHidden && t.Available() && !s.Settings.ToldTray && s.Settings.Notify != "off" {
			t.tell(hiddenNote, tr)
		}
		switch out := s.Window == state.WindowHidden && !t.Available(); {
		case !out:
			lost = nil
		case lost == nil:
			lost = time.After(t.cfg.grace)
		}
		select { // changes in this time are applied together
		case <-time.After(calm):
		case <-t.ctx.Done():
			return
		}
	}
}

// tellNews notifies the user of what is new, if anything is.
func (t *Tray) tellNews(told *news, tr *i18n.Catalog) {
	if d := told.observe(t.cfg.Store.Snapshot()); d != (digest{}) {
		told.tells(d, time.Now())
		t.shell.notify(d.note(tr))
	}
}

// tell sends a notification. Its texts are fixed: they never contain the user's code
// or titles.
func (t *Tray) tell(n note, tr *i18n.Catalog) {
	t.shell.notify(notification{kind: n.kind, title: tr.T(n.title), text: tr.T(n.text)})
	if n.kind == noteHidden {
		t.cfg.Store.Update(func(s *state.Snapshot) { s.Settings.ToldTray = true })
	}
}

// action does what a row of the menu is for. It is called on the UI goroutine.
func (t *Tray) action(r rowID) {
	if t.ctx.Err() != nil {
		return
	}
	c := t.cfg
	switch r {
	case rowAddress: // only shows the address
	case rowStatus: // says that a question is open
		c.Show()
	case rowShow:
		c.Show()
	case rowLatest:
		c.Latest()
	case rowCopy:
		c.App.Clipboard().SetContent(c.Store.Snapshot().URL + "/mcp")
	case rowInterrupt:
		var busy []string
		for _, x := range c.Store.Snapshot().Busy() {
			busy = append(busy, x.SessionID)
		}
		t.interrupt(busy...)
	case rowStop1, rowStop2, rowStop3, rowStop4:
		if id := t.menu.stops(r); id != "" {
			t.interrupt(id)
		}
	case rowPause:
		c.TogglePause()
	case rowLogin:
		c.Autostart(!c.Store.Snapshot().Autostart)
	case rowSettings:
		c.Settings()
	case rowConnect:
		c.Connect()
	case rowQuit:
		c.Quit()
	}
}

// interrupt interrupts sessions. It sends a notification if that fails or their code has not
// reacted. If the code has ended, the icon shows it.
func (t *Tray) interrupt(sessions ...string) {
	t.cfg.Interrupt(sessions, func(failed, runs bool) {
		switch n := t.cfg.Store.Snapshot(); {
		case n.Settings.Notify == "off":
		case failed:
			t.task(func() { t.tell(refusedNote, i18n.New(n.Settings.Language)) })
		case runs:
			t.task(func() { t.tell(stillNote, i18n.New(n.Settings.Language)) })
		}
	})
}
