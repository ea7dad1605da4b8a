// Package tray is Easel's icon beside the clock: what the assistant does at a
// glance, a way back to a hidden window, and the brake. It also tells, by the
// desktop's notifications, what the user must know while the window is hidden.
//
// The menu has a fixed shape whose labels change. Its items keep their identity,
// so that a menu that is open on the screen stays as it is under the hand: Fyne's
// own tray menu is made anew at each change, and a click on the old one is lost.
// Therefore Fyne starts and ends the tray, and the items are ours.
//
// # Goroutines
//
// One goroutine follows the store and says what is to be shown; the menu and the
// icon are changed on the UI goroutine, by the Dispatcher. One waits for the
// clicks of each item. On D-Bus desktops one follows the bus. An action that may
// wait has one of its own. None of them waits for the UI goroutine, and all end
// with Close. While nothing changes none of them wakes up.
package tray

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// Config is what a tray is made of.
type Config struct {
	App    fyne.App // has a tray only if it is a desktop.App
	Window fyne.Window
	Store  *state.Store
	Bus    *eventbus.Bus
	Do     func(f func()) // runs f on the UI goroutine, later
	Log    *slog.Logger

	// These run on the UI goroutine.
	Show           func()        // shows the window and raises it
	CloseRequested func()        // what the window's close button does; Fyne's tray takes it away
	Settings       func()        // shows the window with the settings
	Connect        func()        // shows the window with how clients are set up
	Autostart      func(on bool) // starts Easel at login, or no more
	Quit           func()

	grace time.Duration // 0: the constant; tests are less patient
}

const (
	// calm is the shortest time between two changes of the tray: kernels may turn
	// busy and idle many times in a second.
	calm = 250 * time.Millisecond
	// grace is how long a hidden window may be without a tray before it is shown
	// again. A panel that restarts is back sooner.
	grace = 10 * time.Second
	// longRun is how long code must have run for its end to be told.
	longRun = 30 * time.Second
)

// A Tray is the icon, its menu and the notifications.
type Tray struct {
	cfg    Config
	ctx    context.Context //nolint:containedctx // the life of the tray; Close ends it
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	wake   chan struct{}
	end    func() // of OnChange

	shell     *shell // the desktop's part: whether there is a tray, notifications
	menu      *menu  // nil without a tray
	available atomic.Bool

	mu     sync.Mutex // guards closed: no task is added once Close waits
	closed bool
}

// New makes the tray. Call it on the main goroutine before the app runs: Fyne
// starts no tray later.
func New(c Config) *Tray {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.grace == 0 {
		c.grace = grace
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &Tray{cfg: c, ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1)}
	t.shell = newShell(t)
	app, ok := c.App.(desktop.App)
	if ok && t.shell.open() {
		first := c.Store.Snapshot()
		t.menu = newMenu(t, app, viewOf(first, i18n.New(first.Settings.Language), view{}))
		t.tasks.Go(t.shell.follow)
	}
	t.end = c.Store.OnChange(t.changed)
	t.changed() // the window may be hidden from the start
	t.tasks.Go(t.run)
	return t
}

// Available tells whether the desktop shows the tray now, that is, whether there
// is a way back to a hidden window. It may be called from any goroutine.
func (t *Tray) Available() bool { return t.available.Load() }

// Close ends the goroutines of the tray and waits for them. The icon goes with
// the app. It may be called from any goroutine, and more than once.
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

// task runs f on a goroutine that Close waits for; f must end with t.ctx.
func (t *Tray) task(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.tasks.Go(f)
	}
}

// changed wakes run up. It never blocks.
func (t *Tray) changed() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// setAvailable is told by the desktop's part.
func (t *Tray) setAvailable(yes bool) {
	if t.available.Swap(yes) != yes {
		t.cfg.Log.Info("the tray", "available", yes)
		t.changed()
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
	var lost <-chan time.Time // runs out when the window has been out of reach for too long
	for {
		select {
		case <-t.wake:
		case <-lost:
			t.cfg.Log.Info("the desktop shows no tray; showing the window instead")
			t.cfg.Do(t.cfg.Show)
			lost = nil
			continue
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
		t.tell(told.next(s, t.Available()), tr)
		switch out := s.Window == state.WindowHidden && !t.Available(); {
		case !out:
			lost = nil
		case lost == nil:
			lost = time.After(t.cfg.grace)
		}
		select { // whatever comes meanwhile is one change
		case <-time.After(calm):
		case <-t.ctx.Done():
			return
		}
	}
}

// tell sends notifications. Their texts are ours and fixed: no code and no title
// of the user's ever leaves the window.
func (t *Tray) tell(notes []note, tr *i18n.Catalog) {
	for _, n := range notes {
		t.shell.notify(n.kind, tr.T(n.title), tr.T(n.text))
		if n.kind == noteHidden {
			t.cfg.Store.Update(func(s *state.Snapshot) { s.Settings.ToldTray = true })
		}
	}
}

// An action is what a row of the menu does, on the UI goroutine.
func (t *Tray) action(r rowID) {
	if t.ctx.Err() != nil {
		return
	}
	c := t.cfg
	switch r {
	case rowAddress: // a line to read
	case rowStatus: // says that a question waits
		c.Show()
	case rowShow:
		c.Show()
	case rowLatest:
		c.Show()
		ask(t, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: catalog.Latest}, nil)
	case rowCopy:
		c.App.Clipboard().SetContent(c.Store.Snapshot().URL + "/mcp")
	case rowInterrupt:
		for _, x := range c.Store.Snapshot().Busy() {
			t.interrupt(x.SessionID)
		}
	case rowStop1, rowStop2, rowStop3, rowStop4:
		if id := t.menu.stops(r); id != "" {
			t.interrupt(id)
		}
	case rowPause:
		c.Store.Update(func(s *state.Snapshot) { s.Paused = !s.Paused })
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

// interrupt interrupts a session, and tells if the code goes on for all that. That it has
// ended the icon shows.
func (t *Tray) interrupt(session string) {
	ask(t, catalog.SessionInterrupt, catalog.SessionInterruptIn{SessionID: session}, func(out catalog.SessionInterruptOut, err error) {
		switch n := t.cfg.Store.Snapshot(); {
		case n.Settings.Notify == "off":
		case err != nil:
			t.tell([]note{refusedNote}, i18n.New(n.Settings.Language))
		case out.Outcome == catalog.StillRuns:
			t.tell([]note{stillNote}, i18n.New(n.Settings.Language))
		}
	})
}

// ask runs a tool for the user, beside the UI. then, if not nil, is told how it ended.
func ask[In, Out any](t *Tray, tl *tool.Tool[In, Out], in In, then func(Out, error)) {
	t.task(func() {
		ctx := tool.WithCaller(t.ctx, tool.Caller{Transport: tool.Window})
		out, err := tl.Ask(ctx, t.cfg.Bus, in)
		if t.ctx.Err() != nil {
			return
		}
		if err != nil {
			t.cfg.Log.Warn("the tray's request failed", "tool", tl.Spec().Name, "err", err)
		}
		if then != nil {
			then(out, err)
		}
	})
}
