package window

import (
	"context"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/figurestore"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// TestThePropertiesSayHowAPlotCanBeDrawnAgain: if only its code can, they say why, and offer the check that runs it,
// with its question.
func TestThePropertiesSayHowAPlotCanBeDrawnAgain(t *testing.T) {
	for what, c := range map[string]struct {
		way   command.PlotWay
		lines []string
		check bool
	}{
		"its kernel": {command.PlotWay{By: catalog.RedrawnByKernel}, []string{"by its kernel"}, false},
		"stored":     {command.PlotWay{By: catalog.RedrawnStored}, []string{"from its stored figure"}, false},
		"its data":   {command.PlotWay{By: catalog.RedrawnStored, Data: true}, []string{"from its data"}, false},
		"only its code": {
			command.PlotWay{By: catalog.RedrawnByReplay, Reason: "gone", Unstored: "large"},
			[]string{"only by its code", "Its figure is not stored: it is too large."},
			true,
		},
		"what Python says": {
			command.PlotWay{By: catalog.RedrawnByReplay, Reason: "ended", Unstored: "pickle", Detail: "TypeError: cannot pickle '_thread.lock' object"},
			[]string{"Its figure is not stored, because it cannot be pickled: TypeError: cannot pickle '_thread.lock' object"},
			true,
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), busy)
			checks := w.checks(catalog.CheckFinding{Kind: "writes", Cell: 1, Line: 1, What: "to_csv"})
			command.WayOf.Handle(w.bus, func(context.Context, string) (command.PlotWay, error) { return c.way, nil }, nil)
			w.choose(checkedPlot)
			for _, line := range c.lines {
				w.q.Until(t, line, func() bool { return w.inPanel(line) })
			}
			if _, offered := w.seekButton("Check reproducibility"); offered != c.check {
				t.Fatalf("the check is offered: %v", offered)
			}
			if !c.check {
				return
			}
			test.Tap(w.button("Check reproducibility"))
			if in := <-checks.asked; in.Confirmed || len(in.IDs) != 1 || in.IDs[0] != checkedPlot {
				t.Fatalf("asked for %+v", in)
			}
			w.shows("Changes files: to_csv, in cell 1") // the question
			w.press("Run it")
			if in := <-checks.asked; !in.Confirmed {
				t.Errorf("asked for %+v", in)
			}
		})
	}
}

// inPanel reports whether the properties have a text.
func (w *world) inPanel(text string) bool {
	panel := w.app.shell.props.Object()
	return says(panel, text) || slices.ContainsFunc(test.LaidOutObjects(panel), func(o fyne.CanvasObject) bool {
		p, ok := o.(*kit.Para)
		return ok && p.Text() == text
	})
}

// TestEachReasonHasAText in both languages.
func TestEachReasonHasAText(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { s.Settings.Language = lang })
		for _, why := range append(figurestore.Reasons(), "pickle") {
			if !w.app.kit().Tr.Has("way.unstored." + why) {
				t.Errorf("%s: %s has no text", lang, why)
			}
		}
	}
}
