package window

import (
	"fmt"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/facts/checks"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestChecksOfPlotsAreTurnedOff: they are folded, each is turned off and on again, and all are turned on at once.
func TestChecksOfPlotsAreTurnedOff(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	w.app.shell.open(pageSettings)
	w.settled()
	title := checks.Clumps.Title("en")
	if w.inPage(title) {
		t.Error("the checks are listed before the user asks for them")
	}
	w.besideLine("Checks of plots", "Show")
	if !w.inPage(title) || !w.inPage("All on") {
		t.Fatal("the checks are not listed")
	}
	off := func() []string { return w.store.Snapshot().Settings.PlotChecks.Off() }
	w.besideLine(title, "Off")
	w.besideLine(checks.CutBars.Title("en"), "Off")
	if got := off(); !slices.Equal(got, []string{"clumps", "cut_bars"}) || !w.inPage(fmt.Sprintf("%d of %d on", len(checks.All)-2, len(checks.All))) {
		t.Errorf("off: %q", got)
	}
	w.besideLine(title, "On")
	if got := off(); !slices.Equal(got, []string{"cut_bars"}) {
		t.Errorf("off: %q", got)
	}
	test.Tap(w.button("Turn all on"))
	w.settled()
	if got := off(); len(got) != 0 || !w.inPage("All on") {
		t.Errorf("off: %q", got)
	}
	w.besideLine("Checks of plots", "Hide")
	if w.inPage(title) {
		t.Error("the checks are still listed")
	}
}

// inPage reports whether the settings have a line of text, in sight or not.
func (w *world) inPage(text string) bool { return says(w.app.shell.prefs.Object(), text) }

// besideLine taps the button with a text in the row of a line of the settings.
func (w *world) besideLine(line, text string) {
	w.t.Helper()
	var at float32
	d := fyne.CurrentApp().Driver()
	all := test.LaidOutObjects(w.app.shell.prefs.Object())
	for _, o := range all {
		if l, ok := o.(*kit.Line); ok && l.Full() == line {
			at = d.AbsolutePositionForObject(l).Y
		}
	}
	for _, o := range all {
		if b, ok := o.(*kit.Button); ok && b.Text() == text && b.Visible() {
			if y := d.AbsolutePositionForObject(b).Y; y > at-14 && y < at+20 {
				test.Tap(b)
				w.settled()
				return
			}
		}
	}
	w.t.Fatalf("no button %q beside %q", text, line)
}

func TestChecksOfPlotsGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size        fyne.Size
		lang, theme string
	}{"settings_plot_checks": {wide, "en", "light"}, "settings_plot_checks_dark_ja_narrow": {narrowed, "ja", "dark"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 0), func(s *state.Snapshot) {
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
				s.Settings.PlotChecks = s.Settings.PlotChecks.With(checks.Round, false)
			})
			w.app.shell.open(pageSettings)
			w.settled()
			k := w.app.kit()
			w.besideLine(k.T("settings.plot_checks"), k.T("settings.licences_show"))
			w.scroll(1274)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}
