package window

import (
	"context"
	"strings"
	"testing"

	"easel/ui/core/command"
	differ "easel/ui/core/facts/differences"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestTheComparisonSaysWhatIsDifferent compares two plots, of which code and values are known.
func TestTheComparisonSaysWhatIsDifferent(t *testing.T) {
	for language, want := range map[string]string{
		"en": "Values: A: n 240 → 180; y max 7.6 → 5.1 · legend lost B\nCode: − y = x[:240] · + y = x[:180]",
		"ja": "値：A: n 240 → 180; y の最大 7.6 → 5.1 · 凡例から B が消失\nコード：− y = x[:240] · + y = x[:180]",
	} {
		w := newWorld(t, wide, galleryOf(t, 3), func(s *state.Snapshot) {
			busy(s)
			s.Settings.Language = language
		})
		command.DifferencesOf.Handle(w.bus, func(_ context.Context, in command.DifferencesIn) (d command.Differences, err error) {
			if in == (command.DifferencesIn{Before: "img00001", After: "img00002"}) {
				d = command.Differences{
					Known: true, Code: []differ.Line{{Text: "y = x[:240]"}, {Added: true, Text: "y = x[:180]"}},
					Facts: []differ.Change{
						{Series: "A", What: differ.Count, From: "240", To: "180"},
						{Series: "A", What: differ.Greatest, Axis: "y", From: "7.6", To: "5.1"},
						{Series: "B", What: differ.LegendLost},
					},
				}
			}
			return d, nil
		}, nil)
		w.app.shell.gallery.compare([]string{"img00001", "img00002"})
		w.q.Until(t, "what is different", func() bool {
			return strings.Contains(strings.Join(uitest.Texts(w.app.win.Canvas()), "\n"), "7.6 → 5.1")
		})
		w.settled()
		if got := w.app.shell.gallery.versus.Foot(); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
		uitest.Golden(t, "compare_differences_"+language, w.app.win.Canvas())
		w.app.shell.gallery.compare([]string{"img00000", "img00001", "img00002"})
		w.settled()
		if got := w.app.shell.gallery.versus.Foot(); got != "" {
			t.Errorf("of three it says %q", got)
		}
	}
}
