package window

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/clients"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// button is the button of the window that has a text.
func (w *world) button(text string) *kit.Button {
	w.t.Helper()
	b, ok := w.seekButton(text)
	if !ok {
		w.t.Fatalf("there is no button %q", text)
	}
	return b
}

func (w *world) seekButton(text string) (*kit.Button, bool) {
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Content()) {
		if b, ok := o.(*kit.Button); ok && b.Text() == text {
			return b, true
		}
	}
	return nil, false
}

func (w *world) client(name string) {
	w.t.Helper()
	for i, x := range clients.All {
		if x.Name == name {
			w.app.shell.connect.choose(i)
			return
		}
	}
	w.t.Fatalf("no client %q", name)
}

// homeFile writes a file under the test's home directory.
func homeFile(t *testing.T, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{os.Getenv("HOME")}, path...)...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestConnectWritesTheFile(t *testing.T) {
	w := newWorld(t, wide, galleryOf(0), nil)
	path := homeFile(t, "# mine\nmodel = \"gpt-5\"\n", ".codex", "config.toml")
	damaged := homeFile(t, "{\"theme\": ", ".gemini", "settings.json")
	homeFile(t, "{\"mcpServers\": {\"easel\": {\"url\": \"http://127.0.0.1:5000/mcp\"}}}", ".cursor", "mcp.json")
	w.app.shell.open(pageConnect)
	w.settled()
	w.client("Codex")
	test.Tap(w.button("Write to file"))
	w.said("Written to ~/.codex/config.toml. Backup: config.toml.before-easel.")
	w.settled()
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), "Bearer 0123456789abcdef") || !strings.HasPrefix(string(raw), "# mine\nmodel") {
		t.Errorf("the file is %s, %v", raw, err)
	}
	if b := w.button("Already in the file"); b.Enabled() {
		t.Error("it can be written again")
	}
	if got := w.app.shell.connect.files[w.app.shell.connect.at].state; got != clients.Same {
		t.Errorf("the page takes the file for %d", got)
	}
	uitest.Golden(t, "connect_written", w.app.win.Canvas())
	w.client("Gemini CLI")
	uitest.Golden(t, "connect_not_plain", w.app.win.Canvas())
	if raw, err := os.ReadFile(damaged); err != nil || string(raw) != "{\"theme\": " {
		t.Errorf("the damaged file is %s, %v", raw, err)
	}
}

// names are those of the clients in a group of the list.
func (w *world) names(group []int) string {
	var all []string
	for _, i := range group {
		all = append(all, w.app.shell.connect.name(clients.All[i]))
	}
	return strings.Join(all, ", ")
}

func TestTheListOfClientsIsGroupedAndSearched(t *testing.T) {
	w := newWorld(t, wide, galleryOf(0), func(s *state.Snapshot) {
		s.Clients = []state.Client{{Name: "Visual Studio Code", Version: "1.104", Last: uitest.Start}}
	})
	homeFile(t, "", ".codex", "config.toml")
	w.app.shell.open(pageConnect)
	w.settled()
	c := w.app.shell.connect
	here, others := c.groups(w.store.Snapshot())
	if got := w.names(here); got != "Codex, VS Code" || len(here)+len(others) != len(clients.All) {
		t.Errorf("here: %s; %d others", got, len(others))
	}
	test.Type(c.find, "CO")
	here, others = c.groups(w.store.Snapshot())
	if got := w.names(others); w.names(here) != "Codex, VS Code" || got != "Claude Code, Continue, GitHub Copilot CLI, opencode, Qwen Code" {
		t.Errorf("found %s", got)
	}
	c.find.OnSubmitted(c.find.Text)
	if got := clients.All[c.at].Name; got != "Codex" {
		t.Errorf("Enter shows %q", got)
	}
	test.Type(c.find, "#")
	uitest.Golden(t, "connect_no_match", w.app.win.Canvas())
	c.find.OnEsc()
	if here, _ := c.groups(w.store.Snapshot()); len(here) != 2 {
		t.Errorf("Escape leaves %d", len(here))
	}
}

func TestTestThisClient(t *testing.T) {
	w := newWorld(t, wide, galleryOf(0), nil)
	w.app.shell.open(pageConnect)
	w.settled()
	heard := func(edit func(*state.Client)) {
		w.store.Update(func(s *state.Snapshot) {
			if s.Clients = slices.Clone(s.Clients); len(s.Clients) == 0 {
				s.Clients = []state.Client{{Name: "codex-mcp-client", Version: "0.169.0", First: uitest.Start, Last: uitest.Start}}
			}
			edit(&s.Clients[0])
		})
		w.settled()
	}
	w.client("Codex")
	if _, asks := w.seekButton("Yes"); asks {
		t.Error("it asks before there was a picture")
	}
	heard(func(*state.Client) {})
	heard(func(c *state.Client) { c.Calls = 3 })
	heard(func(c *state.Client) {
		c.Picture = state.SentPicture{URI: "jupyter://sessions/a/images/b.png", At: uitest.Start.Add(time.Minute), Inline: true}
	})
	c := w.app.shell.connect
	c.detail.ScrollTo(400)
	uitest.Golden(t, "connect_test_asks", w.app.win.Canvas())
	deliveries := func() string { return w.store.Snapshot().Settings.DeliveryBy.Of("codex-mcp-client") }
	test.Tap(w.button("No"))
	w.said("From now on, Codex gets plots as links.")
	w.settled()
	if got := deliveries(); got != catalog.ImagesLink {
		t.Errorf("after No: %q", got)
	}
	uitest.Golden(t, "connect_test_links", w.app.win.Canvas())
	test.Tap(w.app.shell.toast.act)
	w.settled()
	if got := deliveries(); got != "" {
		t.Errorf("after Undo: %q", got)
	}
	test.Tap(w.button("Yes"))
	w.settled()
	if got := deliveries(); got != catalog.ImagesInline {
		t.Errorf("after Yes: %q", got)
	}
	uitest.Golden(t, "connect_test_passed", w.app.win.Canvas())
	test.Tap(w.button("Ask again"))
	w.settled()
	if _, asks := w.seekButton("Yes"); !asks || deliveries() != "" {
		t.Errorf("it does not ask again: %q", deliveries())
	}
	heard(func(c *state.Client) { c.Picture.Inline = false })
	test.Tap(w.button("Send pictures"))
	w.settled()
	if got := deliveries(); got != catalog.ImagesInline {
		t.Errorf("after Send pictures: %q", got)
	}
}

func TestADecisionIsShownBeforeTheClientConnects(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(0), func(s *state.Snapshot) {
		s.Settings.Language = "ja"
		s.Settings.DeliveryBy = s.Settings.DeliveryBy.With("codex-mcp-client", catalog.ImagesLink)
	})
	w.app.shell.open(pageConnect)
	w.settled()
	w.client("Codex")
	w.app.shell.connect.detail.ScrollTo(400)
	uitest.Golden(t, "connect_decided_ja_narrow", w.app.win.Canvas())
	w.client("Cline")
	w.app.shell.connect.detail.ScrollToTop()
	uitest.Golden(t, "connect_long_path_ja_narrow", w.app.win.Canvas())
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
	w.said("Enter a name and an address")
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
	w.said("Updated the token of lab")
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
