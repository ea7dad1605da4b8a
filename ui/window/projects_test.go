package window

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// working is the question whether a client may work in a project.
func working(p catalog.Project) func(*state.Snapshot) {
	return func(s *state.Snapshot) {
		q := question("1", "claude-code 2.1.0", "")
		q.ExecutionID, q.SessionID, q.Project = "", "", &p
		s.Approvals = []catalog.Approval{q}
	}
}

func TestProjectQuestionGoldens(t *testing.T) {
	sales := catalog.Project{
		Name: "sales", Root: "/home/ann/sales", Environment: "sales/.venv, Python 3.12.1, uv",
		Why: catalog.Reason{Text: "It is active ($VIRTUAL_ENV)", Kind: "active", Detail: "$VIRTUAL_ENV"},
	}
	bare := catalog.Project{
		Name: "売上 2026", Root: "/home/ann/仕事/売上 2026", Command: "uv sync",
		Missing: catalog.Reason{Text: "uv.lock describes an environment that does not exist yet", Kind: "not_made", Detail: "uv.lock"},
	}
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
	}{
		"ask_project":      {wide, working(sales)},
		"ask_project_away": {wide, working(catalog.Project{Name: "gpu:forecast", Root: "ssh://ann@gpu.example:2222/home/ann/forecast"})},
		"ask_project_away_ja_narrow": {narrowed, func(s *state.Snapshot) {
			working(catalog.Project{Name: "gpu:売上 2026", Root: "ssh://gpu/home/ann/仕事/売上 2026"})(s)
			s.Settings.Language = "ja"
		}},
		"ask_project_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { working(bare)(s); s.Settings.Theme, s.Settings.Language = "dark", "ja" }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) { busy(s); c.edit(s) })
			w.armed()
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// at returns a path that is absolute on this system, also on Windows.
func at(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return abs
}

// inProjects puts sessions in two projects into a state; the server of the second rests.
func inProjects(s *state.Snapshot) {
	sales, forecast := at("/home/ann/sales"), at("/home/ann/仕事/売上 2026")
	session := func(n int, root, notebook, status, environment string) state.Session {
		x := state.Session{Client: "claude-code 2.1.0", Colour: n, Project: root}
		x.SessionID, x.KernelID, x.KernelName, x.Status = uitest.SessionID(n), uitest.SessionID(n), "python3", status
		x.Server, x.NotebookPath, x.Directory, x.Environment, x.Images = cmp.Or(map[bool]string{true: filepath.Base(root)}[root != ""], "managed"), notebook, root, environment, n
		return x
	}
	s.Projects = []command.Project{
		{
			Root: sales, Server: "sales", Python: command.ProjectPython{Python: filepath.Join(sales, ".venv", "bin", "python"), Label: "sales/.venv, Python 3.12.1, uv"},
			Notebooks: []string{"explore.ipynb", "reports/2026/売上の推移と予測 第3四半期.ipynb", "a.ipynb", "b.ipynb", "c.ipynb"},
		},
		{
			Root: forecast, Server: "売上 2026", Command: "uv sync",
			Missing: catalog.Reason{Text: "uv.lock describes an environment that does not exist yet", Kind: "not_made", Detail: "uv.lock"},
		},
	}
	s.Sessions = []state.Session{
		session(0, sales, "explore.ipynb", "busy", "sales/.venv, Python 3.12.1, uv"),
		session(1, sales, "", "idle", "sales/.venv, Python 3.12.1, uv"),
		session(2, forecast, "", "idle", ""),
		session(3, forecast, "とても長い名前のノートブック 第3四半期の売上.ipynb", "idle", ""),
		session(4, "", "", "idle", ""),
	}
	s.Kernels = nil
}

func TestSidebarOfProjectsGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
		then func(*world)
	}{
		"projects":                {wide, func(*state.Snapshot) {}, func(*world) {}},
		"projects_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { s.Settings.Theme, s.Settings.Language = "dark", "ja" }, func(w *world) { w.app.shell.toggleSide() }},
		"projects_folded": {wide, func(*state.Snapshot) {}, func(w *world) {
			w.sideRow("sales").TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) { inProjects(s); s.PropertiesPanel = false; c.edit(s) })
			w.settled()
			c.then(w)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// says reports whether an object has a line of text.
func says(o fyne.CanvasObject, text string) bool {
	return slices.ContainsFunc(test.LaidOutObjects(o), func(x fyne.CanvasObject) bool {
		line, ok := x.(*kit.Line)
		return ok && line.Full() == text
	})
}

// sideRow returns the row of the sidebar with a name, with the focus.
func (w *world) sideRow(name string) *kit.Stop {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(w.app.shell.side.Object()) {
		s, ok := o.(*kit.Stop)
		if ok && says(s, name) {
			s.Reach()
			w.app.win.Canvas().Focus(s)
			return s
		}
	}
	w.t.Fatalf("the sidebar has no row %q", name)
	return nil
}

// TestTheKeyboardInTheSidebar walks over the rows of a project, folds it and opens its menu. The
// focus stays where it is when the rows are made again.
func TestTheKeyboardInTheSidebar(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), inProjects)
	w.settled()
	key := func(name fyne.KeyName) {
		w.app.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
		w.settled()
	}
	has := func(name string) {
		t.Helper()
		s, ok := w.app.win.Canvas().Focused().(*kit.Stop)
		if !ok || !says(s, name) {
			t.Errorf("the focus is not at %q", name)
		}
	}
	w.sideRow("sales")
	key(fyne.KeyDown)
	has(".venv, Python 3.12.1, uv")
	key(fyne.KeyUp)
	key(fyne.KeyLeft)
	has("sales")
	key(fyne.KeyDown)
	has("売上 2026")
	key(fyne.KeyUp)
	key(fyne.KeyReturn) // unfolds it
	has("sales")
	w.store.Update(func(s *state.Snapshot) { s.Sessions = s.Sessions[1:] })
	w.settled()
	has("sales")
	key(desktop.KeyMenu)
	w.item("New notebook")
	w.settled()
	w.reads("New notebook in sales")
	w.app.win.Canvas().Focused().(*kit.Field).SetText("../x")
	w.press("Create")
	w.reads("for example plots.ipynb")
}

// TestAPersonOpensAProject opens a folder that is none, and one whose environment is missing.
func TestAPersonOpensAProject(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	asked := make(chan catalog.SessionCreateIn, 1)
	command.OpenProject.Handle(w.bus, func(_ context.Context, dir string) (command.OpenProjectOut, error) {
		if dir == "/home/ann" {
			return command.OpenProjectOut{Refused: catalog.Reason{Text: "is your home directory, not a project", Kind: "home"}}, nil
		}
		return command.OpenProjectOut{Project: command.Project{
			Root: dir, Command: "uv sync", Missing: catalog.Reason{Text: "uv.lock describes an environment that does not exist yet", Kind: "not_made", Detail: "uv.lock"},
		}}, nil
	}, nil)
	catalog.SessionCreate.Handle(w.bus, func(_ context.Context, in catalog.SessionCreateIn) (catalog.SessionCreateOut, error) {
		asked <- in
		return catalog.SessionCreateOut{Result: catalog.OK, SessionID: uitest.SessionID(0)}, nil
	}, nil)
	w.app.projects.Open("/home/ann")
	w.reads("/home/ann is your home directory, not a project.")
	w.press("Cancel")
	w.app.projects.Open("/home/ann/bare")
	w.reads("uv sync")
	uitest.Golden(t, "project_lacks", w.app.win.Canvas())
	w.press("Copy command")
	if got := w.app.cfg.App.Clipboard().Content(); got != "uv sync" {
		t.Errorf("copied %q", got)
	}
	w.app.projects.Open("/home/ann/bare")
	w.reads("uv sync")
	w.press("Start anyway")
	if in := <-asked; in.Directory != "/home/ann/bare" || in.NotebookPath != "" {
		t.Errorf("asked %+v", in)
	}
	w.says("Session started in bare")
}

// TestAProjectIsChosenByKeys opens the folder that is typed into the dialog of Ctrl+Shift+O.
func TestAProjectIsChosenByKeys(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 1), nil)
	opened := make(chan string, 1)
	command.OpenProject.Handle(w.bus, func(_ context.Context, dir string) (command.OpenProjectOut, error) {
		opened <- dir
		return command.OpenProjectOut{Project: command.Project{Root: dir}, Refused: catalog.Reason{Text: "is not one", Kind: "home"}}, nil
	}, nil)
	w.app.shortcut(ctrlShift(fyne.KeyO))
	w.settled()
	w.q.Until(t, "the dialog", func() bool {
		f, ok := w.app.win.Canvas().Focused().(*kit.Field)
		return ok && f.Text != "" && f.CursorColumn == len([]rune(f.Text))
	})
	f := w.app.win.Canvas().Focused().(*kit.Field)
	f.SetText("~/売上")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if got := <-opened; got != "~/売上" {
		t.Errorf("opened %q", got)
	}
	w.reads("~/売上 is your home directory")
}

// TestAProjectIsOpenedFromAnEmptySidebar opens the dialog with the only row of the projects, and
// types the beginning of a path: the list has the folders that begin so.
func TestAProjectIsOpenedFromAnEmptySidebar(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	w.settled()
	w.sideRow("Open a project…").TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.settled()
	w.q.Until(t, "the dialog", func() bool {
		f, ok := w.app.win.Canvas().Focused().(*kit.Field)
		return ok && f.Text != ""
	})
	dir := t.TempDir()
	for _, name := range []string{"Sales", "sales-2", "other", ".sales"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	f := w.app.win.Canvas().Focused().(*kit.Field)
	shown := func() (names []string) {
		for _, text := range uitest.Texts(w.app.win.Canvas()) {
			if name, ok := strings.CutSuffix(text, "/"); ok && !strings.ContainsAny(name, `/\`) { // not the path itself
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	for typed, want := range map[string][]string{ // also with a slash on Windows
		dir + "/":                {"Sales", "other", "sales-2"},
		filepath.Join(dir, "sa"): {"Sales", "sales-2"},
		filepath.Join(dir, ".s"): {".sales"},
	} {
		f.SetText(typed)
		w.q.Until(t, "the folders of "+typed, func() bool { return slices.Equal(shown(), want) })
		if f.Text != typed {
			t.Errorf("%q became %q", typed, f.Text)
		}
	}
}

// TestProjectsOfOneNameAreToldApart checks the names of projects in folders of one name, the last
// of which rests: it has a session and no server. The project that assistants may no longer work
// in offers no other Python.
func TestProjectsOfOneNameAreToldApart(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
		inProjects(s)
		s.Projects = []command.Project{{Root: "/home/ann/work/sales", Server: "sales-2"}, s.Projects[0]}
		s.Sessions[2].Project = "/srv/sales"
		s.Sessions = s.Sessions[:3]
	})
	w.settled()
	for _, name := range []string{"ann/sales", "work/sales", "srv/sales"} {
		w.sideRow(name)
	}
	if says(w.app.shell.side.Object(), w.app.shell.k.T("sidebar.sessions")) {
		t.Error("there is a title for sessions that work in no project, and none does")
	}
	w.app.projects.Menu("/srv/sales", fyne.Position{})
	w.reads("New session here")
	if texts := uitest.Texts(w.app.win.Canvas()); slices.Contains(texts, "Python…") {
		t.Errorf("the menu of a project that is not allowed has %q", texts)
	}
}

// The menu of a project hides its secrets from assistants, or shows them. Where none are hidden, it does not ask.
func TestTheMenuOfAProjectHidesItsSecrets(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), inProjects)
	w.settled()
	root := at("/home/ann/sales")
	for _, want := range []bool{true, false} {
		w.app.projects.Menu(root, fyne.Position{})
		w.item("Hide secrets from assistants")
		w.settled()
		if _, shown := w.store.Snapshot().Settings.SecretsShown.Find(root); shown != want {
			t.Errorf("shown %v, want %v", shown, want)
		}
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.ShowSecrets = true })
	w.settled()
	w.app.projects.Menu(root, fyne.Position{})
	if texts := uitest.Texts(w.app.win.Canvas()); slices.Contains(texts, "Hide secrets from assistants") {
		t.Errorf("the menu has %q", texts)
	}
}
