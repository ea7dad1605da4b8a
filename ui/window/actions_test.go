package window

import (
	"strings"
	"testing"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/keymap"
	"easel/ui/window/kit"
)

// withCtrl and withCtrlShift return shortcuts as a canvas reports them.
func withCtrl(name fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault}
}

func withCtrlShift(name fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift}
}

// TestEachActionHasAnIDTextsAndSomethingToDo: the ids are in the user's file of keys.
func TestEachActionHasAnIDTextsAndSomethingToDo(t *testing.T) {
	ids := make(map[string]bool)
	for _, x := range actions() {
		if x.hand != "" {
			if x.id+x.name+x.keys != "" || x.do != nil {
				t.Errorf("%s: handled by a view and by %q", x.row, x.id)
			}
			continue
		}
		if x.id == "" || ids[x.id] || x.do == nil {
			t.Errorf("%q: twice %v, something to do %v", x.id, ids[x.id], x.do != nil)
		}
		ids[x.id] = true
		if x.name == "" && x.row == "" {
			t.Errorf("%s is neither in the palette nor in the list of keys", x.id)
		}
		for _, key := range []string{x.name, x.row} {
			for _, lang := range i18n.Languages {
				if key != "" && !i18n.New(lang).Has(key) {
					t.Errorf("%s: %q has no text in %s", x.id, key, lang)
				}
			}
		}
	}
}

// TestEachKeyDoesOneThing, and what the driver reports for it is that key.
func TestEachKeyDoesOneThing(t *testing.T) {
	does := make(map[keymap.Chord]string)
	for _, x := range actions() {
		for _, c := range keymap.Chords(x.keys) {
			if does[c] != "" {
				t.Errorf("%s does %s and %s", c, does[c], x.id)
			}
			does[c] = x.id
			switch shortcuts := c.Shortcuts(); {
			case len(shortcuts) > 0:
				for _, s := range shortcuts {
					if got := keymap.OfShortcut(s); got != c {
						t.Errorf("%s is reported as %q", c, got)
					}
				}
			case c.InGallery():
				if got := keymap.OfRune(unicode.ToLower([]rune(string(c))[0])); got != c {
					t.Errorf("%s is reported as %q", c, got)
				}
			default:
				name := strings.NewReplacer("Del", string(fyne.KeyDelete), "Backspace", string(fyne.KeyBackspace)).Replace(string(c))
				if got := keymap.OfKey(fyne.KeyName(name), 0); got != c {
					t.Errorf("%s is reported as %q", c, got)
				}
			}
		}
	}
}

// TestWhatIsNotPossibleSaysWhy, in words of both languages.
func TestWhatIsNotPossibleSaysWhy(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	for _, at := range []page{pageGallery, pageSettings} {
		w.app.shell.open(at)
		for _, x := range actions() {
			if x.can == nil {
				continue
			}
			why := x.can(w.app)
			for _, lang := range i18n.Languages {
				if why != "" && !i18n.New(lang).Has(why) {
					t.Errorf("%s: %q has no text in %s", x.id, why, lang)
				}
			}
		}
	}
}

// TestTheKeysAreInTheWindowsLanguage checks that labels are translated unless they are
// names of keys.
func TestTheKeysAreInTheWindowsLanguage(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	for _, row := range w.app.keyboard.rows(i18n.New("ja")) {
		for _, word := range []string{"Drag", "wheel", "keys."} {
			if strings.Contains(row.keys, word) {
				t.Errorf("%s is shown as %q", row.what, row.keys)
			}
		}
	}
}

func TestF1AndAQuestionMarkShowTheKeys(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyF1})
	if w.app.win.Canvas().Overlays().Top() == nil {
		t.Fatal("F1 shows no list")
	}
	w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	w.app.typedRune('?')
	if w.app.win.Canvas().Overlays().Top() == nil {
		t.Fatal("? shows no list")
	}
}

// TestTheListOfKeysFitsASmallWindow checks that no keys and no descriptions are cut
// off, and that the list scrolls to its last row.
func TestTheListOfKeysFitsASmallWindow(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, narrowed, galleryOf(t, 1), func(s *state.Snapshot) { busy(s); s.Settings.Language = lang })
			w.app.shell.showKeys()
			canvas, sheet := w.app.win.Canvas(), w.app.shell.keySheet.Content
			if size := sheet.Size(); size.Height > canvas.Size().Height || size.Width > canvas.Size().Width {
				t.Errorf("the list is %v in a window of %v", size, canvas.Size())
			}
			var rows []*kit.Fact
			for _, o := range test.LaidOutObjects(sheet) {
				switch o := o.(type) {
				case *kit.Fact:
					rows = append(rows, o)
				case *kit.Line:
					if o.PreferredWidth() > o.Size().Width+0.5 {
						t.Errorf("%q is cut", o.Full())
					}
				}
			}
			if want := len(w.app.keyboard.rows(w.app.shell.k.Tr)); len(rows) != want {
				t.Fatalf("%d rows, want %d", len(rows), want)
			}
			bottom := func(o fyne.CanvasObject) float32 {
				return fyne.CurrentApp().Driver().AbsolutePositionForObject(o).Y + o.Size().Height
			}
			if bottom(rows[0]) > bottom(sheet) {
				t.Error("the first row is out of sight")
			}
			w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
			if last := rows[len(rows)-1]; bottom(last) > bottom(sheet) {
				t.Error("End does not bring the last row into sight")
			}
			w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
			if canvas.Overlays().Top() != nil {
				t.Error("Escape does not close it")
			}
		})
	}
}
