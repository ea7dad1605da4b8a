package preferences

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A fixture is the page in a window, and the requests to its port.
type fixture struct {
	*Page
	t         *testing.T
	win       fyne.Window
	now       state.Snapshot
	themes    []string
	autostart []bool
	preferred []string
	removed   []string
	added     []command.NamedServer
	done      func() // the done of AddServer
	rotated   error
	said      []string
}

func newFixture(t *testing.T, edit func(*state.Snapshot)) *fixture {
	t.Helper()
	return newGiven(t, Overrides{}, edit)
}

// newGiven is like newFixture, with settings that are overridden.
func newGiven(t *testing.T, given Overrides, edit func(*state.Snapshot)) *fixture {
	t.Helper()
	app := uitest.App(t)
	app.Settings().SetTheme(theme.New("light"))
	f := &fixture{t: t, win: app.NewWindow("")}
	f.now.Settings = state.DefaultSettings()
	if edit != nil {
		edit(&f.now)
	}
	q := uitest.NewQueue()
	k := &kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do, Now: func() time.Time { return uitest.Start }}
	f.Page = New(k, Port{
		Snapshot: func() *state.Snapshot { return &f.now }, Version: "0.1.0", DataDir: "/data", Token: func() string { return "secret" }, Given: given,
		Settings: func(edit func(*state.Settings)) { edit(&f.now.Settings); f.Render(&f.now) },
		SetTheme: func(name string) { f.themes = append(f.themes, name) }, SetAccess: func(mode string) { f.now.Settings.Access = mode },
		SetAutostart: func(on bool) { f.autostart = append(f.autostart, on) },
		RotateToken:  func(done func(error)) { done(f.rotated) },
		PreferServer: func(name string) { f.preferred = append(f.preferred, name) },
		AddServer:    func(in command.NamedServer, done func()) { f.added, f.done = append(f.added, in), done },
		RemoveServer: func(name string, done func()) { f.removed = append(f.removed, name); done() },
		Confirm:      func(_, _, _ string, do func()) { do() }, Sheet: func(string, fyne.CanvasObject) {},
		Say:  func(_ kit.Mark, text string) { f.said = append(f.said, text) },
		Copy: func(string, string) {}, Reveal: func(string) {}, Forward: func(fyne.Shortcut) {},
	})
	f.win.SetContent(f.Object())
	f.win.Resize(fyne.NewSize(900, 700))
	f.Render(&f.now)
	return f
}

// tap taps the first enabled button that has a text.
func (f *fixture) tap(text string) {
	f.t.Helper()
	for _, o := range test.LaidOutObjects(f.Object()) {
		if b, ok := o.(*kit.Button); ok && b.Text() == text && b.Enabled() {
			test.Tap(b)
			return
		}
	}
	f.t.Fatalf("there is no button %q", text)
}

func TestTheThemeIsSetByItsTool(t *testing.T) {
	f := newFixture(t, nil)
	f.tap("Dark")
	if !slices.Equal(f.themes, []string{"dark"}) {
		t.Errorf("set %q", f.themes)
	}
}

func TestStartAtLogin(t *testing.T) {
	f := newFixture(t, func(s *state.Snapshot) { s.CanAutostart = true })
	test.Tap(f.login)
	test.Tap(f.logoff)
	if !slices.Equal(f.autostart, []bool{true, false}) {
		t.Errorf("asked for %v", f.autostart)
	}
}

func TestANumberOutOfRangeIsNotSet(t *testing.T) {
	f := newFixture(t, nil)
	var port *kit.Field
	for _, o := range test.LaidOutObjects(f.Object()) {
		if x, ok := o.(*kit.Field); ok && x.Text == "5149" {
			port = x
		}
	}
	if port == nil {
		t.Fatal("there is no field for the port")
	}
	port.SetText("80")
	port.OnSubmitted("80")
	if f.now.Settings.Port != 5149 || port.Text != "5149" || len(f.said) != 1 {
		t.Errorf("port %d, the field says %q, said %q", f.now.Settings.Port, port.Text, f.said)
	}
	port.SetText(" 6000 ")
	port.OnLeave()
	if f.now.Settings.Port != 6000 {
		t.Errorf("port %d", f.now.Settings.Port)
	}
}

// TestAnOverriddenSettingShowsWhatCounts checks that the page shows the overriding
// value and its source, not the stored value.
func TestAnOverriddenSettingShowsWhatCounts(t *testing.T) {
	f := newGiven(t, Overrides{Port: Override{"6001", "EASEL_PORT"}, RootDir: Override{"/srv/work", "--root-dir"}}, func(s *state.Snapshot) {
		s.Settings.RootDir = "/stored"
	})
	var texts []string
	for _, o := range test.LaidOutObjects(f.Object()) {
		switch o := o.(type) {
		case *kit.Field:
			texts = append(texts, o.Text)
		case *kit.Line:
			texts = append(texts, o.Full())
		case *kit.Para:
			texts = append(texts, o.Text())
		}
	}
	for _, want := range []string{"6001", "Set by EASEL_PORT until Easel is started without it.", "/srv/work", "Set by --root-dir until Easel is started without it."} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	for _, not := range []string{"5149", "/stored"} {
		if slices.Contains(texts, not) {
			t.Errorf("%q is shown, which does not count", not)
		}
	}
}

func TestANewToken(t *testing.T) {
	f := newFixture(t, nil)
	f.tap("New token")
	f.rotated = errors.New("the disk is full")
	f.tap("New token")
	if !slices.Equal(f.said, []string{"New token created", "the disk is full"}) {
		t.Errorf("said %q", f.said)
	}
}

// TestTheDefaultServer is marked, whichever servers of projects run beside it.
func TestTheDefaultServer(t *testing.T) {
	server := func(name string, managed bool) state.Server {
		return state.Server{ServerHealth: catalog.ServerHealth{Name: name, Managed: managed, State: "ready"}}
	}
	for chosen, want := range map[string]string{"": "managed", "sales": "managed", "lab": "lab"} {
		f := newFixture(t, func(s *state.Snapshot) {
			s.Servers = []state.Server{server("sales", true), server("managed", true), server("lab", false)}
			s.Settings.DefaultServer = chosen
		})
		marked := ""
		for i, name := range f.servers.known {
			for _, o := range test.LaidOutObjects(f.servers.rows[i]) {
				if b, ok := o.(*kit.Button); ok && b.Text() == "Default" {
					marked += name
				}
			}
		}
		if marked != want {
			t.Errorf("with the setting %q, %q is marked", chosen, marked)
		}
	}
}

// TestManyProjects keeps the settings below them in reach.
func TestManyProjects(t *testing.T) {
	srv := t.TempDir()
	f := newFixture(t, func(s *state.Snapshot) {
		for i := range 200 {
			s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: filepath.Join(srv, strconv.Itoa(1000+i))})
		}
	})
	if n := len(f.projects.rows); n != mostListed+1 {
		t.Errorf("%d rows at first", n)
	}
	f.tap("192 more")
	if n := len(f.projects.rows); n != 201 {
		t.Errorf("%d rows of all", n)
	}
}

func TestServersAreAddedPreferredAndRemoved(t *testing.T) {
	f := newFixture(t, func(s *state.Snapshot) {
		s.Servers = []state.Server{
			{ServerHealth: catalog.ServerHealth{Name: "managed", Managed: true, State: "ready", URL: "http://127.0.0.1:45011/"}},
			{ServerHealth: catalog.ServerHealth{Name: "lab", State: "unauthorized", URL: "https://lab.example.org/user/ann/"}},
			{ServerHealth: catalog.ServerHealth{Name: "local-8888", State: "ready", URL: "http://localhost:8888/"}},
		}
		s.OwnServers = []string{"lab"}
	})
	c := f.servers
	c.submit() // without a name and an address
	if len(f.said) != 1 || len(f.added) > 0 {
		t.Errorf("said %q, added %v", f.said, f.added)
	}
	c.name.SetText("mine")
	c.url.SetText(" http://mine:8888/ ")
	c.token.SetText("secret")
	f.now.Servers = f.now.Servers[:2]
	f.Render(&f.now) // what the user is typing stays
	f.tap("Add")
	if want := []command.NamedServer{{Name: "mine", URL: "http://mine:8888/", Token: "secret"}}; !slices.Equal(f.added, want) {
		t.Errorf("added %+v", f.added)
	}
	if f.done(); c.token.Text != "" || c.name.Text != "" || !slices.Contains(f.said, "Added mine") {
		t.Errorf("after it was added: %q, %q; said %q", c.name.Text, c.token.Text, f.said)
	}
	c.name.SetText("lab") // a known server
	c.url.SetText("https://lab.example.org/user/ann/")
	c.token.SetText("new")
	f.tap("Add")
	if f.done(); !slices.Contains(f.said, "Updated the token of lab") {
		t.Errorf("said %q", f.said)
	}
	f.tap("Make default")
	f.tap("Remove")
	if !slices.Equal(f.preferred, []string{"lab"}) || !slices.Equal(f.removed, []string{"lab"}) {
		t.Errorf("preferred %q, removed %q", f.preferred, f.removed)
	}
}

// What is on hides; the switch is stored the other way round, so that an absent value hides.
func TestSecretsAreHidden(t *testing.T) {
	f := newFixture(t, nil)
	for _, show := range []bool{true, false} {
		row := false
		for _, o := range test.LaidOutObjects(f.Object()) {
			line, isLine := o.(*kit.Line)
			row = row && !isLine || isLine && line.Full() == "Hide secrets"
			if b, ok := o.(*kit.Button); ok && row && b.Text() == map[bool]string{true: "Off", false: "On"}[show] {
				test.Tap(b)
				break
			}
		}
		if f.now.Settings.ShowSecrets != show {
			t.Errorf("shown: %v, want %v", f.now.Settings.ShowSecrets, show)
		}
	}
}
