package window

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/ui/core/command"
	"easel/ui/core/facts/checks"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

const foundPlot = "img00003"

// foundIn is what is found in foundPlot, with its places in the picture.
var foundIn = []command.PlotFinding{
	{
		Key: "repeats/1/y/A/8.45", Check: checks.Repeats, Axes: 1,
		English:  "19 of 260 y values are exactly 8.45; the next most frequent value occurs 3 times.",
		Japanese: "260 個の y の値のうち 19 個がちょうど 8.45 です。次に多い値は 3 回です。",
		Where:    []command.Region{{X0: 120, Y0: 200, X1: 120, Y1: 200}, {X0: 300, Y0: 200, X1: 300, Y1: 200}, {X0: 480, Y0: 200, X1: 480, Y1: 200}},
	},
	{
		Key: "empty/2/both/A", Check: checks.Empty, Axes: 2,
		English:  "An empty rectangle: no point lies in x 2 to 4, y 10 to 30, where 17 would be expected.",
		Japanese: "空白の長方形があります。x 2〜4、y 10〜30 には点がありません（17 個ほどあるはずの範囲）。",
		Where:    []command.Region{{X0: 200, Y0: 100, X1: 320, Y1: 260}},
	},
	{
		Key: "look_alike/1/both/A/B", Check: checks.LookAlike, Axes: 1,
		English: "A and B have the same colour and style.", Japanese: "A と B は色もスタイルも同じです。",
	},
}

// finds has the findings of foundPlot found.
func (w *world) finds() {
	w.t.Helper()
	keys := make([]string, len(foundIn))
	for i, f := range foundIn {
		keys[i] = f.Key
	}
	command.FindingsOf.Handle(w.bus, func(ctx context.Context, id string) ([]command.PlotFinding, error) {
		im, err := w.lib.Image(ctx, id)
		if err != nil || id != foundPlot {
			return nil, err
		}
		list := slices.Clone(foundIn)
		for i := range list {
			list[i].Dismissed = slices.Contains(im.Judged, list[i].Key)
		}
		return list, nil
	}, nil)
	require.NoError(w.t, w.lib.Library.Images.SetFound(w.t.Context(), foundPlot, keys))
	w.settled()
}

// findingRow returns the row of the properties with a finding.
func (w *world) findingRow(text string) *kit.Stop {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(w.app.shell.props.Object()) {
		if s, ok := o.(*kit.Stop); ok && slices.ContainsFunc(test.LaidOutObjects(s), func(x fyne.CanvasObject) bool {
			p, ok := x.(*kit.Para)
			return ok && strings.HasPrefix(p.Text(), text)
		}) {
			return s
		}
	}
	w.t.Fatalf("the properties have no finding %q", text)
	return nil
}

// marked checks which plot has how many marks.
func (w *world) marked(when, id string, n int) {
	w.t.Helper()
	w.settled()
	if gotID, got := w.app.shell.gallery.view.Marked(); gotID != id || got != n {
		w.t.Errorf("%s: %d places of %q are marked, want %d of %q", when, got, gotID, n, id)
	}
}

func TestChoosingAFindingMarksItsPlaces(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), busy)
	w.finds()
	w.choose(foundPlot)
	test.Tap(w.findingRow("19 of 260"))
	w.marked("chosen in the grid", foundPlot, 3)
	if n := w.store.Snapshot(); n.Mode != state.Viewer || n.Current != foundPlot {
		t.Fatalf("the window shows %s in the %s", n.Current, n.Mode)
	}
	test.Tap(w.findingRow("An empty"))
	w.marked("another one", foundPlot, 1)
	test.Tap(w.findingRow("An empty"))
	w.marked("the same again", "", 0)
	test.Tap(w.findingRow("19 of 260"))
	test.Tap(w.findingRow("A and B")) // has no place
	w.marked("one without a place", foundPlot, 3)
	w.key(fyne.KeyEscape)
	w.marked("Escape", "", 0)
	if w.store.Snapshot().Mode != state.Viewer {
		t.Error("Escape closed the viewer")
	}
	test.Tap(w.findingRow("19 of 260"))
	w.key(fyne.KeyLeft)
	w.marked("the next plot", "", 0)
	w.key(fyne.KeyRight)
	w.marked("back", "", 0)
	w.key(fyne.KeyEscape)
	if w.store.Snapshot().Mode != state.Grid {
		t.Error("Escape did not close the viewer")
	}
}

// TestMarksEndWithTheViewer: in the grid, no finding looks chosen.
func TestMarksEndWithTheViewer(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), busy)
	w.finds()
	w.choose(foundPlot)
	test.Tap(w.findingRow("19 of 260"))
	w.marked("chosen", foundPlot, 3)
	w.app.navigate.CloseViewer()
	w.marked("closed", "", 0)
	if w.app.finder.key != "" {
		t.Error("a finding is still chosen")
	}
}

// TestTheKeyboardInTheFindings: arrows move among them, and the marks with the focus; Escape ends marking, then leaves.
func TestTheKeyboardInTheFindings(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), busy)
	w.finds()
	w.choose(foundPlot)
	canvas := w.app.win.Canvas()
	canvas.Focus(w.findingRow("19 of 260"))
	w.strike(fyne.KeyDown)
	w.marked("moved only", "", 0)
	if canvas.Focused() != fyne.Focusable(w.findingRow("An empty")) {
		t.Fatalf("the focus is on %v", canvas.Focused())
	}
	w.strike(fyne.KeyReturn)
	w.marked("Enter", foundPlot, 1)
	w.strike(fyne.KeyUp)
	w.marked("Up", foundPlot, 3)
	w.strike(fyne.KeyDown, fyne.KeyDown)
	w.marked("on one without a place", foundPlot, 1)
	w.strike(fyne.KeyEscape)
	w.marked("Escape", "", 0)
	if canvas.Focused() == nil || w.store.Snapshot().Mode != state.Viewer {
		t.Error("the first Escape left the findings")
	}
	w.strike(fyne.KeyEscape)
	if canvas.Focused() != nil {
		t.Error("the second Escape did not leave them")
	}
}

func TestAFindingThatIsNoProblem(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), busy)
	w.finds()
	w.choose(foundPlot)
	judged := func(when string, want int, rows ...string) {
		t.Helper()
		w.q.Until(t, "the finding to be judged", func() bool {
			im, err := w.lib.Image(t.Context(), foundPlot)
			return err == nil && im.Findings == want
		})
		w.settled()
		last := float32(-1)
		for _, text := range rows {
			y := fyne.CurrentApp().Driver().AbsolutePositionForObject(w.findingRow(text)).Y
			if y <= last {
				t.Errorf("%s: %q is not below the others", when, text)
			}
			last = y
		}
	}
	judged("at first", 3, "19 of 260", "An empty", "A and B")
	test.Tap(w.findingRow("19 of 260"))
	w.marked("chosen", foundPlot, 3)
	w.app.win.Canvas().Focus(w.button("Not a problem"))
	w.strike(fyne.KeySpace)
	judged("not a problem", 2, "An empty", "A and B", "19 of 260")
	w.marked("not a problem", "", 0)
	if w.app.win.Canvas().Focused() != fyne.Focusable(w.findingRow("An empty")) {
		t.Error("the focus is not on the finding that took its place")
	}
	test.Tap(w.button("Undo"))
	judged("a problem again", 3, "19 of 260", "An empty", "A and B")
	test.Tap(w.button("Not a problem"))
	judged("once more", 2, "An empty", "A and B", "19 of 260")
	w.app.shortcut(&fyne.ShortcutUndo{})
	judged("undone", 3, "19 of 260", "An empty", "A and B")
	w.said("Undid: the judgement of a finding in")
}

// TestTheFilterForFindings: the sidebar offers it while the library has some.
func TestTheFilterForFindings(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), busy)
	if w.inSight("With findings") {
		t.Error("it is offered, and there are none")
	}
	w.finds()
	w.q.Until(t, "the sidebar to offer it", func() bool { return w.inSight("With findings") })
	test.Tap(w.sideRow("With findings"))
	w.q.Until(t, "the filter", func() bool { return w.store.Snapshot().Query.Findings })
	w.settled()
	if got := w.app.shell.gallery.ids; !slices.Equal(got, []string{foundPlot}) {
		t.Errorf("listed %v", got)
	}
	w.choose(foundPlot)
	for range foundIn {
		before, err := w.lib.Image(t.Context(), foundPlot)
		require.NoError(t, err)
		test.Tap(w.button("Not a problem"))
		w.q.Until(t, "the finding to be judged", func() bool {
			im, err := w.lib.Image(t.Context(), foundPlot)
			return err == nil && im.Findings < before.Findings
		})
		w.settled()
	}
	w.q.Until(t, "the empty view", func() bool { return len(w.app.shell.gallery.ids) == 0 && w.inSight("No plot has findings") })
	w.app.navigate.ClearFilters()
	w.settled()
	if got := w.app.shell.gallery.ids; len(got) != 5 || w.inSight("With findings") {
		t.Errorf("without the filter: %v", got)
	}
}

func TestFindingsGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size        fyne.Size
		lang, theme string
		then        func(w *world)
	}{
		"findings":                       {wide, "en", "light", nil},
		"findings_dark_ja_narrow":        {narrowed, "ja", "dark", nil},
		"findings_viewer":                {wide, "en", "light", func(w *world) { w.app.finder.choose(foundPlot, foundIn[0]) }},
		"findings_viewer_dark_ja_narrow": {narrowed, "ja", "dark", func(w *world) { w.app.finder.choose(foundPlot, foundIn[1]) }},
		"findings_filter_dark":           {wide, "en", "dark", func(w *world) { w.app.navigate.OpenFindings() }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 5), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
			})
			w.finds()
			w.choose(foundPlot)
			if c.then != nil {
				c.then(w)
				w.settled()
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}
