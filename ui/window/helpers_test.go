package window

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/library/output"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/export"
	gallerytools "easel/ui/core/tools/gallery"
	"easel/ui/window/uitest"
)

// The program passes a collection as the window's library.
var _ Library = (*collection.Collection)(nil)

// A world is a window with everything that it needs.
type world struct {
	t        *testing.T
	q        *uitest.Queue
	bus      *eventbus.Bus
	store    *state.Store
	lib      *uitest.Library
	app      *App
	pictures *announce.Pictures

	figures figurePages
	sample  bool // the values of plots are samples
}

var wide, narrowed = fyne.NewSize(1280, 800), fyne.NewSize(900, 600)

// newWorld creates a window of a size. edit changes the initial state.
func newWorld(t *testing.T, size fyne.Size, lib *uitest.Library, edit func(*state.Snapshot)) *world {
	t.Helper()
	return newWorldWith(t, size, lib, lib, edit)
}

// newWorldWith is like newWorld, with the library as the window sees it.
func newWorldWith(t *testing.T, size fyne.Size, lib *uitest.Library, seen Library, edit func(*state.Snapshot)) *world {
	t.Helper()
	home := t.TempDir() // the test must not see the user's clients
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CODEX_HOME", "")
	s := state.Snapshot{
		URL: "http://127.0.0.1:5149", Folder: state.Folder{Kind: state.AllSessions},
		Query: state.Query{Rating: -1, SortBy: "created"}, Mode: state.Grid, Settings: state.DefaultSettings(),
		Window: state.WindowShown, PropertiesPanel: true, FollowLatest: true,
	}
	s.Settings.Language, s.Settings.Theme, s.Revision = "en", "light", lib.Changes().Last()
	if edit != nil {
		edit(&s)
	}
	w := &world{t: t, q: uitest.NewQueue(), bus: eventbus.New(), store: state.NewStore(s), lib: lib}
	w.pictures = announce.NewPictures(w.bus, w.store, lib, slog.New(slog.DiscardHandler))
	var announcing sync.WaitGroup
	announcing.Go(func() { w.pictures.Run(t.Context()) })
	gallerytools.Register(&chain.Chain{Bus: w.bus, Store: w.store}, gallerytools.Deps{Store: w.store, Library: lib, Kept: lib.Library, Pictures: w.pictures, Directories: lib})
	export.Register(&chain.Chain{Bus: w.bus, Store: w.store}, export.Deps{
		Library: lib, Pages: &w.figures, Values: func(context.Context, library.Image) ([]byte, bool) { return []byte("x,y\r\n"), w.sample },
	})
	w.app = New(Config{
		App: uitest.App(t), Store: w.store, Bus: w.bus, Library: seen, Kept: lib.Library, Do: w.q.Do,
		Now:     func() time.Time { return uitest.Start.Add(2 * time.Hour) },
		Version: "0.1.0", Exe: "/opt/easel/easel", Bridge: []string{"mcp"}, DataDir: "/data", Token: func() string { return "0123456789abcdef" },
		Displayed: w.displayed,
		Demo:      func(context.Context) error { return nil }, Quit: func() {}, stand: time.Hour, apart: time.Millisecond, linger: time.Hour,
	})
	if size.Width > 0 {
		w.app.win.Resize(size)
	}
	t.Cleanup(func() {
		announcing.Wait()
		w.app.Close()
		if err := w.bus.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.settled()
	return w
}

// displayed returns what an execution printed, and its error.
func (w *world) displayed(ctx context.Context, id string) (catalog.Execution, error) {
	x, err := w.lib.Execution(ctx, id)
	if err != nil {
		return catalog.Execution{}, err
	}
	out, _, errOut := w.lib.Library.Output.Read(ctx, id, output.Stdout, 0, 1<<20)
	warned, _, errWarned := w.lib.Library.Output.Read(ctx, id, output.Stderr, 0, 1<<20)
	return catalog.Execution{Status: x.Status, Error: x.Error, Stdout: string(out), Stderr: string(warned)}, errors.Join(errOut, errWarned)
}

// settled waits until everything that is read in the background is on the screen.
func (w *world) settled() {
	w.t.Helper()
	w.pictures.Announce()
	w.q.Until(w.t, "the window to settle", func() bool {
		c := w.app.shell.gallery
		return w.app.shell.connect.Settled() && c.listed && c.acting == 0 && w.app.shell.side.Settled() && w.app.shell.props.Settled() &&
			w.app.requests.Pending() == 0 && !w.app.frames.drawing.Load() && c.grid.Settled() && (c.mode != state.Viewer || c.view.Settled()) &&
			(!c.comparing || c.versus.Settled())
	})
}

func (w *world) call(t *testing.T, name, args string) {
	t.Helper()
	invoke(t, w.bus, name, args)
	w.settled()
}

// invoke calls a tool as an assistant does.
func invoke(t *testing.T, bus *eventbus.Bus, name, args string) {
	t.Helper()
	for _, x := range catalog.All() {
		if x.Spec().Name == name {
			ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude-code", Version: "2.1.0"})
			if _, _, err := x.Invoke(ctx, bus, json.RawMessage(args)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return
		}
	}
	t.Fatalf("no tool %s", name)
}

func (w *world) key(names ...fyne.KeyName) {
	for _, n := range names {
		w.app.typedKey(&fyne.KeyEvent{Name: n})
		w.settled()
	}
}

// click presses the mouse on a plot in the grid, after scrolling to it.
func (w *world) click(id string, mod fyne.KeyModifier) {
	w.t.Helper()
	grid := w.app.shell.gallery.grid
	grid.Reveal(id)
	cell, ok := grid.CellOf(id).(desktop.Mouseable)
	if !ok {
		w.t.Fatalf("%s has no cell", id)
	}
	at := &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(50, 50)}, Button: desktop.MouseButtonPrimary, Modifier: mod}
	cell.MouseDown(at)
	cell.MouseUp(at)
	w.settled()
}

func (w *world) selection() []string { return w.store.Snapshot().Selection }

const sineCode = "import numpy as np\nimport matplotlib.pyplot as plt\n\nx = np.linspace(0, 10, 400)\nplt.plot(x, np.sin(x), label=\"sin\")  # 正弦\nplt.title(\"Sine\")\nplt.show()\n"

// galleryOf returns a library with n plots of two sessions, some rated and tagged.
func galleryOf(t testing.TB, n int) *uitest.Library {
	lib := uitest.NewLibrary(t)
	lib.AddSession(1, "売上.ipynb", "Cursor 1.9")
	lib.AddSession(0, "analysis", "claude-code 2.1.0")
	titles := []string{"Sine", "", "売上（地域別）2026年", "Feature distributions before and after the robust scaling"}
	for i := range n {
		id := lib.Add(i%2, titles[i%4], sineCode)
		if i%3 == 2 {
			lib.Rate(3+i%3, id)
		}
		if i%5 == 1 {
			lib.Tag([]string{"keep"}, id)
		}
	}
	if n > 0 {
		lib.SetOutput("img00001", "stdout", "epoch 1  loss 0.71\nepoch 2  loss 0.43\n")
	}
	return lib
}

// busy adds a running session and an idle one to a state.
func busy(s *state.Snapshot) {
	a := state.Session{Name: "analysis", Client: "claude-code 2.1.0", Running: &state.RunningCode{
		ExecutionID: "x", Code: "fit()", Client: "claude-code 2.1.0", Since: uitest.Start.Add(2*time.Hour - 41*time.Second),
	}}
	a.SessionID, a.KernelID, a.KernelName, a.Status, a.Images = uitest.SessionID(0), uitest.SessionID(0), "python3", "busy", 6
	b := state.Session{Name: "売上.ipynb", Client: "Cursor 1.9", Colour: 1}
	b.SessionID, b.KernelID, b.KernelName, b.Status, b.Images = uitest.SessionID(1), uitest.SessionID(1), "python3", "idle", 6
	s.Sessions = []state.Session{a, b}
	s.Clients = []state.Client{{Name: "claude-code", Version: "2.1.0", First: uitest.Start, Last: uitest.Start.Add(time.Hour), Calls: 12}}
}
