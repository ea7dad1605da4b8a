package window

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestTheThemeIsSetByItsTool checks that the user's choice of a theme uses the
// assistants' tool, which then records that the user acted.
func TestTheThemeIsSetByItsTool(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { s.ByAssistant = "claude-code did something" })
	w.app.shell.open(pageSettings)
	w.settled()
	test.Tap(w.button("Dark"))
	w.settled()
	if s := w.store.Snapshot(); s.Settings.Theme != "dark" || s.ByAssistant != "" {
		t.Errorf("theme %q, by the assistant %q", s.Settings.Theme, s.ByAssistant)
	}
}

// TestASlowDiskDoesNotBlockTheSettings creates a new token while the disk does not
// respond.
func TestASlowDiskDoesNotBlockTheSettings(t *testing.T) {
	release, calls := make(chan struct{}), make(chan error, 2)
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	w.app.cfg.RotateToken = func() (err error) {
		select {
		case <-release:
		case <-time.After(time.Minute):
			err = errors.New("the UI goroutine waits for the disk")
		}
		calls <- err
		return err
	}
	w.app.rebuild(w.store.Snapshot())
	w.app.shell.render(w.store.Snapshot())
	w.app.shell.open(pageSettings)
	w.settled()
	for range 2 { // the second request is ignored
		test.Tap(w.button("New token"))
		w.press("New token")
	}
	test.Tap(w.button("Dark"))
	w.q.Until(t, "the dark settings", func() bool { return w.app.shell.k.P.Dark })
	close(release)
	w.said("New token created")
	if err := <-calls; err != nil || len(calls) > 0 {
		t.Errorf("%v, %d more calls", err, len(calls))
	}
}

func TestServersInTheSettings(t *testing.T) {
	servers := func(s *state.Snapshot) {
		s.Servers = []state.Server{
			{ServerHealth: catalog.ServerHealth{Name: "managed", Managed: true, State: "ready", URL: "http://127.0.0.1:45011/"}},
			{ServerHealth: catalog.ServerHealth{Name: "lab", State: "unauthorized", URL: "https://lab.example.org/user/ann/"}},
			{ServerHealth: catalog.ServerHealth{Name: "local-8888", State: "ready", URL: "http://localhost:8888/"}},
			{ServerHealth: catalog.ServerHealth{Name: "gpu", State: "unreachable", URL: "ssh://ann@gpu/?port=8888", Reason: "unknown_host_key", Message: "as in the log"}},
		}
		s.OwnServers = []string{"lab", "gpu"}
		s.CanAutostart = true
	}
	w := newWorld(t, wide, galleryOf(t, 0), servers)
	w.app.shell.open(pageSettings)
	w.settled()
	w.scroll(1340)
	uitest.Golden(t, "settings_servers", w.app.win.Canvas())
	added, preferred := make(chan command.NamedServer, 1), make(chan string, 1)
	command.AddServer.Handle(w.bus, func(_ context.Context, in command.NamedServer) (struct{}, error) {
		added <- in
		return struct{}{}, nil
	}, nil)
	command.PreferServer.Handle(w.bus, func(_ context.Context, name string) (struct{}, error) {
		preferred <- name
		return struct{}{}, nil
	}, nil)
	w.typeHere(w.app.shell.k.T("servers.name"), "mine")
	w.typeHere("http://localhost:8888/", " http://mine:8888/ ")
	w.typeHere(w.app.shell.k.T("servers.token"), "secret")
	w.store.Update(func(s *state.Snapshot) { s.Servers = s.Servers[:2] }) // keeps what is being typed
	w.settled()
	test.Tap(w.button("Add"))
	if in := <-added; in != (command.NamedServer{Name: "mine", URL: "http://mine:8888/", Token: "secret"}) {
		t.Errorf("added %+v", in)
	}
	w.said("Added mine")
	test.Tap(w.button("Make default"))
	if got := <-preferred; got != "lab" {
		t.Errorf("made %q the default", got)
	}
	removed := make(chan string, 1)
	command.RemoveServer.Handle(w.bus, func(_ context.Context, name string) (struct{}, error) {
		removed <- name
		return struct{}{}, nil
	}, nil)
	test.Tap(w.button("Remove"))
	w.press("Remove")
	if got := <-removed; got != "lab" {
		t.Errorf("removed %q", got)
	}
	w.said("Removed")
}

// TestProjectsInTheSettings chooses a project's Python, and takes the permission back.
func TestProjectsInTheSettings(t *testing.T) {
	sales, forecast := at("/home/ann/sales"), at("/home/ann/売上 2026")
	python := filepath.Join(sales, ".venv", "bin", "python")
	w := newWorld(t, wide, galleryOf(t, 0), func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: sales}).With(state.Project{Root: forecast, Python: filepath.Join(forecast, ".venv", "bin", "python")})
		s.Servers = []state.Server{
			{ServerHealth: catalog.ServerHealth{Name: "managed", Managed: true, State: "ready", URL: "http://127.0.0.1:45011/"}},
			{ServerHealth: catalog.ServerHealth{Name: "sales", Managed: true, State: "ready", URL: "http://127.0.0.1:45012/"}},
		}
	})
	command.ProjectPythons.Handle(w.bus, func(_ context.Context, root string) (command.ProjectPythonsOut, error) {
		if root != sales {
			t.Errorf("asked for %q", root)
		}
		return command.ProjectPythonsOut{Found: []command.ProjectPython{
			{Python: python, Label: "sales/.venv, Python 3.12.1, uv"},
			{Python: filepath.Join(sales, "env", "bin", "python"), Label: "sales/env, venv", Broken: catalog.Reason{Text: "Its Python no longer exists (/usr/bin/python3.9)", Kind: "removed", Detail: "/usr/bin/python3.9"}},
		}}, nil
	}, nil)
	w.app.shell.open(pageSettings)
	w.settled()
	w.scroll(1240)
	test.Tap(w.button("Python…"))
	w.reads("Easel's own")
	uitest.Golden(t, "settings_projects", w.app.win.Canvas())
	chosen := make(chan command.ChoosePythonIn, 1)
	command.ChoosePython.Handle(w.bus, func(_ context.Context, in command.ChoosePythonIn) (struct{}, error) {
		chosen <- in
		return struct{}{}, nil
	}, nil)
	w.item("sales/.venv, Python 3.12.1, uv")
	root := state.Project{Root: sales, Python: python}
	if got := <-chosen; got != command.ChoosePythonIn(root) {
		t.Errorf("chose %+v", got)
	}
	w.says("New sessions in sales use: sales/.venv, Python 3.12.1, uv")
	test.Tap(w.button("Remove"))
	w.press("Remove")
	if _, ok := w.store.Snapshot().Settings.Projects.Find(root.Root); ok {
		t.Error("the project is still allowed")
	}
}

func TestStartAtLoginAndLicences(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), func(s *state.Snapshot) { s.CanAutostart = true })
	asked := make(chan bool, 1)
	w.app.cfg.Autostart = func(on bool) error { asked <- on; return nil }
	w.app.shell.open(pageSettings)
	w.settled()
	w.app.Autostart(true)
	if !<-asked {
		t.Error("asked not to start at login")
	}
	w.besideLine("Licences", "Show")
	uitest.Golden(t, "licences", w.app.win.Canvas())
}

func TestABrokenSettingsFileIsTold(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its path is not absolute there")
	}
	w := newWorld(t, narrowed, galleryOf(t, 2), func(s *state.Snapshot) {
		s.Notices = []state.Notice{{ID: "settings", Level: state.LevelWarning, Text: "English", Hint: "/home/ann/.local/share/easel/settings.json.broken-20260314T092600"}}
	})
	revealed := make(chan string, 1)
	w.app.cfg.Reveal = func(path string) error { revealed <- path; return nil }
	uitest.Golden(t, "broken_settings", w.app.win.Canvas())
	test.Tap(w.button("Show in folder"))
	if got := <-revealed; !strings.HasSuffix(got, "broken-20260314T092600") {
		t.Errorf("showed %q", got)
	}
}

// typeHere types into the empty field with a placeholder.
func (w *world) typeHere(placeholder, text string) {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Content()) {
		if f, ok := o.(*kit.Field); ok && f.PlaceHolder == placeholder && f.Text == "" {
			f.SetText(text)
			return
		}
	}
	w.t.Fatalf("there is no empty field %q", placeholder)
}
