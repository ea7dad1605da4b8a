// Package window is Easel's window: a shell around the gallery, created from a Store and
// a Dispatcher. It draws snapshots of the state. The user's actions are requests for
// tools of the catalog. They go over the bus to the same bodies that serve assistants.
//
// The package does not import Fyne's app package, so it is built and tested without a
// display and without cgo.
//
// # Goroutines
//
// An App and its views belong to the UI goroutine, which the Dispatcher reaches. One
// goroutine sends the user's requests in the gallery to the bus, in order. Each action
// on a kernel has its own goroutine, because it may wait. Two more follow calls and
// executions. All end in Close. The readers of the views end with their views.
package window

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"

	"easel/assets"
	"easel/eventbus"
	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/ui/core/clients"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/access"
	"easel/ui/window/activity"
	"easel/ui/window/checks"
	"easel/ui/window/data"
	"easel/ui/window/dialogs"
	"easel/ui/window/edits"
	"easel/ui/window/export"
	"easel/ui/window/external"
	"easel/ui/window/folders"
	"easel/ui/window/gallery"
	"easel/ui/window/inspect"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/navigate"
	"easel/ui/window/palette"
	"easel/ui/window/preferences"
	"easel/ui/window/projects"
	"easel/ui/window/properties"
	"easel/ui/window/requests"
	"easel/ui/window/sessions"
	"easel/ui/window/sidebar"
	"easel/ui/window/viewer"
)

// A Dispatcher runs f later on the UI goroutine and never blocks its caller. In the app
// it is fyne.Do; in tests, a queue that the test drains.
type Dispatcher = kit.Dispatcher

// Library is what the window reads from the library.
type Library interface {
	gallery.Library
	viewer.Library
	properties.Library
	sidebar.Library
	activity.Library
	export.Library
	Placed(q library.Query, ids []string) int
}

// Config configures a window. Functions may be nil if their comment says so. Then the
// window does not offer what they do.
type Config struct {
	App     fyne.App
	Store   *state.Store
	Bus     *eventbus.Bus
	Library Library
	Kept    *library.Library // calls and executions
	Do      Dispatcher
	Log     *slog.Logger
	Now     func() time.Time // nil means time.Now
	Shaders bool             // the App draws with OpenGL

	Version string
	Exe     string                      // absolute path of the program, for clients that start it
	Bridge  []string                    // its arguments to run as the stdio bridge to this Easel
	DataDir string                      // shown in the settings
	Token   func() string               // Easel's own token
	TokenOf func(clients.Client) string // the token for a client; may be nil
	// EndStreams ends the streams on which clients listen, after a token was taken back. It must not block; may be nil.
	EndStreams func()
	Given      preferences.Overrides

	Displayed   properties.OutputReader                                     // reads what an execution has displayed; may be nil
	Demo        func(ctx context.Context) error                             // draws a short session; may be nil
	RotateToken func() error                                                // called off the UI goroutine, one call at a time; may be nil
	JupyterLab  func(ctx context.Context, sessionID string) (string, error) // address of a session in JupyterLab; may be nil
	CopyImage   func(ctx context.Context, png []byte, file string) error    // copies to the clipboard; if nil, the path is copied
	Reveal      func(path string) error                                     // shows a file in the file manager; if nil, its folder is opened
	OpenWith    func(window uintptr, file string) error                     // opens a file with a program that the user chooses; may be nil
	KeepAwake   func(ctx context.Context, why string) error                 // keeps the screen on until ctx ends; may be nil
	HandOut     func(name string, data []byte) (path string, err error)     // copies a file for other programs
	// Drag lets the user drop files on other programs, as desktop.Drag does; may be nil.
	Drag func(ctx context.Context, window uintptr,
		prepare func(context.Context) (files []string, png []byte, err error)) (dropped bool, err error)
	OpenSecret func(url string) error // like Open, for an address with a secret; if nil, Open is used
	Scale      func(percent int)      // makes Fyne draw everything in a size, when it next reads its settings; may be nil
	Autostart  func(on bool) error    // nil if Easel cannot be started at login
	Open       func(url string) error // opens the browser; if nil, the App does it
	Inspect    string                 // path of a socket for tests that serves inspect.Claim; "" for none
	Quit       func()                 // if nil, closing the window only hides it
	stand      time.Duration          // how long messages are shown, for tests; 0 means the default of each message
	apart      time.Duration          // how long the panel waits between two answers of the library, for tests; 0 means the default
	arm        time.Duration          // how long a question must be shown before it can be answered, for tests; 0 means the default
	linger     time.Duration          // how long an answered question stays, for tests; 0 means the default
	Tray       func() bool            // whether the window can be shown again after hiding; nil means no
}

// An App is the window.
type App struct {
	cfg    Config
	win    fyne.Window
	ctx    context.Context //nolint:containedctx // the life of the window; Close ends it
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	stop   func() // stops Bind

	requests *requests.Sender
	access   *access.Control
	navigate *navigate.Navigator
	edits    *edits.Edits
	sessions *sessions.Control
	projects *projects.Control
	folders  *folders.Control
	export   *export.Exporter
	checks   *checks.Checks
	external *external.Opener

	shell      *shell
	appearance appearance // what the shell was made for
	snap       *state.Snapshot
	layout     *layout
	present    *presenter
	slides     *slideshow
	tail       follower
	history    *activity.History
	tables     data.Tables
	frames     frames
	works      messages.Works
	install    *installer
	redraws    *redrawer
	questions  *questioner
	finder     *finder
	picks      *picks
	typed      map[string]string // what the user has typed for running code; see inputs.Port
	folded     map[string]bool   // what the sidebar has folded; see sidebar.Actions
	rotation   *tokenRotation
	keyboard   *keyboard
	palette    *palette.Palette
	closed     bool

	wasShown bool      // it has been shown before
	frame    time.Time // time of the last frame
}

// New creates the window; Show shows it.
func New(c Config) *App {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.openers()
	ctx, cancel := context.WithCancel(context.Background())
	a := &App{cfg: c, ctx: ctx, cancel: cancel, folded: make(map[string]bool), typed: make(map[string]string)}
	a.frames.do, a.frames.dock = c.Do, a.renderDock
	a.history = activity.NewHistory(a.frames.redraw)
	a.parts()
	a.tasks.Go(func() { a.history.FollowCalls(ctx, c.Bus, c.Kept, c.Log) })
	a.tasks.Go(func() { a.history.FollowRuns(ctx, c.Bus, a.access.Ended) })
	if c.Inspect != "" {
		a.tasks.Go(func() { inspect.Serve(ctx, c.Inspect, c.Log, a.claim) })
	}
	noStoppedHook(c.App)
	c.App.SetIcon(fyne.NewStaticResource("easel.png", assets.AppIcon))
	a.win = c.App.NewWindow("Easel")
	a.win.SetPadded(false)
	a.win.SetMaster()
	a.win.Resize(a.layout.window)
	a.win.SetCloseIntercept(a.CloseRequested)
	a.win.SetOnDropped(a.folders.Dropped)
	a.keys()
	watchLooks(c)
	a.rebuild(c.Store.Snapshot())
	a.stop = Bind(c.Do, c.Store, a.frames.ahead, a.render)
	c.App.Settings().AddListener(func(fyne.Settings) { a.updateAppearance() })
	return a
}

// parts creates what outlives the shell. Each part has a port; see ports.go.
func (a *App) parts() {
	a.requests = requests.New(a.ctx, requests.Port{
		Bus: a.cfg.Bus, Do: a.cfg.Do, Log: a.cfg.Log, Failed: func(text string) { a.say(kit.MarkBad, text) },
	})
	a.layout = &layout{arrangement: arranged(a.cfg.Store.Snapshot().Settings.Layout), port: layoutPort{
		do: a.cfg.Do, snapshot: a.cfg.Store.Snapshot, settings: a.settings, closed: func() bool { return a.closed },
	}}
	a.navigate = navigate.New(a.navigatePort())
	a.edits = edits.New(a.editsPort())
	a.external = external.New(a.externalPort())
	a.export = export.New(a.exportPort())
	a.checks = checks.New(a.checksPort())
	a.access = access.New(a.accessPort())
	a.sessions = sessions.New(a.sessionsPort())
	a.projects = projects.New(a.projectsPort())
	a.folders = folders.New(a.foldersPort())
	a.tail.port = followerPort{
		kit: a.kit, snapshot: a.cfg.Store.Snapshot, update: a.cfg.Store.Update, requests: a.requests, offer: a.offerWhile,
		gallery: func() *galleryPage { return a.shell.gallery },
	}
	a.present = &presenter{port: presenterPort{
		window: a.cfg.App.NewWindow, kit: a.kit, snapshot: a.cfg.Store.Snapshot, library: a.cfg.Library,
		older: func() string { return a.shell.gallery.older() },
	}}
	window := func() *dialogs.Host { return a.shell.dialogs }
	a.install = &installer{kit: a.kit, dialogs: window, requests: a.requests, copy: a.export.CopyText}
	a.redraws = &redrawer{requests: a.requests, snapshot: a.cfg.Store.Snapshot}
	a.questions = &questioner{
		kit: a.kit, dialogs: window, requests: a.requests, say: a.say,
		region: func(m catalog.Mark) string { return a.shell.gallery.view.MarkText(m) },
	}
	a.finder = &finder{a: a}
	a.picks = &picks{
		gallery: func() *galleryPage { return a.shell.gallery }, rendered: func() *state.Snapshot { return a.snap },
		snapshot: a.cfg.Store.Snapshot, navigate: a.navigate, requests: a.requests,
	}
	a.rotation = &tokenRotation{requests: a.requests, rotate: func() error { return a.cfg.RotateToken() }}
	a.slides = &slideshow{port: a.slidePort()}
	a.keyboard = newKeyboard(a)
	a.palette = palette.New((&seeker{a: a}).port())
}

// openers sets the functions that open things, as far as every desktop has them.
func (c *Config) openers() {
	open := func(u *url.URL) error { return c.App.OpenURL(u) }
	if c.Open == nil {
		c.Open = func(address string) error {
			u, err := url.Parse(address)
			if err != nil {
				return fmt.Errorf("opening: %w", err)
			}
			return open(u)
		}
	}
	if c.OpenSecret == nil {
		c.OpenSecret = c.Open
	}
	if c.Reveal == nil {
		c.Reveal = func(path string) error {
			if info, err := os.Stat(path); err != nil || !info.IsDir() {
				path = filepath.Dir(path)
			}
			return open(system.FileURL(path))
		}
	}
}

// Window returns the window, for what only main can do with it.
func (a *App) Window() fyne.Window { return a.win }

// Show shows the window and brings it to the front. It must be called on the UI
// goroutine.
func (a *App) Show() {
	if !a.wasShown {
		a.cfg.Do(a.watchMinimized) // after the window has been created
	}
	a.wasShown = true
	a.win.Show()
	a.win.RequestFocus()
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Window = state.WindowShown })
}

// Hide hides the window: nothing is drawn or decoded until Show. It must be called on
// the UI goroutine.
func (a *App) Hide() {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Window = state.WindowHidden })
	a.layout.keep()
	a.edits.SaveNotes()
	a.win.Hide()
	a.shell.drop()
}

// Save stores what the user is typing. It must be called before the bus is closed; any
// goroutine may call it.
func (a *App) Save(ctx context.Context) {
	if err := a.edits.Save(ctx); err != nil {
		a.cfg.Log.WarnContext(ctx, "what was being typed cannot be stored", "err", err)
	}
}

// Close ends all goroutines of the window and waits for them. It must be called on the
// UI goroutine, or after that has ended.
func (a *App) Close() {
	if a.closed {
		return
	}
	a.layout.keep()
	a.closed = true
	a.stop()
	a.cancel()
	a.present.end()
	a.slides.end()
	a.shell.close()
	a.requests.Close()
	a.tasks.Wait()
}

// render shows a state.
func (a *App) render(s *state.Snapshot) {
	if a.closed {
		return
	}
	first := a.snap == nil
	was := a.snap
	a.snap = s
	a.folders.Render(s)
	if a.looksOld(s) {
		a.rebuild(s)
	}
	if s.Fullscreen != a.win.FullScreen() {
		a.win.SetFullScreen(s.Fullscreen)
	}
	a.present.render(s)
	a.slides.render(s)
	if s.Window == state.WindowHidden && !first {
		return
	}
	a.shell.render(s)
	if was != nil && was.Window == state.WindowHidden {
		a.shell.gallery.restore()
	}
	a.tail.follow(was, s)
	a.edits.TellChange(was, s)
}

// claim calls answer with what the window shows, on the UI goroutine.
func (a *App) claim(answer func(inspect.Claim)) {
	a.requests.Post(func() { answer(a.shell.claim()) })
}

// renderDock renders only the dock.
func (a *App) renderDock() {
	if !a.closed && a.snap != nil && a.snap.Window != state.WindowHidden {
		a.shell.dock.Render(a.cfg.Store.Snapshot())
		a.shell.status.renderFailures()
		a.shell.data.Render(a.cfg.Store.Snapshot())
	}
}

// Bind renders the newest snapshot on the UI goroutine after each change. Any number of
// changes between two frames cost one rendering. ahead is called for each snapshot, on
// the goroutine that changed the state. If it returns true, it calls then when the
// snapshot is to be rendered.
func Bind(do Dispatcher, st *state.Store, ahead func(s *state.Snapshot, then func()) bool, render func(*state.Snapshot)) (stop func()) {
	var pending, stopped atomic.Bool
	soon := func() {
		if pending.CompareAndSwap(false, true) {
			do(func() {
				pending.Store(false)
				if !stopped.Load() {
					render(st.Snapshot())
				}
			})
		}
	}
	end := st.OnChange(func() {
		if !ahead(st.Snapshot(), soon) {
			soon()
		}
	})
	soon()
	return func() {
		stopped.Store(true)
		end()
	}
}
