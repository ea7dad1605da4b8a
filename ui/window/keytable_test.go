package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// viewRows lists the rows whose keys are all handled by the gallery, the viewer or the
// pointer.
var viewRows = []string{"keys.move", "keys.range", "keys.band", "keys.space", "keys.enter", "keys.esc"}

func TestEachRowOfTheKeyTableIsHandledAndShown(t *testing.T) {
	en, ja := i18n.New("en"), i18n.New("ja")
	var rows, labels []string
	for _, row := range keyTable() {
		if row.what != "" {
			if en.T(row.what) == row.what || ja.T(row.what) == row.what {
				t.Errorf("%s has no words", row.what)
			}
			if row.label(en) == "" {
				t.Errorf("%s shows no key", row.what)
			}
			if slices.Contains(rows, row.what) || slices.Contains(labels, row.label(en)) {
				t.Errorf("%s, %q: listed twice", row.what, row.label(en))
			}
			rows, labels = append(rows, row.what), append(labels, row.label(en))
		}
		handled := slices.ContainsFunc(row.keys, func(k key) bool { return k.do != nil })
		if handled == slices.Contains(viewRows, row.what) {
			t.Errorf("%s: handled by the table: %v", row.what, handled)
		}
	}
}

func TestEachKeyOfTheTableIsFoundByItsEvent(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range keyTable() {
		for _, k := range row.keys {
			var event, shown string
			n := 0
			if k.shortcut != nil {
				n++
				event, shown = k.shortcut.ShortcutName(), labelOf(k.shortcut)
			}
			if k.name != "" {
				n++
				event, shown = string(k.name), strings.Replace(string(k.name), "Delete", "Del", 1)
			}
			if k.char != 0 {
				n++
				event, shown = "char "+string(k.char), strings.ToUpper(string(k.char))
			}
			if n > 1 || (k.do != nil) != (n == 1) {
				t.Errorf("%s, %q: %d events, handled: %v", row.what, k.label, n, k.do != nil)
			}
			if k.do == nil {
				continue
			}
			if seen[event] {
				t.Errorf("%s: %q does two things", row.what, event)
			}
			seen[event] = true
			if k.label != "" && !strings.Contains(k.label, shown) {
				t.Errorf("%s: %q is shown as %q", row.what, shown, k.label)
			}
		}
	}
}

// labelOf returns a shortcut as in the list.
func labelOf(s fyne.Shortcut) string {
	switch s := s.(type) {
	case *fyne.ShortcutCopy:
		return "Ctrl+C"
	case *fyne.ShortcutCut:
		if s.Secondary {
			return "Shift+Del"
		}
		return "Ctrl+X"
	case *fyne.ShortcutSelectAll:
		return "Ctrl+A"
	case *fyne.ShortcutUndo:
		return "Ctrl+Z"
	case *fyne.ShortcutRedo:
		return "Ctrl+Y"
	case *desktop.CustomShortcut:
		label := "Ctrl+"
		if s.Modifier&fyne.KeyModifierShift != 0 {
			label += "Shift+"
		}
		if s.KeyName == fyne.KeyReturn {
			return label + "Enter"
		}
		return label + string(s.KeyName)
	}
	return ""
}

// TestShortcutsAreToldApart checks that what the canvas and the fields pass on reaches
// exactly the right key.
func TestShortcutsAreToldApart(t *testing.T) {
	for _, a := range keyTable() {
		for _, k := range a.keys {
			if k.shortcut == nil {
				continue
			}
			n := 0
			for _, b := range keyTable() {
				for _, other := range b.keys {
					if same(other.shortcut, k.shortcut) {
						n++
					}
				}
			}
			if n != 1 {
				t.Errorf("%s: %s matches %d keys", a.what, k.shortcut.ShortcutName(), n)
			}
		}
	}
	if !same(withCtrl(fyne.KeyS), &desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl}) {
		t.Error("Ctrl+S from a field is not Ctrl+S")
	}
	if same(withCtrl(fyne.KeyS), withCtrlShift(fyne.KeyS)) || same(nil, withCtrl(fyne.KeyS)) || same(&fyne.ShortcutCopy{}, &fyne.ShortcutUndo{}) ||
		same(&fyne.ShortcutCut{}, &fyne.ShortcutCut{Secondary: true}) {
		t.Error("different shortcuts are the same")
	}
}

// TestTheKeysAreInTheWindowsLanguage checks that labels are translated unless they are
// names of keys.
func TestTheKeysAreInTheWindowsLanguage(t *testing.T) {
	ja := i18n.New("ja")
	for _, row := range shownKeys() {
		for _, word := range []string{"Drag", "wheel", "keys."} {
			if label := row.label(ja); strings.Contains(label, word) {
				t.Errorf("%s is shown as %q", row.what, label)
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
			if want := len(shownKeys()); len(rows) != want {
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
