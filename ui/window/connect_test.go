package window

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/clients"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// button returns the button of the window that has a text.
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

// client chooses a client in the page's list.
func (w *world) client(name string) {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(w.app.shell.connect.Object()) {
		row, ok := o.(*kit.Stop)
		if ok && slices.ContainsFunc(test.LaidOutObjects(row), func(x fyne.CanvasObject) bool {
			line, ok := x.(*kit.Line)
			return ok && line.Full() == name
		}) {
			test.Tap(row)
			return
		}
	}
	w.t.Fatalf("no client %q", name)
}

// scroll scrolls the page that is shown.
func (w *world) scroll(to float32) {
	size := w.app.win.Canvas().Size()
	w.app.shell.k.ScrollAt(fyne.NewPos(size.Width*0.6, size.Height/2)).To(to)
}

// homeFile writes a file under the test's home directory.
func homeFile(t *testing.T, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{os.Getenv("HOME")}, path...)...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestConnectWritesTheFile(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), nil)
	path := homeFile(t, "# mine\nmodel = \"gpt-5\"\n", ".codex", "config.toml")
	damaged := homeFile(t, "{\"theme\": ", ".gemini", "settings.json")
	homeFile(t, "{\"mcpServers\": {\"easel\": {\"url\": \"http://127.0.0.1:5000/mcp\"}}}", ".cursor", "mcp.json")
	w.app.shell.open(pageConnect)
	w.settled()
	w.client("Codex")
	test.Tap(w.button("Write to file"))
	w.said("Written to " + clients.Tilde(path) + ". Backup: config.toml.before-easel.")
	w.settled()
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), `command = "/opt/easel/easel"`) || !strings.HasPrefix(string(raw), "# mine\nmodel") {
		t.Errorf("the file is %s, %v", raw, err)
	}
	if b := w.button("Already in the file"); b.Enabled() {
		t.Error("it can be written again")
	}
	uitest.Golden(t, "connect_written", w.app.win.Canvas())
	w.client("Gemini CLI")
	uitest.Golden(t, "connect_not_plain", w.app.win.Canvas())
	if raw, err := os.ReadFile(damaged); err != nil || string(raw) != "{\"theme\": " {
		t.Errorf("the damaged file is %s, %v", raw, err)
	}
}

func TestTheListOfClientsWithoutAMatch(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), func(s *state.Snapshot) {
		s.Clients = []state.Client{{Name: "Visual Studio Code", Version: "1.104", Last: uitest.Start}}
	})
	homeFile(t, "", ".codex", "config.toml")
	w.app.shell.open(pageConnect)
	w.settled()
	for _, o := range test.LaidOutObjects(w.app.shell.connect.Object()) {
		if f, ok := o.(*kit.Field); ok {
			test.Type(f, "CO")
			f.OnSubmitted(f.Text) // shows the first match
			test.Type(f, "#")
		}
	}
	uitest.Golden(t, "connect_no_match", w.app.win.Canvas())
}

func TestTestThisClient(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), nil)
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
	w.scroll(400)
	uitest.Golden(t, "connect_test_asks", w.app.win.Canvas())
	deliveries := func() string { return w.store.Snapshot().Settings.DeliveryBy.Of("codex-mcp-client") }
	test.Tap(w.button("No"))
	w.said("From now on, Codex gets plots as links.")
	w.settled()
	if got := deliveries(); got != catalog.ImagesLink {
		t.Errorf("after No: %q", got)
	}
	uitest.Golden(t, "connect_test_links", w.app.win.Canvas())
	w.take()
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
	if runtime.GOOS == "windows" {
		t.Skip("longer paths move the rest of the page")
	}
	w := newWorld(t, narrowed, galleryOf(t, 0), func(s *state.Snapshot) {
		s.Settings.Language = "ja"
		s.Settings.DeliveryBy = s.Settings.DeliveryBy.With("codex-mcp-client", catalog.ImagesLink)
	})
	w.app.shell.open(pageConnect)
	w.settled()
	w.client("Codex")
	w.scroll(400)
	uitest.Golden(t, "connect_decided_ja_narrow", w.app.win.Canvas())
	w.client("Cline")
	uitest.Golden(t, "connect_long_path_ja_narrow", w.app.win.Canvas())
}

func TestSwaggerOpensAuthorised(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), nil)
	opened := make(chan string, 1)
	w.app.cfg.OpenSecret = func(address string) error { opened <- address; return nil }
	w.app.shell.open(pageConnect)
	w.settled()
	test.Tap(w.button("API in the browser"))
	if got := <-opened; got != "http://127.0.0.1:5149/api/swagger/#token=0123456789abcdef" {
		t.Errorf("opened %q", got)
	}
}
