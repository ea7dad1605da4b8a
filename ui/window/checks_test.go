package window

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// checking serves the window's requests about checks.
type checking struct {
	asked     chan command.CheckPlotsIn
	cancelled chan []string
	effects   []catalog.CheckFinding
}

func (w *world) checks(effects ...catalog.CheckFinding) *checking {
	c := &checking{make(chan command.CheckPlotsIn, 10), make(chan []string, 10), effects}
	command.CheckPlots.Handle(w.bus, func(_ context.Context, in command.CheckPlotsIn) (out command.CheckPlotsOut, err error) {
		c.asked <- in
		if !in.Confirmed && len(c.effects) > 0 {
			return command.CheckPlotsOut{SideEffects: c.effects}, nil
		}
		return command.CheckPlotsOut{Started: len(in.IDs)}, nil
	}, nil)
	command.CancelChecks.Handle(w.bus, func(_ context.Context, ids []string) (struct{}, error) {
		c.cancelled <- ids
		return struct{}{}, nil
	}, nil)
	command.ReadCheck.Handle(w.bus, func(ctx context.Context, id string) (out command.ReadCheckOut, err error) {
		kept, err := w.lib.Check(ctx, id)
		if err != nil {
			return out, nil //nolint:nilerr // it was not checked
		}
		out = command.ReadCheckOut{Found: true, Check: kept.Check}
		if kept.Status == catalog.CheckDifferent {
			out.Fresh, out.FreshType = w.fresh(id), "image/png"
		}
		return out, nil
	}, nil)
	return c
}

// fresh is a stored plot with a line through it.
func (w *world) fresh(id string) []byte {
	data, _, err := w.lib.Read(w.t.Context(), id)
	if err != nil {
		w.t.Error(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		w.t.Error(err)
	}
	changed := image.NewNRGBA(m.Bounds())
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			changed.Set(x, y, m.At(x, y))
			if y/4 == 30 {
				changed.Set(x, y, color.NRGBA{R: 0xC0, A: 0xFF})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, changed); err != nil {
		w.t.Error(err)
	}
	return b.Bytes()
}

const checkedPlot = "img00002"

// results are the checks of a gallery of four.
func results(w *world) {
	at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	w.setCheck("img00001", catalog.Check{Status: catalog.CheckReproduced, At: at, Exact: true, Cells: 1})
	w.setCheck(checkedPlot, catalog.Check{
		Status: catalog.CheckDifferent, At: at, Changed: 0.0312, Box: []int{1, 2, 3, 4}, Cells: 2,
		Findings: []catalog.CheckFinding{{Kind: "random", Cell: 2, Line: 3, What: "np.random.rand"}, {Kind: "changed_file", Cell: 1, Path: "data.csv"}},
	})
	w.setCheck("img00003", catalog.Check{
		Status: catalog.CheckNotReplayable, At: at, Reason: catalog.CheckCellFailed,
		Cell:     &catalog.CheckedCell{Number: 4, Code: "df = pd.read_csv('data.csv')\ndf.plot()", Error: &catalog.ExecutionError{Type: "NameError", Message: "name 'pd' is not defined"}},
		Findings: []catalog.CheckFinding{{Kind: "missing_file", Cell: 4, Path: "data.csv"}},
	})
}

// setCheck sets the result of a check.
func (w *world) setCheck(id string, c catalog.Check) {
	w.t.Helper()
	require.NoError(w.t, w.lib.Library.Checks.Put(w.t.Context(), id, c, nil))
}

func (w *world) choose(id string) {
	w.t.Helper()
	w.store.Update(func(s *state.Snapshot) {
		s.Selection, s.Current = []string{id}, id
		s.PropertiesPanel = true
	})
	w.settled()
}

func TestTheResultOfACheck(t *testing.T) {
	for name, c := range map[string]struct {
		size        fyne.Size
		lang, theme string
		id, line    string
	}{
		"check_different":                   {wide, "en", "light", checkedPlot, "Stored, new"},
		"check_different_dark_ja_narrow":    {narrowed, "ja", "dark", checkedPlot, "保存された画像"},
		"check_not_replayable":              {wide, "en", "dark", "img00003", "cell 4, NameError"},
		"check_not_replayable_ja_narrow":    {narrowed, "ja", "light", "img00003", "NameError"},
		"check_reproduced_in_the_panel":     {wide, "en", "light", "img00001", ""},
		"check_reproduced_elsewhere":        {wide, "en", "light", "img00004", "pandas 3.1.1 → 2.1.4"},
		"check_reproduced_elsewhere_ja":     {narrowed, "ja", "dark", "img00004", "pandas 3.1.1 → 2.1.4"},
		"check_different_in_the_comparison": {wide, "en", "light", checkedPlot, "Stored, new"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 4), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
			})
			w.checks()
			results(w)
			if c.id == "img00004" {
				w.setCheck("img00004", catalog.Check{
					Status: catalog.CheckReproduced, At: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC), Exact: true, Cells: 2,
					Environment: []catalog.EnvironmentChange{{What: "Python", Was: "3.12.1", Now: "3.11.7"}, {What: "pandas", Was: "3.1.1", Now: "2.1.4"}, {What: "commit", Was: "b94dae0", Now: "0c8d1f2 (dirty)"}, {What: "uv.lock", Was: "247a918b"}},
					Findings:    []catalog.CheckFinding{{Kind: catalog.FoundInstall, Cell: 1, Line: 2, What: "%pip install pandas"}},
				})
			}
			w.choose(c.id)
			if c.line != "" {
				w.app.checks.Show(c.id)
				w.shows(c.line)
			}
			if name == "check_different_in_the_comparison" {
				w.press("Compare")
				w.q.Until(w.t, "both pictures", func() bool {
					v := w.app.shell.gallery.versus
					return w.app.shell.gallery.comparing && v.Settled() && len(v.IDs()) == 2
				})
			}
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// panelShows waits until the window has a paragraph with a text.
func (w *world) panelShows(line string) {
	w.t.Helper()
	w.q.Until(w.t, "the window to show "+line, func() bool {
		return slices.ContainsFunc(test.LaidOutObjects(w.app.win.Canvas().Content()), func(o fyne.CanvasObject) bool {
			p, ok := o.(*kit.Para)
			return ok && strings.Contains(p.Text(), line)
		})
	})
}

func TestACheckAsksBeforeSideEffects(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) { busy(s) })
	c := w.checks(catalog.CheckFinding{Kind: "writes", Cell: 2, Line: 1, What: "df.to_csv", Path: "out.csv"})
	results(w)
	w.choose(checkedPlot)
	w.app.shortcut(withCtrl(fyne.KeyR))
	if in := <-c.asked; in.Confirmed || len(in.IDs) != 1 || in.IDs[0] != checkedPlot {
		t.Fatalf("asked for %+v", in)
	}
	w.shows("Changes files: df.to_csv out.csv, in cell 2")
	uitest.Golden(t, "check_confirm", w.app.win.Canvas())
	w.press("Run it")
	if in := <-c.asked; !in.Confirmed {
		t.Fatalf("after the answer: %+v", in)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Checks = []command.OpenCheck{{Image: checkedPlot, Running: true, Cell: 1, Cells: 3}}
	})
	w.panelShows("Checking: 1 of 3 cells have been run")
	w.q.Until(t, "the message", func() bool { // comes with the answer to the request, which may be later
		return w.offers() == "Cancel"
	})
	uitest.Golden(t, "check_running", w.app.win.Canvas())
	w.take() // Cancel
	if ids := <-c.cancelled; len(ids) != 1 || ids[0] != checkedPlot {
		t.Errorf("cancelled %q", ids)
	}
	w.q.Until(t, "the message that it was cancelled", func() bool { return w.saying() && w.offers() == "" }) // it must not hide the next one
	w.setCheck(checkedPlot, catalog.Check{Status: catalog.CheckReproduced, At: time.Now().Add(time.Minute)})
	w.store.Update(func(s *state.Snapshot) { s.Checks = nil })
	w.q.Until(t, "the announcement", func() bool {
		return w.offers() == "Details"
	})
	w.panelShows("Reproduced on")
}

// TestTheResultOfAPlotOutOfSight: its title is not that of a plot without one.
func TestTheResultOfAPlotOutOfSight(t *testing.T) {
	const count, oldest = 200, "img00001"
	w := newWorld(t, wide, galleryOf(t, count), func(s *state.Snapshot) { busy(s) })
	w.checks()
	w.settled()
	if _, ok := w.app.shell.gallery.known(oldest); ok {
		t.Fatal("the plot is in sight")
	}
	w.store.Update(func(s *state.Snapshot) { s.Checks = []command.OpenCheck{{Image: oldest}} })
	w.settled()
	w.setCheck(oldest, catalog.Check{Status: catalog.CheckReproduced, At: time.Now().Add(time.Minute)})
	w.store.Update(func(s *state.Snapshot) { s.Checks = nil })
	w.q.Until(t, "the announcement", func() bool {
		return w.saying() && strings.HasPrefix(w.message(), "Sine: Reproduced")
	})
}
