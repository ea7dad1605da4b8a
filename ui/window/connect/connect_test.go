package connect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/ui/core/clients"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

const token = "0123456789abcdef"

func TestEveryTextOfAClientExists(t *testing.T) {
	tr := i18n.New("en")
	for _, c := range clients.All {
		for _, key := range []string{c.After, c.Note} {
			if key != "" && !tr.Has(key) {
				t.Errorf("%q: no text %q", c.Name, key)
			}
		}
	}
}

// A fixture is the page in a window.
type fixture struct {
	*Page
	t    *testing.T
	q    *uitest.Queue
	win  fyne.Window
	now  state.Snapshot
	said []string
}

func newFixture(t *testing.T, edit func(*state.Snapshot)) *fixture {
	t.Helper()
	home := t.TempDir() // the test must not see the user's clients
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CODEX_HOME", "")
	app := uitest.App(t)
	app.Settings().SetTheme(theme.New("light"))
	f := &fixture{t: t, q: uitest.NewQueue(), win: app.NewWindow("")}
	f.now.URL, f.now.Settings = "http://127.0.0.1:5149", state.DefaultSettings()
	if edit != nil {
		edit(&f.now)
	}
	k := &kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: f.q.Do, Now: func() time.Time { return uitest.Start }}
	f.Page = New(k, Port{
		Snapshot: func() *state.Snapshot { return &f.now }, Shown: func() bool { return true }, Session: func() string { return "" },
		Token: func() string { return token }, Exe: "/opt/easel/easel", Bridge: []string{"mcp"},
		Go: func(g func()) { go g() },
		Background: func(_ string, g func(context.Context) error, done func()) {
			if err := g(t.Context()); err != nil {
				t.Error(err)
			} else {
				done()
			}
		},
		Settings: func(edit func(*state.Settings)) { edit(&f.now.Settings) },
		Written:  func() { f.Reread() }, Say: func(_ kit.Mark, text, _ string, _ func()) { f.said = append(f.said, text) },
		Copy: func(string, string) {}, Reveal: func(string) {}, Browse: func(string) {}, Swagger: func() {}, Forward: func(fyne.Shortcut) {},
	})
	t.Cleanup(f.Close)
	f.win.SetContent(f.Object())
	f.win.Resize(fyne.NewSize(1200, 700))
	return f
}

// show renders the state and waits until the files have been read.
func (f *fixture) show() *fixture {
	f.t.Helper()
	f.Render(&f.now)
	f.q.Until(f.t, "the clients' files to be read", f.Settled)
	return f
}

// homeFile writes a file under the test's home directory.
func homeFile(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(append([]string{os.Getenv("HOME")}, path...)...)
	require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)))
}

// names returns the names of the clients in a group of the list.
func (f *fixture) names(group []int) string {
	var all []string
	for _, i := range group {
		all = append(all, f.name(clients.All[i]))
	}
	return strings.Join(all, ", ")
}

func TestTheListOfClientsIsGroupedAndSearched(t *testing.T) {
	f := newFixture(t, func(s *state.Snapshot) {
		s.Clients = []state.Client{{Name: "Visual Studio Code", Version: "1.104", Last: uitest.Start}}
	})
	homeFile(t, "", ".codex", "config.toml")
	f.show()
	here, others := f.groups(&f.now)
	if got := f.names(here); got != "Codex, VS Code" || len(here)+len(others) != len(clients.All) {
		t.Errorf("here: %s; %d others", got, len(others))
	}
	test.Type(f.find, "CO")
	here, others = f.groups(&f.now)
	if got := f.names(others); f.names(here) != "Codex, VS Code" || got != "Claude Code, Continue, GitHub Copilot CLI, opencode, Qwen Code" {
		t.Errorf("found %s", got)
	}
	f.find.OnSubmitted(f.find.Text)
	if got := clients.All[f.at].Name; got != "Codex" {
		t.Errorf("Enter shows %q", got)
	}
	f.find.OnEsc()
	if here, _ := f.groups(&f.now); len(here) != 2 {
		t.Errorf("Escape leaves %d", len(here))
	}
}

// TestAFormerEntryIsOfferedAnew: an entry over HTTP works, but Easel does not learn the folder.
func TestAFormerEntryIsOfferedAnew(t *testing.T) {
	f := newFixture(t, nil)
	homeFile(t, `{"mcpServers": {"easel": {"httpUrl": "http://127.0.0.1:5149/mcp", "headers": {"Authorization": "Bearer `+token+`"}, "timeout": 3600000}}}`, ".gemini", "settings.json")
	homeFile(t, `{"mcpServers": {"easel": {"type": "http", "url": "http://127.0.0.1:5149/mcp", "headers": {"Authorization": "Bearer `+token+`"}}}}`, ".claude.json")
	f.show()
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, name := range []string{"Gemini CLI", "Claude Code"} {
		i := slices.IndexFunc(clients.All, func(x clients.Client) bool { return x.Name == name })
		f.choose(i)
		shown := strings.Join(strings.Fields(tags.ReplaceAllString(test.RenderToMarkup(f.win.Canvas()), " ")), " ")
		if !strings.Contains(shown, "This entry works.") || strings.Contains(shown, "claude mcp remove") != (name == "Claude Code") {
			t.Errorf("%s: %s", name, shown)
		}
		if mark, text := f.stateOf(i, clients.All[i], &f.now); mark != kit.MarkIdle || text != f.k.T("connect.set_up") {
			t.Errorf("%s: %v, %s", name, mark, text)
		}
	}
	x := clients.All[slices.IndexFunc(clients.All, func(x clients.Client) bool { return x.Name == "Gemini CLI" })]
	f.write(x, x.File())
	f.show()
	if got := x.Check(x.File(), f.connection(x)); got != clients.Same {
		t.Errorf("written: state %d", got)
	}
}

func TestTheTokenIsNeverShownUnasked(t *testing.T) {
	f := newFixture(t, nil).show()
	for i, x := range clients.All {
		f.choose(i)
		if strings.Contains(test.RenderToMarkup(f.win.Canvas()), token) {
			t.Errorf("%s: the page shows the token", f.name(x))
		}
	}
}

// TestASlowDiskDoesNotBlockThePage uses the page while reading the clients' files
// blocks.
func TestASlowDiskDoesNotBlockThePage(t *testing.T) {
	f := newFixture(t, nil)
	release, held := make(chan struct{}), make(chan bool, len(clients.All))
	f.read = func(x clients.Client, _ clients.Connection) fileState {
		select {
		case <-release:
			held <- false
		case <-time.After(time.Minute):
			held <- true
		}
		return fileState{path: "/slow/" + x.Name, installed: x.Name == "Codex"}
	}
	f.Render(&f.now)
	f.choose(3)
	test.Type(f.find, "codex")
	if here, others := f.groups(&f.now); len(here) != 0 || f.names(others) != "Codex" || f.Settled() {
		t.Errorf("here %d, others %s, settled %v", len(here), f.names(others), f.Settled())
	}
	close(release)
	f.q.Until(t, "the files to be read", f.Settled)
	if here, _ := f.groups(&f.now); f.names(here) != "Codex" {
		t.Errorf("here: %s", f.names(here))
	}
	for range clients.All {
		if <-held {
			t.Fatal("the page waited for the disk")
		}
	}
}

// TestAnOldReadingIsIgnored checks that the results of earlier readings, and those
// after Close, are ignored.
func TestAnOldReadingIsIgnored(t *testing.T) {
	f := newFixture(t, nil)
	first := make(chan struct{})
	f.read = func(clients.Client, clients.Connection) fileState { <-first; return fileState{path: "/first"} }
	f.Reread()
	f.read = func(clients.Client, clients.Connection) fileState { return fileState{path: "/second"} }
	f.Reread()
	f.q.Until(t, "the second reading", f.Settled)
	close(first)
	f.q.Do(func() {})
	f.q.Until(t, "the first reading to end", func() bool { return f.files[0].path == "/second" })
	f.Close()
	f.Reread()
	f.q.Drain()
	if f.Settled() {
		t.Error("a closed page takes in what was read")
	}
}

// TestTheListOfClientsStaysUnderThePointer: while the page is open, a client that connects
// or is set up moves no other. When the page is opened again, it is among the first.
func TestTheListOfClientsStaysUnderThePointer(t *testing.T) {
	f := newFixture(t, nil).show()
	_, before := f.groups(&f.now)
	f.now.Clients = []state.Client{{Name: "cursor-vscode", Version: "1", First: uitest.Start, Last: uitest.Start}}
	homeFile(t, "{}", ".gemini", "settings.json")
	f.Reread()
	f.show()
	if here, others := f.groups(&f.now); len(here) > 0 || !slices.Equal(others, before) {
		t.Errorf("the list changed to %s, %s", f.names(here), f.names(others))
	}
	f.Open()
	f.show()
	if here, _ := f.groups(&f.now); f.names(here) != "Cursor, Gemini CLI" && f.names(here) != "Gemini CLI, Cursor" {
		t.Errorf("opened again, the first are %s", f.names(here))
	}
}
