package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/i18n"
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
			if row.label() == "" {
				t.Errorf("%s shows no key", row.what)
			}
			if slices.Contains(rows, row.what) || slices.Contains(labels, row.label()) {
				t.Errorf("%s, %q: listed twice", row.what, row.label())
			}
			rows, labels = append(rows, row.what), append(labels, row.label())
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
	case *fyne.ShortcutSelectAll:
		return "Ctrl+A"
	case *fyne.ShortcutUndo:
		return "Ctrl+Z"
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
	if same(withCtrl(fyne.KeyS), withCtrlShift(fyne.KeyS)) || same(nil, withCtrl(fyne.KeyS)) || same(&fyne.ShortcutCopy{}, &fyne.ShortcutUndo{}) {
		t.Error("different shortcuts are the same")
	}
}

func TestF1AndAQuestionMarkShowTheKeys(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), busy)
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
