package window

import (
	"context"
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/core/state"
	"easel/ui/window/external"
	"easel/ui/window/uitest"
)

// figuresOf returns a library with plots, and figures of all kinds without a picture.
func figuresOf(t testing.TB) *uitest.Library {
	lib := galleryOf(t, 4)
	for i, kind := range []string{picture.Widget, picture.HTML, "holoviews", picture.Bokeh, picture.VegaLite, picture.Plotly} {
		id := lib.AddFigure(i%2, kind, []string{"", "売上（地域別）2026年", "Sales by month"}[i%3], "import plotly.express as px\nfig = px.line(df)\nfig.show()\n")
		if i == 5 {
			lib.Rate(4, id)
			lib.Tag([]string{"keep"}, id)
			lib.Change(id, func(im *library.Image) {
				if im.Interactive != "" {
					im.NotDrawn.Lacks = render.LacksBrowser
				}
			})
		}
	}
	return lib
}

const plotlyFigure, vegaFigure = "img00010", "img00009"

func TestFiguresWithoutAPictureLookLikeCards(t *testing.T) {
	set := func(dark, japanese, large bool) func(*state.Snapshot) {
		return func(s *state.Snapshot) {
			busy(s)
			s.Selection, s.Current = []string{plotlyFigure}, plotlyFigure
			if dark {
				s.Settings.Theme = "dark"
			}
			if japanese {
				s.Settings.Language = "ja"
			}
			if large {
				s.Mode = state.Viewer
			}
		}
	}
	drawn := func(w *world) {
		card := func() bool { return strings.Contains(strings.Join(uitest.Texts(w.app.win.Canvas()), " "), "kaleido") }
		w.q.Until(t, "the card", card) // on a busy machine, it is not there at once
		w.lib.Draw(plotlyFigure, "")
		w.q.Until(t, "the card to go", func() bool { return !card() })
	}
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
		then func(*world)
	}{
		"figures":                       {wide, set(false, false, false), nil},
		"figures_dark_ja_narrow":        {narrowed, set(true, true, false), nil},
		"figure_viewer":                 {wide, set(false, false, true), nil},
		"figure_viewer_dark_ja_narrow":  {narrowed, set(true, true, true), nil},
		"figure_drawn":                  {wide, set(false, false, true), drawn},
		"figure_drawn_dark_ja_narrow":   {narrowed, set(true, true, true), drawn},
		"figure_compare":                {wide, set(false, false, false), func(w *world) { w.app.shell.gallery.compare([]string{"img00002", plotlyFigure, vegaFigure}) }},
		"figure_compare_dark_ja_narrow": {narrowed, set(true, true, false), func(w *world) { w.app.shell.gallery.compare([]string{"img00002", plotlyFigure}) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, figuresOf(t), c.edit)
			if c.then != nil {
				c.then(w)
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestWhatTheUserDoesWithAFigure(t *testing.T) {
	w := newWorld(t, wide, figuresOf(t), busy)
	t.Run("rates, tags and trashes it", func(t *testing.T) {
		w.call(t, "set_rating", `{"path": "`+vegaFigure+`", "rating": 5}`)
		w.call(t, "set_tags", `{"path": "`+vegaFigure+`", "add": ["check"]}`)
		im, err := w.lib.Image(t.Context(), vegaFigure)
		if err != nil || im.Rating != 5 || !slices.Contains(im.Tags, "check") {
			t.Errorf("got %+v, %v", im, err)
		}
		w.app.edits.Trash([]string{vegaFigure})
		w.q.Until(t, "the figure to leave the gallery", func() bool { return !slices.Contains(w.app.shell.gallery.ids, vegaFigure) })
	})
	t.Run("copies its data", func(t *testing.T) {
		w.app.export.CopyImage(plotlyFigure)
		w.q.Until(t, "the data on the clipboard", func() bool { return w.app.cfg.App.Clipboard().Content() == `{"data": []}` })
	})
	t.Run("opens it in the browser, with a ticket", func(t *testing.T) {
		opened, asked := make(chan string, 4), make(chan string, 4)
		command.OpenFigure.Handle(w.bus, func(_ context.Context, id string) (string, error) {
			asked <- id
			return "TICKET", nil
		}, nil)
		w.app.cfg.Open = func(address string) error {
			opened <- address
			return nil
		}
		w.app.navigate.Open(plotlyFigure)
		w.settled()
		w.key(fyne.KeyReturn)
		if id, address := <-asked, <-opened; id != plotlyFigure || address != "http://127.0.0.1:5149/figures/TICKET" {
			t.Errorf("opened %q for %q", address, id)
		}
		w.key(fyne.KeyEscape)
	})
	t.Run("learns that the browser does not start", func(t *testing.T) {
		w.app.cfg.Open = func(string) error { return errors.New("xdg-open: exit status 4: zygote_host_impl_linux.cc") }
		w.app.external.Figure(plotlyFigure)
		w.q.Until(t, "the notice", func() bool {
			said := w.message()
			return strings.HasPrefix(said, "The browser could not be opened.") && !strings.Contains(said, "zygote")
		})
	})
	t.Run("has a menu that opens it, unless it is a widget or a picture", func(t *testing.T) {
		w.key(fyne.KeyEscape)
		for id, want := range map[string]bool{plotlyFigure: true, "img00005": false, "img00001": false} {
			w.app.shell.imageMenu(id, fyne.NewPos(300, 300))
			texts := strings.Join(uitest.Texts(w.app.win.Canvas()), "\n")
			menu := texts[strings.LastIndex(texts, "----"):] // the newest overlay
			if strings.Contains(menu, "\nOpen interactive\n") != want || !strings.Contains(menu, "\nCopy code\n") {
				t.Errorf("%s: the menu is %q", id, menu)
			}
			w.key(fyne.KeyEscape)
		}
	})
	t.Run("opens JupyterLab, while its session lives", func(t *testing.T) {
		if w.app.external.JupyterLabOf(uitest.SessionID(0)) != nil {
			t.Error("there is no JupyterLab, and it is offered")
		}
		w.app.cfg.JupyterLab = func(context.Context, string) (string, error) { return "", nil }
		w.app.external = external.New(w.app.externalPort())
		if w.app.external.JupyterLabOf(uitest.SessionID(0)) == nil || w.app.external.JupyterLabOf(uitest.SessionID(7)) != nil {
			t.Error("offered for a session that has ended, or not for one that lives")
		}
	})
	t.Run("says that JupyterLab is still being installed, or that a server has none", func(t *testing.T) {
		server := w.store.Snapshot().Sessions[0].Server
		for managed, want := range map[bool]string{true: "external.lab_later", false: "external.no_lab"} {
			w.store.Update(func(s *state.Snapshot) {
				s.Servers = []state.Server{{ServerHealth: catalog.ServerHealth{Name: server, Managed: managed, State: "ready"}}}
			})
			w.app.external.JupyterLab(uitest.SessionID(0))
			want = w.app.kit().T(want)
			w.q.Until(t, want, func() bool { return w.message() == want })
		}
	})
	t.Run("an assistant that looks at it gets no picture", func(t *testing.T) {
		w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{plotlyFigure, "img00002"}, plotlyFigure })
		out, err := catalog.GetSelectedFiles.Ask(t.Context(), w.bus, catalog.GetSelectedFilesIn{IncludeImages: true})
		if err != nil || len(out.Files) != 2 || len(out.Inline) != 1 || strings.Contains(out.Inline[0], plotlyFigure) {
			t.Errorf("inlined %v of %+v, %v", out.Inline, out.Files, err)
		}
		if d := out.Files[slices.IndexFunc(out.Files, func(f catalog.SelectedFile) bool { return f.ImageID == plotlyFigure })]; !strings.Contains(d.Description, "fig.show(renderer='png')") || d.Interactive != picture.Plotly {
			t.Errorf("told %+v", d)
		}
	})
	t.Run("a damaged one says so", func(t *testing.T) {
		w.lib.Change(plotlyFigure, func(im *library.Image) { im.Broken, im.Description = true, "damaged" })
		w.settled()
		if im, ok := w.app.shell.gallery.grid.Known(plotlyFigure); !ok || !im.Broken {
			t.Errorf("known: %+v, %v", im, ok)
		}
	})
}

// TestAFigureThatIsDrawnTakesTheCardsPlace checks that a picture replaces the card of
// its figure in the grid, and in the viewer with its filmstrip, without moving
// anything.
func TestAFigureThatIsDrawnTakesTheCardsPlace(t *testing.T) {
	for _, mode := range []state.Mode{state.Grid, state.Viewer} {
		w := newWorld(t, wide, figuresOf(t), func(s *state.Snapshot) {
			busy(s)
			s.Selection, s.Current, s.Mode = []string{plotlyFigure}, plotlyFigure, mode
		})
		before := slices.Clone(w.app.shell.gallery.ids)
		w.lib.Draw(plotlyFigure, "")
		w.settled()
		if now := w.app.shell.gallery.ids; !slices.Equal(now, before) {
			t.Errorf("%v: listed %v, before %v", mode, now, before)
		}
		drawn := newWorld(t, wide, w.lib, func(s *state.Snapshot) {
			*s = *w.store.Snapshot()
		})
		if n := unlike(w.app.win.Canvas().Capture(), drawn.app.win.Canvas().Capture()); n != 0 {
			t.Errorf("%v: %d pixels differ from those of a window that never showed the card", mode, n)
		}
	}
}

// unlike returns how many pixels of two pictures differ.
func unlike(a, b image.Image) (n int) {
	if a.Bounds() != b.Bounds() {
		return a.Bounds().Dx() * a.Bounds().Dy()
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// TestThePropertiesSayWhatWasNotLoaded: a map without its tiles looks as if it were empty.
func TestThePropertiesSayWhatWasNotLoaded(t *testing.T) {
	w := newWorld(t, wide, figuresOf(t), func(s *state.Snapshot) { busy(s) })
	kind, _ := picture.InteractiveOf(picture.HTML)
	w.lib.Draw(plotlyFigure, mimebundle.DescribeDrawn(kind, 1, []string{"https://tile.example/1/1.png", "https://tile.example/1/2.png", "https://data.example/a.csv"}))
	w.choose(plotlyFigure)
	w.panelShows("Not loaded, because figures are drawn offline: tile.example, data.example")
}
