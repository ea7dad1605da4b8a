package activity

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A world is a dock in a window, with its data. Like the window's, its port sends
// requests over a bus.
type world struct {
	t       *testing.T
	q       *uitest.Queue
	k       *kit.Kit
	bus     *eventbus.Bus
	store   *state.Store
	lib     *uitest.Library
	history *History
	dock    *Dock
	win     fyne.Window

	ended     map[string]string // names of ended sessions, by their ids
	said      []string
	copied    []string
	cancelled []string // executions
	opened    []string // images, and tables with their sessions
	deeds     []string // what was asked of the window
	menu      []*fyne.MenuItem
	tab       int                // the tab that was opened last
	wrote     command.WriteLogIn // the last log
	saveAs    string             // the folder in which SaveFile saves, under the suggested name

	asked    command.CodeAt // what the kernel was asked last, and who waits for the answer
	complete func(command.CodeCompletion, error)
	explain  func(string, error)
}

var wide, narrowed = fyne.NewSize(696, 190), fyne.NewSize(532, 190)

// newWorld returns a dock of a size. edit changes the initial state.
func newWorld(t *testing.T, size fyne.Size, lib *uitest.Library, edit func(*state.Snapshot)) *world {
	t.Helper()
	s := state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown}
	s.Settings.Language, s.Settings.Theme = "en", "light"
	if edit != nil {
		edit(&s)
	}
	app := uitest.App(t)
	app.Settings().SetTheme(theme.New(s.Settings.Theme))
	w := &world{t: t, q: uitest.NewQueue(), bus: eventbus.New(), store: state.NewStore(s), lib: lib, win: app.NewWindow(""), ended: make(map[string]string)}
	w.win.SetPadded(false)
	w.k = &kit.Kit{P: &theme.Light, Tr: i18n.New(s.Settings.Language), Do: w.q.Do, Now: func() time.Time { return uitest.Start.Add(2 * time.Hour) }}
	if s.Settings.Theme == "dark" {
		w.k.P = &theme.Dark
	}
	ctx, cancel := context.WithCancel(t.Context())
	var tasks sync.WaitGroup
	w.history = NewHistory(func() { w.q.Do(w.render) })
	w.dock = New(w.k, w.history, lib, w.port(ctx, &tasks))
	tasks.Go(func() { w.history.FollowCalls(ctx, w.bus, lib.Library, slog.New(slog.DiscardHandler)) })
	stop := w.store.OnChange(func() { w.q.Do(w.render) })
	w.win.SetContent(w.dock.Object())
	w.win.Resize(size)
	w.render()
	t.Cleanup(func() {
		w.dock.Close()
		stop()
		cancel()
		if err := w.bus.Close(context.Background()); err != nil {
			t.Error(err)
		}
		tasks.Wait()
	})
	return w
}

func (w *world) port(ctx context.Context, tasks *sync.WaitGroup) Port {
	return Port{
		Snapshot: w.store.Snapshot, Token: func() string { return "0123456789abcdef" },
		Language: func(string) string { return "python" },
		SessionName: func(id string) string {
			if x, ok := w.store.Snapshot().Session(id); ok {
				return x.Title()
			}
			return cmp.Or(w.ended[id], id)
		},
		SessionColour: func(id string) int {
			x, _ := w.store.Snapshot().Session(id)
			return x.Colour
		},
		Variables: func(session string, done func([]catalog.Variable, error)) func() {
			ctx, cancel := context.WithCancel(ctx)
			tasks.Go(func() {
				out, err := catalog.GetVariables.Ask(ctx, w.bus, catalog.GetVariablesIn{SessionID: session})
				w.q.Do(func() { done(out.Variables, err) })
			})
			return cancel
		},
		OpenTable: func(session, name string) { w.opened = append(w.opened, session+" "+name) },
		Run: func(session, code string, done func(catalog.Execution)) {
			tasks.Go(func() {
				if x, err := catalog.ExecuteCode.Ask(ctx, w.bus, catalog.ExecuteCodeIn{SessionID: session, Code: code}); err == nil {
					w.q.Do(func() { done(x) })
				}
			})
		},
		CompleteCode: func(of command.CodeAt, done func(command.CodeCompletion, error)) func() {
			w.asked, w.complete = of, done
			return func() {}
		},
		InspectCode: func(of command.CodeAt, done func(string, error)) func() {
			w.asked, w.explain = of, done
			return func() {}
		},
		CancelRun: func(id string) { w.cancelled = append(w.cancelled, id) },
		RunAgain:  func(session, code string) { w.acted("run", session, code) }, EditAndRun: func(session, code string) { w.acted("edit", session, code) },
		Interrupt: func(session string) { w.acted("interrupt", session) },
		ShowPlots: func(session string, uris []string) { w.acted("show", append([]string{session}, uris...)...) },
		WriteLog: func(in command.WriteLogIn, done func(command.WriteLogOut)) {
			w.wrote = in
			done(command.WriteLogOut{Entries: 3, Masked: 1})
		},
		SaveFile: func(_, name string, write func(string)) { write(filepath.Join(w.saveAs, name)) },
		Go:       func(f func(context.Context)) { tasks.Go(func() { f(ctx) }) },
		Background: func(_ string, f func(context.Context) error, done func()) {
			tasks.Go(func() {
				err := f(ctx)
				w.q.Do(func() {
					if err != nil {
						w.said = append(w.said, err.Error())
					} else if done != nil {
						done()
					}
				})
			})
		},
		Sheet: func(title string, body fyne.CanvasObject, _ ...fyne.CanvasObject) Overlay {
			pop := widget.NewModalPopUp(container.NewVBox(kit.Text(title, 12, w.k.P.Text, fyne.TextStyle{}), kit.Box(body, fyne.NewSize(500, 150))), w.win.Canvas())
			pop.Show()
			return pop
		},
		Menu: func(_ fyne.CanvasObject, items ...*fyne.MenuItem) { w.menu = items }, MenuAt: func(_ fyne.Position, items ...*fyne.MenuItem) { w.menu = items },
		Focus: func(f fyne.Focusable) { w.win.Canvas().Focus(f) },
		Say:   func(_ kit.Mark, text, _ string, _ func()) { w.said = append(w.said, text) },
		Copy:  func(text, _ string) { w.copied = append(w.copied, text) }, Reveal: func(string) {},
		OpenImage: func(id string) { w.opened = append(w.opened, id) }, TabOpened: func(tab int) { w.tab = tab },
		Hide: func() {}, Forward: func(fyne.Shortcut) {},
	}
}

func (w *world) acted(what string, on ...string) {
	w.deeds = append(w.deeds, what+" "+strings.Join(on, " "))
}

// render shows the newest state, as the window does.
func (w *world) render() {
	n := w.store.Snapshot()
	x, _ := n.Shown(w.dock.session)
	w.dock.Follow(x.SessionID, n)
	w.dock.Render(n)
}

// pick chooses a session by its name, as in the top bar.
func (w *world) pick(name string) {
	w.t.Helper()
	for _, x := range w.store.Snapshot().Sessions {
		if x.Title() == name {
			w.store.Update(func(s *state.Snapshot) { s.Picked = x.SessionID })
			w.render()
			return
		}
	}
	w.t.Fatalf("there is no session %q", name)
}

func (w *world) hasSaid(what string) {
	w.t.Helper()
	w.q.Until(w.t, "the dock to say "+what, func() bool {
		return slices.ContainsFunc(w.said, func(s string) bool { return strings.Contains(s, what) })
	})
}

// seek finds an object in what is shown over the dock.
func seek[T fyne.CanvasObject](w *world, ok func(T) bool) (found T, is bool) {
	top := w.win.Canvas().Overlays().Top()
	if top == nil {
		return found, false
	}
	for _, o := range test.LaidOutObjects(top) {
		if x, like := o.(T); like && ok(x) {
			return x, true
		}
	}
	return found, false
}

// galleryOf returns a library with n plots.
func galleryOf(t testing.TB, n int) *uitest.Library {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "analysis", "claude-code 2.1.0")
	for range n {
		lib.Add(0, "Sine", "plot()")
	}
	return lib
}

// busy adds a running session and an idle one to a state.
func busy(s *state.Snapshot) {
	a := state.Session{Name: "analysis", Client: "claude-code 2.1.0", Running: &state.RunningCode{
		ExecutionID: "x", Code: "fit()", Client: "claude-code 2.1.0", Since: uitest.Start.Add(2*time.Hour - 41*time.Second),
	}}
	a.SessionID, a.KernelID, a.KernelName, a.Status = uitest.SessionID(0), uitest.SessionID(0), "python3", "busy"
	b := state.Session{Name: "売上.ipynb", Client: "Cursor 1.9", Colour: 1}
	b.SessionID, b.KernelID, b.KernelName, b.Status = uitest.SessionID(1), uitest.SessionID(1), "python3", "idle"
	s.Sessions = []state.Session{a, b}
}

// TestOpeningATab checks that the dock reports an opened tab to the window, and that it
// does not ask the kernel before the tab is open.
func TestOpeningATab(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), busy)
	asked := make(chan string, 4)
	catalog.GetVariables.Handle(w.bus, func(_ context.Context, in catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
		asked <- in.SessionID
		return catalog.GetVariablesOut{}, nil
	}, nil)
	w.q.Drain()
	if len(asked) > 0 {
		t.Error("the kernel was asked for variables that are out of sight")
	}
	w.dock.Open(1)
	if got := <-asked; got != uitest.SessionID(0) || w.tab != 1 || w.dock.Tab() != 1 {
		t.Errorf("asked %s, tab %d, told of %d", got, w.dock.Tab(), w.tab)
	}
}

// readLog returns the only file in a folder.
func readLog(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	require.NoError(t, err)
	return string(raw)
}
