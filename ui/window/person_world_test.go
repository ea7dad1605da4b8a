package window

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"log/slog"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/eventbus"
	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core"
	"easel/ui/core/library"
	"easel/ui/core/settings"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// A person uses the window of a real core, which has a real library on the disk, and knows
// what to expect: what somebody chose stays selected, a key goes to what has the focus, the
// library has what was done, undo and redo go back and forth, and a restart loses nothing.
type person struct {
	*world
	diary
	asks

	core     *core.Core
	server   *jupytertest.Server
	dir      string
	plots    int
	names    int               // given so far
	at       place             // where the keys go
	of       []string          // the plots that the field is about
	text     string            // in the field that has the focus
	noted    int               // number of changes up to that of the note that is still typed; 0 if it is not stored
	halves   map[string]string // tags that are not finished, by the plots
	shown    bool              // an assistant has shown something since the user changed a plot
	theme    string
	language string
}

// A place is where a person's keys go.
type place string

const (
	inWindow place = ""
	inNote   place = "note"
	inTitle  place = "title"
	inTag    place = "tag"
	inSearch place = "search"
	inCode   place = "code" // of a question
)

// beginPlots is the number of plots in the library at first.
const beginPlots = 6

func newPerson(t *testing.T) *person {
	t.Helper()
	home := t.TempDir() // the test must not see the user's clients and kernels
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CODEX_HOME", "JUPYTER_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	p := &person{world: &world{t: t}, dir: t.TempDir(), server: jupytertest.NewServer(t), theme: "light", language: "en"}
	p.now, p.begin, p.ran, p.halves = make(marks), make(marks), make(chan string, 100), make(map[string]string)
	p.start()
	p.put()
	require.NoError(t, p.core.Library.Sessions.Put(t.Context(), library.Session{ID: "s1", Name: "analysis", CreatedAt: uitest.Start}))
	for range beginPlots {
		p.arrive("")
	}
	p.settled()
	return p
}

// put sets the language and the theme that the person has chosen.
func (p *person) put() {
	p.store.Update(func(s *state.Snapshot) {
		s.Settings.Theme, s.Settings.Language, s.Settings.Access = p.theme, p.language, "ask"
	})
}

// start starts Easel.
func (p *person) start() {
	p.q, p.bus = uitest.NewQueue(), eventbus.New()
	var err error
	p.core, err = core.Open(p.t.Context(), core.Config{
		Options: settings.Options{DataDir: p.dir, RootDir: p.dir, JupyterURL: p.server.URL, JupyterToken: p.server.Token},
		Bus:     p.bus, Log: slog.New(slog.DiscardHandler), Window: state.WindowStarting,
	})
	require.NoError(p.t, err)
	p.core.Start(p.t.Context())
	p.store, p.pictures = p.core.Store, p.core.Pictures
	p.app = New(Config{
		App: uitest.App(p.t), Store: p.store, Bus: p.bus, Library: p.core.Collection, Kept: p.core.Library, Do: p.q.Do, Version: "0.1.0",
		Exe: "/opt/easel/easel", Bridge: []string{"mcp"}, DataDir: p.dir, Token: func() string { return "0123456789abcdef" },
		Demo: func(context.Context) error { return nil }, Quit: func() {}, stand: time.Hour, arm: time.Millisecond,
	})
	p.app.win.Resize(wide)
	p.app.Show()
	p.settled()
}

// stop ends Easel as its Quit does.
func (p *person) stop() {
	if p.core == nil {
		return
	}
	ctx := context.WithoutCancel(p.t.Context())
	p.app.Save(ctx)
	err := p.bus.Close(ctx)
	p.app.Close()
	p.app.win.Close()
	if err := errors.Join(err, p.core.Close(ctx)); err != nil {
		p.t.Error(err)
	}
	p.core = nil
}

// rebuilt waits until the window has the theme and language that the person has chosen.
func (p *person) rebuilt() {
	p.q.Until(p.t, "the other look", func() bool { return p.app.appearance == p.app.appearanceOf(p.store.Snapshot()) })
}

// settled waits until the window shows what was done. It does not wait for the panels, which
// take their time while a person goes on.
func (p *person) settled() {
	p.t.Helper()
	p.q.Until(p.t, "the window to settle", func() bool {
		c := p.app.shell.gallery
		return c.listed && c.acting == 0 && p.app.requests.Pending() == 0 && !p.app.frames.drawing.Load() && c.grid.Settled() &&
			p.app.snap == p.store.Snapshot() && (c.mode != state.Viewer || c.view.Settled()) && (!c.comparing || c.versus.Settled())
	})
}

// arrive adds a plot as kernels do: a new one, or the next version of one.
func (p *person) arrive(replaces string) (id string) {
	id = p.draw(replaces)
	p.q.Drain()
	return id
}

// draw is like arrive, before the window knows.
func (p *person) draw(replaces string) (id string) {
	p.plots++
	var b bytes.Buffer
	require.NoError(p.t, png.Encode(&b, uitest.Plot(p.plots, 64, 48)))
	add := library.NewImage{SessionID: "s1", Title: fmt.Sprint("Plot ", p.plots), Code: "plot()", Forms: []library.Form{{MIME: "image/png", Data: b.Bytes()}}}
	if replaces != "" {
		was, err := p.core.Library.Images.Image(p.t.Context(), replaces)
		require.NoError(p.t, err)
		add.Replaces, add.Title = was.ResourceURI, was.Title
	}
	im, err := p.core.Library.Images.Add(p.t.Context(), add)
	require.NoError(p.t, err)
	if replaces == "" {
		p.diary.arrive(im.ImageID, im.Title)
	} else {
		p.succeed(replaces, im.ImageID)
	}
	p.pictures.Announce()
	return im.ImageID
}

// kept returns the marks of all plots in the library.
func (p *person) kept() marks {
	all := make(marks)
	for _, trashed := range []bool{false, true} {
		ids, err := p.core.Library.Images.IDs(p.t.Context(), library.Query{Rating: -1, Trashed: trashed})
		require.NoError(p.t, err)
		images, err := p.core.Library.Images.Get(p.t.Context(), ids...)
		require.NoError(p.t, err)
		for _, im := range images {
			put := func(what, value string) {
				if value != "" {
					all[im.ImageID+"/"+what] = value
				}
			}
			put("title", im.Title)
			put("note", im.Note)
			if im.Rating > 0 {
				put("rating", fmt.Sprint(im.Rating))
			}
			if trashed {
				put("trashed", "yes")
			}
			for _, tag := range im.Tags {
				put("tag/"+tag, "yes")
			}
		}
	}
	return all
}

// focused returns the field that has the focus, or nil.
func (p *person) focused() *kit.Field {
	f, _ := p.app.win.Canvas().Focused().(*kit.Field)
	return f
}

// fieldOf returns the field for notes or tags, or nil if it is not shown.
func (p *person) fieldOf(at place) *kit.Field {
	for _, o := range test.LaidOutObjects(p.app.win.Canvas().Content()) {
		if f, ok := o.(*kit.Field); ok && f.PlaceHolder == p.app.shell.k.T(prompts[at]) {
			return f
		}
	}
	return nil
}

// char types a character, key presses a key, and command one with Ctrl, as Fyne's driver
// does: the keys go to what has the focus, or else to the window.
func (p *person) char(r rune) {
	if f := p.app.win.Canvas().Focused(); f != nil {
		f.TypedRune(r)
	} else {
		p.app.win.Canvas().OnTypedRune()(r)
	}
	p.settled()
}

func (p *person) key(name fyne.KeyName) {
	if f := p.app.win.Canvas().Focused(); f != nil {
		f.TypedKey(&fyne.KeyEvent{Name: name})
	} else {
		p.app.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: name})
	}
	p.settled()
}

func (p *person) command(s fyne.Shortcut) {
	if f, ok := p.app.win.Canvas().Focused().(fyne.Shortcutable); ok {
		f.TypedShortcut(s)
	} else {
		p.app.shortcut(s)
	}
	p.settled()
}

// panel waits for the panel to show what is selected.
func (p *person) panel() {
	p.q.Until(p.t, "the panel", func() bool { return p.app.requests.Pending() == 0 && p.app.shell.props.Settled() })
}

// subject returns what a key means: the current side of a comparison, or what is selected.
func (p *person) subject() []string {
	if c := p.app.shell.gallery; c.comparing {
		return []string{c.versus.Current()}
	}
	return p.selected()
}

// selected returns what the window shows as selected: in the viewer, the plot that it shows.
func (p *person) selected() []string {
	if c := p.app.shell.gallery; c.mode == state.Viewer && !c.comparing {
		return []string{cmp.Or(c.view.Image().ImageID, p.store.Snapshot().Current)} // a new viewer has not read it yet
	}
	return slices.Clone(p.app.shell.gallery.grid.Selection())
}
