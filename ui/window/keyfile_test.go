package window

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/ui/window/keymap"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// keyed gives a window a data directory with a file of keys, and reads it.
func (w *world) keyed(file string) (path string) {
	w.t.Helper()
	w.app.cfg.DataDir = w.t.TempDir()
	path = filepath.Join(w.app.cfg.DataDir, keymap.FileName)
	require.NoError(w.t, os.WriteFile(path, []byte(file), 0o600))
	w.app.keyboard.read()
	w.q.Until(w.t, "the keys", func() bool { return w.app.keyboard.keys.Key("restore") == "F6" })
	return path
}

// TestTheKeysOfTheFileCount: the list of keys, the palette and the hints show them. What is wrong is
// said, with its line.
func TestTheKeysOfTheFileCount(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.keyed(`{"restore": "F6", "settings": "F8",
"palette": "Ctrl+P",
"copy_image": "Hyper"}`)
	w.q.Until(t, "the problem", func() bool {
		return strings.Contains(strings.Join(uitest.Texts(w.app.win.Canvas()), "\n"), "keys.json, line 3: “Hyper”")
	})
	w.strike(fyne.KeyF8)
	if w.app.shell.page != pageSettings {
		t.Error("F8 does not open the settings")
	}
	w.app.shell.open(pageGallery)
	w.app.shortcut(withCtrl(fyne.KeyComma))
	if w.app.shell.page != pageGallery {
		t.Error("the former key still opens them")
	}
	w.app.shortcut(withCtrl(fyne.KeyP))
	if !w.app.palette.Shown() {
		t.Fatal("Ctrl+P does not open the palette")
	}
	for _, r := range "settings" {
		w.app.win.Canvas().Focused().TypedRune(r)
	}
	if got := w.sought()[0]; got != "Settings |  | F8" {
		t.Errorf("the palette shows %q", got)
	}
}

// TestTipsAndMenusHaveTheUsersKeys, and none for an action without a key.
func TestTipsAndMenusHaveTheUsersKeys(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.key(fyne.KeyRight)
	tips := w.app.kit().Tips
	tip := func(b *kit.Button) string { return w.app.kit().Keyed(b.Tip()) }
	if got := tip(w.app.shell.top.panel); got != "Properties (P)" || tips.Key("properties") != "P" {
		t.Errorf("at first, the tip is %q", got)
	}
	w.keyed(`{"restore": "F6", "properties": "F9", "dock": "", "copy_image": "Ctrl+Shift+F7", "follow": "Ctrl+L"}`)
	w.settled()
	if got := tip(w.app.shell.top.panel) + tip(w.app.shell.top.dock); got != "Properties (F9)Activity and variables" || tips.Key("properties") != "F9" {
		t.Errorf("then the tips are %q", got)
	}
	if got := w.app.shell.status.right.Full(); !strings.Contains(got, "(Ctrl+L)") {
		t.Errorf("the status bar says %q", got)
	}
	w.strike(desktop.KeyMenu)
	if all := uitest.Texts(w.app.win.Canvas()); !slices.Contains(all, "Ctrl+Shift+F7") || slices.Contains(all, "Ctrl+C") {
		t.Errorf("the menu has not the user's keys: %q", all)
	}
}

// TestEveryKeyInATextIsThatOfAnAction, the same in each language.
func TestEveryKeyInATextIsThatOfAnAction(t *testing.T) {
	known := make(map[string]string)
	for _, x := range actions() {
		known[x.id] = x.keys
	}
	mark := regexp.MustCompile(`\{key:[^}]*\}?`)
	whole := regexp.MustCompile(`[(（]\{key:([a-z_0-9]+)\}[)）]`)
	of := make(map[string][]string)
	for _, lang := range []string{"en", "ja"} {
		raw, err := os.ReadFile("i18n/" + lang + ".json")
		require.NoError(t, err)
		texts := make(map[string]string)
		require.NoError(t, json.Unmarshal(raw, &texts))
		for id, text := range texts {
			all := whole.FindAllStringSubmatch(text, -1)
			if len(all) != len(mark.FindAllString(text, -1)) {
				t.Errorf("%s: %q has a mark without brackets", lang, text)
			}
			var keys []string
			for _, m := range all {
				if _, ok := known[m[1]]; !ok {
					t.Errorf("%s: %q names no action", lang, text)
				}
				keys = append(keys, m[1])
			}
			if lang == "ja" && !slices.Equal(keys, of[id]) {
				t.Errorf("%s has the keys of %q, in English of %q", id, keys, of[id])
			}
			of[id] = keys
		}
	}
}

// TestAKeyIsChangedInTheSettings: a new key counts at once and is in the file; another action loses it
// after a question; Reset gives the default back.
func TestAKeyIsChangedInTheSettings(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	path := w.keyed(`{"restore": "F6"}`)
	w.app.shell.open(pageSettings)
	tapIn(w, w.app.shell.prefs.Object(), "Change…")
	name := ""
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		if line, ok := o.(*kit.Line); ok && line.Full() != "—" {
			name = line.Full()
		}
		if f, ok := o.(interface {
			fyne.Focusable
			fyne.Tappable
			fyne.Shortcutable
		}); ok && name == "Copy file path" {
			f.Tapped(nil)
			f.TypedShortcut(withCtrlShift(fyne.KeyX))
			break
		}
	}
	w.settled()
	if got := w.app.keyboard.keys.Key("copy_path"); got != "Ctrl+Shift+X" {
		t.Errorf("the key is %q", got)
	}
	raw := func() string { b, _ := os.ReadFile(path); return string(b) }
	w.q.Until(t, "the file", func() bool { return strings.Contains(raw(), `"copy_path": "Ctrl+Shift+X"`) })
	w.app.keyboard.set("copy_path", []keymap.Chord{"Ctrl+C"})
	if k := w.app.keyboard.keys; k.Key("copy_path") != "Ctrl+C" || k.Key("copy_image") != "" {
		t.Errorf("taken: %q, %q", k.Key("copy_path"), k.Key("copy_image"))
	}
	w.app.keyboard.reset("")
	if k := w.app.keyboard.keys; k.Key("copy_path") != "" || k.Key("copy_image") != "Ctrl+C" {
		t.Errorf("reset: %q, %q", k.Key("copy_path"), k.Key("copy_image"))
	}
	w.q.Until(t, "the file to go", func() bool { return raw() == "" })
}
