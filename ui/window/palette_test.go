package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// seek opens the palette by its key and types a text.
func (w *world) seek(text string) {
	w.t.Helper()
	w.app.shortcut(withCtrl(fyne.KeyK))
	if !w.app.palette.Shown() {
		w.t.Fatal("Ctrl+K does not open the palette")
	}
	for _, r := range text {
		w.app.win.Canvas().Focused().TypedRune(r)
	}
}

// sought returns the rows of the palette: name, detail and key.
func (w *world) sought() []string { return w.app.palette.Listed() }

// TestThePaletteFindsByNameInBothLanguages, and the best match is first.
func TestThePaletteFindsByNameInBothLanguages(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		w := newWorld(t, wide, galleryOf(t, 3), func(s *state.Snapshot) { busy(s); s.Settings.Language = lang })
		k := w.app.shell.k
		for typed, want := range map[string]string{
			"copy im": k.T("menu.copy_image"), "画像をコ": k.T("menu.copy_image"), "move tr": k.T("menu.trash"),
			"ダーク": k.T("do.theme_dark"), "interr": k.T("do.interrupt"), "analys": "analysis", "f11": k.T("keys.fullscreen"),
			"ctrl+f": k.T("do.search"), "notif": k.T("settings.notify"), "通知": k.T("settings.notify"),
			"ｺﾝｿｰﾙ": k.T("do.console"), "こんそーる": k.T("do.console"),
		} {
			w.seek(typed)
			if got := w.sought(); len(got) == 0 || !strings.HasPrefix(got[0], want+" | ") {
				t.Errorf("%s: %q finds %q, want %q first", lang, typed, got[:min(len(got), 4)], want)
			}
			w.strike(fyne.KeyEscape)
			if w.app.palette.Shown() {
				t.Fatal("Escape does not close it")
			}
		}
	}
}

// TestThePaletteRunsWhatIsChosen: Enter, a click, and the arrows around the ends. It shows the keys.
func TestThePaletteRunsWhatIsChosen(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.seek("settings")
	if i := slices.IndexFunc(w.sought(), func(row string) bool { return row == "Settings |  | Ctrl+," }); i != 0 {
		t.Fatalf("it finds %q", w.sought()[:3])
	}
	w.strike(fyne.KeyReturn)
	if w.app.shell.page != pageSettings || w.app.palette.Shown() {
		t.Errorf("the page is %v", w.app.shell.page)
	}
	w.seek("newest plot") // "Open the newest plot" and "Follow the newest plot"
	names := w.sought()
	if len(names) < 2 {
		t.Fatalf("it finds %q", names)
	}
	w.strike(fyne.KeyUp, fyne.KeyDown, fyne.KeyReturn)
	if w.app.palette.Shown() {
		t.Error("it stays open")
	}
}

// TestThePaletteGoesToSessionsAndSettings.
func TestThePaletteGoesToSessionsAndSettings(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.seek("analysis")
	w.strike(fyne.KeyReturn)
	if f := w.store.Snapshot().Folder; f.Kind != state.OneSession || f.ID != uitest.SessionID(0) {
		t.Errorf("it opened %+v", f)
	}
	w.seek("Plots kept")
	w.strike(fyne.KeyEscape)
	w.seek("approval timeout")
	w.strike(fyne.KeyReturn)
	if _, field := w.app.win.Canvas().Focused().(*kit.Field); w.app.shell.page != pageSettings || !field {
		t.Errorf("the page is %v, the focus is at %T", w.app.shell.page, w.app.win.Canvas().Focused())
	}
	if why := w.sought(); w.app.palette.Shown() {
		t.Errorf("it stays open: %q", why)
	}
}

// TestThePaletteListsWhatWasUsedFirst: it is kept, and what is not possible says why and stays.
func TestThePaletteListsWhatWasUsedFirst(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.seek("dark theme")
	w.strike(fyne.KeyReturn)
	w.seek("show var")
	w.strike(fyne.KeyReturn)
	w.seek("")
	if got := w.sought(); !strings.HasPrefix(got[0], "Show variables") || !strings.HasPrefix(got[1], "Dark theme") {
		t.Errorf("it begins with %q", got[:3])
	}
	if got := w.store.Snapshot().Settings.Layout.Palette; got != "do:variables\ndo:theme_dark" {
		t.Errorf("kept: %q", got)
	}
	w.strike(fyne.KeyEscape)
	w.store.Update(func(s *state.Snapshot) { s.Selection = nil })
	w.settled()
	w.seek("move to trash")
	if got := w.sought(); got[0] != "Move to trash | Select a plot first | Del" {
		t.Errorf("it says %q", got[0])
	}
	w.strike(fyne.KeyReturn)
	if !w.app.palette.Shown() {
		t.Error("what is not possible closes it")
	}
}

// TestClosingThePaletteGivesTheFocusBack, also to a field, in which Ctrl+K opens it.
func TestClosingThePaletteGivesTheFocusBack(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	search := w.app.shell.top.search
	w.app.win.Canvas().Focus(search)
	search.TypedShortcut(withCtrl(fyne.KeyK))
	if !w.app.palette.Shown() || w.app.win.Canvas().Focused() == fyne.Focusable(search) {
		t.Fatal("Ctrl+K in a field does not open the palette")
	}
	w.strike(fyne.KeyEscape)
	if w.app.win.Canvas().Focused() != fyne.Focusable(search) {
		t.Errorf("the focus is at %T", w.app.win.Canvas().Focused())
	}
}

func TestThePaletteGoldens(t *testing.T) {
	for name, x := range map[string]struct {
		size  fyne.Size
		edit  func(*state.Snapshot)
		typed string
	}{
		"palette":                {wide, busy, ""},
		"palette_found":          {wide, busy, "sess"},
		"palette_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { busy(s); s.Settings.Language, s.Settings.Theme = "ja", "dark" }, "プロ"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, x.size, galleryOf(t, 12), x.edit)
			w.seek(x.typed)
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}
