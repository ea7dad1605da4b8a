package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/clients"
	"easel/ui/kit"
	"easel/ui/state"
	"easel/ui/uitest"
)

// button is the button of the window that has a text.
func (w *world) button(text string) *kit.Button {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Content()) {
		if b, ok := o.(*kit.Button); ok && b.Text() == text {
			return b
		}
	}
	w.t.Fatalf("there is no button %q", text)
	return nil
}

func (w *world) client(name string) {
	w.t.Helper()
	c := w.app.shell.connect
	for i, x := range clientKinds {
		if x.name == name {
			c.at = i
			c.render(w.store.Snapshot())
			return
		}
	}
	w.t.Fatalf("no client %q", name)
}

func TestConnectWritesTheFile(t *testing.T) {
	w := newWorld(t, wide, galleryOf(0), nil)
	home := os.Getenv("HOME")
	path := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	commented := filepath.Join(home, ".gemini", "settings.json")
	if err := os.MkdirAll(filepath.Dir(commented), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(commented, []byte("{} // mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.app.shell.open(pageConnect)
	w.settled()
	w.client("Cursor")
	test.Tap(w.button("Write it into the file"))
	w.said("Written into ~/.cursor/mcp.json. As it was: mcp.json.before-easel.")
	w.settled()
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), "Bearer 0123456789abcdef") || !strings.Contains(string(raw), `"other"`) {
		t.Errorf("the file is %s, %v", raw, err)
	}
	if b := w.button("The file has it"); b.Enabled() {
		t.Error("it can be written again")
	}
	if got := w.app.shell.connect.files[w.app.shell.connect.at].state; got != clients.Same {
		t.Errorf("the page takes the file for %d", got)
	}
	uitest.Golden(t, "connect_written", w.app.win.Canvas())
	w.client("Gemini CLI")
	uitest.Golden(t, "connect_not_plain", w.app.win.Canvas())
	if raw, err := os.ReadFile(commented); err != nil || string(raw) != "{} // mine" {
		t.Errorf("the file with a comment is %s, %v", raw, err)
	}
}

func TestSwaggerOpensAuthorised(t *testing.T) {
	w := newWorld(t, wide, galleryOf(0), nil)
	opened := make(chan string, 1)
	w.app.cfg.OpenSecret = func(address string) error { opened <- address; return nil }
	w.app.shell.open(pageConnect)
	w.settled()
	test.Tap(w.button("API in the browser"))
	if got := <-opened; got != "http://127.0.0.1:5149/api/swagger/#token=0123456789abcdef" {
		t.Errorf("opened %q", got)
	}
}

func TestServersInTheSettings(t *testing.T) {
	servers := func(s *state.Snapshot) {
		s.Servers = []state.Server{
			{ServerHealth: catalog.ServerHealth{Name: "managed", Managed: true, State: "ready", URL: "http://127.0.0.1:45011/"}},
			{ServerHealth: catalog.ServerHealth{Name: "lab", State: "unauthorized", URL: "https://lab.example.org/user/ann/"}},
			{ServerHealth: catalog.ServerHealth{Name: "local-8888", State: "ready", URL: "http://localhost:8888/"}},
		}
		s.OwnServers = []string{"lab"}
		s.CanAutostart = true
	}
	w := newWorld(t, wide, galleryOf(0), servers)
	w.app.shell.open(pageSettings)
	w.settled()
	prefs := w.app.shell.prefs
	prefs.column.ScrollTo(560)
	uitest.Golden(t, "settings_servers", w.app.win.Canvas())
	added, preferred := make(chan catalog.NamedServer, 1), make(chan string, 1)
	catalog.AddServer.Handle(w.bus, func(_ context.Context, in catalog.NamedServer) (struct{}, error) {
		added <- in
		return struct{}{}, nil
	}, nil)
	catalog.PreferServer.Handle(w.bus, func(_ context.Context, name string) (struct{}, error) {
		preferred <- name
		return struct{}{}, nil
	}, nil)
	c := prefs.cards
	c.submit() // nothing typed
	w.said("Give a name and an address")
	c.name.SetText("mine")
	c.url.SetText(" http://mine:8888/ ")
	c.token.SetText("secret")
	w.store.Update(func(s *state.Snapshot) { s.Servers = s.Servers[:2] }) // what is typed stays
	w.settled()
	test.Tap(w.button("Add"))
	if in := <-added; in != (catalog.NamedServer{Name: "mine", URL: "http://mine:8888/", Token: "secret"}) {
		t.Errorf("added %+v", in)
	}
	w.said("Added mine")
	if c.token.Text != "" {
		t.Error("the token still stands there")
	}
	c.name.SetText("lab") // one that is known
	c.url.SetText("https://lab.example.org/user/ann/")
	c.token.SetText("new")
	test.Tap(w.button("Add"))
	if in := <-added; in.Name != "lab" || in.Token != "new" {
		t.Errorf("added %+v", in)
	}
	w.said("lab has a new token")
	test.Tap(w.button("Make default"))
	if got := <-preferred; got != "lab" {
		t.Errorf("made %q the default", got)
	}
	removed := make(chan string, 1)
	catalog.RemoveServer.Handle(w.bus, func(_ context.Context, name string) (struct{}, error) {
		removed <- name
		return struct{}{}, nil
	}, nil)
	test.Tap(w.button("Remove"))
	w.press("Remove")
	if got := <-removed; got != "lab" {
		t.Errorf("removed %q", got)
	}
}

func TestStartAtLoginAndLicences(t *testing.T) {
	w := newWorld(t, wide, galleryOf(0), func(s *state.Snapshot) { s.CanAutostart = true })
	asked := make(chan bool, 1)
	w.app.cfg.Autostart = func(on bool) error { asked <- on; return nil }
	w.app.shell.open(pageSettings)
	w.settled()
	test.Tap(w.app.shell.prefs.login)
	if !<-asked {
		t.Error("asked not to start at login")
	}
	test.Tap(w.button("Show"))
	uitest.Golden(t, "licences", w.app.win.Canvas())
}

func TestABrokenSettingsFileIsTold(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(2), func(s *state.Snapshot) {
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
