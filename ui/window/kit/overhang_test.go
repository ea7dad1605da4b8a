package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestANoteKeepsTheOrderOfWhatIsTyped(t *testing.T) {
	k := newKit(t)
	f := k.Note("")
	w := test.NewTempWindow(t, f)
	for width := float32(100); width < 400; width += 11 {
		w.Resize(fyne.NewSize(width, 200))
		for _, text := range []string{
			"Typed while plots arrive, one a second; and I do not stop, because  the peak is at 4.5 kg",
			"収量のピークは 4.5 kg です。 次の図も、同じ軸で 描いてください。a b",
		} {
			f.SetText("")
			test.Type(f, text)
			if f.Text != text {
				t.Errorf("%v: %q, want %q", width, f.Text, text)
			}
			f.SetText("\nthe next paragraph")
			f.CursorRow, f.CursorColumn = 0, 0
			test.Type(f, text)
			if want := text + "\nthe next paragraph"; f.Text != want {
				t.Errorf("%v: %q, want %q", width, f.Text, want)
			}
		}
	}
}

func TestANoteEditsBehindASpaceThatIsNotDrawn(t *testing.T) {
	k := newKit(t)
	f := k.Note("")
	w := test.NewTempWindow(t, f)
	for width := float32(100); width < 200; width += 3 {
		w.Resize(fyne.NewSize(width, 200))
		for name, c := range map[string]struct {
			do   func()
			want string
		}{
			"Backspace": {func() { f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace}) }, "the yield of A"},
			"Return":    {func() { f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}) }, "the yield of A \n"},
			"Paste": {func() {
				fyne.CurrentApp().Clipboard().SetContent("and B")
				f.TypedShortcut(&fyne.ShortcutPaste{Clipboard: fyne.CurrentApp().Clipboard()})
			}, "the yield of A and B"},
		} {
			f.SetText("")
			test.Type(f, "the yield of A ")
			if c.do(); f.Text != c.want {
				t.Errorf("%s at %v: %q, want %q", name, width, f.Text, c.want)
			}
		}
	}
}
