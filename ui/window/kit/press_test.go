package kit_test

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A pressWorld is a window with one object and a pointer.
type pressWorld struct {
	q       *uitest.Queue
	k       *kit.Kit
	pointer *uitest.Pointer
}

func newPressWorld(t *testing.T, of func(k *kit.Kit) fyne.CanvasObject) *pressWorld {
	t.Helper()
	q := uitest.NewQueue()
	w := &pressWorld{q: q, k: &kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}}
	win := uitest.App(t).NewWindow("")
	win.SetPadded(false)
	win.SetContent(of(w.k))
	win.Resize(fyne.NewSize(300, 200))
	t.Cleanup(win.Close)
	w.pointer = uitest.NewPointer(win.Canvas())
	return w
}

// TestRowsThatAreReplacedDuringAPress: what was pressed is tapped, and the new rows follow, but not
// after newer ones.
func TestRowsThatAreReplacedDuringAPress(t *testing.T) {
	var tapped, shown string
	var c *kit.Column
	var k *kit.Kit
	set := func(name string) {
		c.SetRows(k.Stop(kit.Box(kit.NewLine(name, 12, color.Black, fyne.TextStyle{}, 20), fyne.NewSize(100, 30)), color.White, "", func() {
			tapped += name
		}))
	}
	w := newPressWorld(t, func(of *kit.Kit) fyne.CanvasObject {
		k, c = of, of.Column(0, 0)
		return c
	})
	set("a")
	w.pointer.Move(fyne.NewPos(20, 15))
	w.pointer.Press()
	set("b")
	set("c")
	w.q.Drain()
	w.pointer.Release()
	if tapped != "a" {
		t.Fatalf("tapped %q, want a", tapped)
	}
	w.q.Drain()
	w.pointer.Press()
	w.pointer.Release()
	if shown = tapped; shown != "ac" {
		t.Fatalf("tapped %q, want ac", shown)
	}
	w.pointer.Press()
	set("d")
	w.pointer.Release() // posts d
	set("e")
	w.q.Drain()
	w.pointer.Press()
	w.pointer.Move(fyne.NewPos(20, 150)) // and released where nothing is
	set("f")
	w.pointer.Release()
	w.q.Drain()
	w.pointer.Move(fyne.NewPos(20, 15))
	w.pointer.Press()
	w.pointer.Release()
	if tapped != "accf" {
		t.Errorf("tapped %q, want accf", tapped)
	}
}

// TestARowOfAListThatWasScrolledDuringAPress is not the one that was pressed.
func TestARowOfAListThatWasScrolledDuringAPress(t *testing.T) {
	tapped := -1
	var r *kit.Rows
	w := newPressWorld(t, func(k *kit.Kit) fyne.CanvasObject {
		r = k.Rows(20, []kit.ColumnSpec{{}}, func() int { return 100 }, func(int) []kit.Cell { return []kit.Cell{{Text: "x"}} },
			func(i int) { tapped = i })
		return r
	})
	w.pointer.Move(fyne.NewPos(20, 50))
	w.pointer.Press()
	r.ScrollToBottom()
	if w.pointer.Release(); tapped != -1 {
		t.Errorf("row %d was tapped", tapped)
	}
	w.pointer.Press()
	if w.pointer.Release(); tapped < 80 {
		t.Errorf("row %d was tapped, want one at the end", tapped)
	}
}
