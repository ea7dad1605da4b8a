package kit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/theme"
)

// printoutOf returns a printout of a width in a window, with lines of text.
func printoutOf(t testing.TB, size fyne.Size, lines ...string) (*Printout, fyne.Window) {
	t.Helper()
	app := test.NewApp()
	t.Cleanup(app.Quit)
	app.Settings().SetTheme(theme.New("light"))
	k := &Kit{P: &theme.Light, Do: func(f func()) { f() }}
	p := k.Printout(60)
	w := app.NewWindow("")
	t.Cleanup(w.Close)
	p.Focus = func(f fyne.Focusable) { w.Canvas().Focus(f) }
	w.SetPadded(false)
	w.SetContent(p)
	w.Resize(size)
	p.SetLines(printLines(lines))
	return p, w
}

func printLines(texts []string) (lines []PrintLine) {
	for i, s := range texts {
		mark := ""
		if i == 0 {
			mark = "In [1]"
		}
		lines = append(lines, PrintLine{mark, s, theme.Light.Text})
	}
	return lines
}

// shown returns the texts that a printout draws, without marks.
func shownTexts(p *Printout) (texts []string) {
	for _, o := range p.sheet.drawn {
		if x, ok := o.(*canvas.Text); ok && x.Position().X > printPad {
			texts = append(texts, x.Text)
		}
	}
	return texts
}

func TestAPrintoutWrapsItsLines(t *testing.T) {
	p, w := printoutOf(t, fyne.NewSize(300, 200), "short", "", strings.Repeat("word ", 12), strings.Repeat("x", 60), strings.Repeat("東京", 20))
	width := p.body.width
	var all string
	for _, c := range p.body.pieces {
		text := p.body.lines[c.line].Text[c.from:c.to]
		if got := p.body.wide(strings.TrimRight(text, " ")); got > width {
			t.Errorf("%q is %v wide, the text has %v", text, got, width)
		}
		if strings.HasPrefix(text, "ord") || strings.HasPrefix(text, " ") {
			t.Errorf("%q begins within a word", text)
		}
		all += text
	}
	if want := strings.ReplaceAll(p.Text(), "\n", ""); all != want {
		t.Errorf("the rows have %q, want %q", all, want)
	}
	if len(p.body.pieces) < 9 {
		t.Errorf("%d rows", len(p.body.pieces))
	}
	rows := len(p.body.pieces)
	w.Resize(fyne.NewSize(600, 200))
	if got := len(p.body.pieces); got >= rows {
		t.Errorf("a wider one has %d rows, the other %d", got, rows)
	}
}

// TestOnlyNewLinesAreWrapped, and the rows are the same as if all were.
func TestOnlyNewLinesAreWrapped(t *testing.T) {
	p, _ := printoutOf(t, fyne.NewSize(300, 200), "one", "two", strings.Repeat("x", 100))
	for _, lines := range [][]string{
		{"one", "two", strings.Repeat("x", 100), "four"},
		{"one", "two", strings.Repeat("x", 99), "four"},
		{"two", "three"},
		{},
		{"one"},
	} {
		p.SetLines(printLines(lines))
		again := wrappedText{size: p.body.size, char: p.body.char}
		again.fit(p.body.width)
		again.set(printLines(lines))
		if !slices.Equal(p.body.pieces, again.pieces) {
			t.Errorf("%q: the rows are %v, want %v", lines, p.body.pieces, again.pieces)
		}
	}
}

func TestTextIsSelectedWithTheMouse(t *testing.T) {
	p, w := printoutOf(t, fyne.NewSize(300, 100), "first line", "zweite Zeile 東京 mehr", strings.Repeat("y", 70), "last")
	copied := ""
	p.Copy = func(text string) { copied = text }
	char := p.body.char
	at := func(row int, column float32) fyne.Position {
		return fyne.NewPos(p.left()+column*char, float32(row)*printRow+5)
	}
	down := func(pos fyne.Position, m fyne.KeyModifier) {
		p.sheet.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: pos, AbsolutePosition: pos}, Button: desktop.MouseButtonPrimary, Modifier: m})
	}
	down(at(0, 6), 0)
	p.sheet.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at(1, 6)}})
	p.sheet.DragEnd()
	if got := p.Selected(); got != "line\nzweite" {
		t.Errorf("selected is %q", got)
	}
	p.sheet.TypedShortcut(&fyne.ShortcutCopy{})
	if copied != "line\nzweite" {
		t.Errorf("copied is %q", copied)
	}
	down(at(3, 2), fyne.KeyModifierShift) // in the second row of the long line
	if got := p.Selected(); !strings.HasPrefix(got, "line\nzweite Zeile 東京 mehr\nyyyy") || len(got) > 80 {
		t.Errorf("extended with Shift, selected is %q", got)
	}
	p.SetLines(append(slices.Clone(p.Lines()), printLines([]string{"more"})...))
	if p.Selected() == "" {
		t.Error("more output drops the selection")
	}
	p.SetLines(printLines([]string{"other"}))
	if got := p.Selected(); got != "" {
		t.Errorf("of another text, %q is selected", got)
	}
	p.SetLines(printLines([]string{"x = fit_model(東京)", "y"}))
	for column, want := range map[float32]string{6.4: "fit_model", 2.2: "=", 15: "東京"} {
		p.sheet.DoubleTapped(&fyne.PointEvent{Position: at(0, column)})
		if got := p.Selected(); got != want {
			t.Errorf("a double click at %v selects %q, want %q", column, got, want)
		}
	}
	w.Canvas().Focus(p.sheet)
	p.sheet.TypedShortcut(&fyne.ShortcutSelectAll{})
	if got := p.Selected(); got != p.Text() || got != "x = fit_model(東京)\ny" {
		t.Errorf("all is %q", got)
	}
	p.sheet.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if p.Selected() != "" || w.Canvas().Focused() != fyne.Focusable(p.sheet) {
		t.Error("Escape does not only drop the selection")
	}
}

func TestTextIsSearched(t *testing.T) {
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	lines[20], lines[150], lines[280] = "KeyError: a KEYERROR", "no keyerror (x)", "東京 keyerror"
	p, _ := printoutOf(t, fyne.NewSize(400, 120), lines...)
	inSight := func(text string) {
		t.Helper()
		if !slices.Contains(shownTexts(p), text) {
			t.Errorf("%q is not in sight: %q", text, shownTexts(p))
		}
	}
	found := func(at, of, wantAt, wantOf int) {
		t.Helper()
		if at != wantAt || of != wantOf {
			t.Errorf("found %d of %d, want %d of %d", at, of, wantAt, wantOf)
		}
	}
	at, of := p.Search("keyerror")
	found(at, of, 1, 4)
	inSight(lines[20])
	p.Next(1)
	at, of = p.Next(1)
	found(at, of, 3, 4)
	inSight(lines[150])
	at, of = p.Next(-1)
	found(at, of, 2, 4)
	p.Next(-1)
	at, of = p.Next(-1)
	found(at, of, 4, 4)
	inSight(lines[280])
	at, of = p.Search("(x")
	found(at, of, 1, 1)
	at, of = p.Search("nothing")
	found(at, of, 0, 0)
}

// TestAPrintoutDrawsOnlyWhatIsVisible, however long its text is.
func TestAPrintoutDrawsOnlyWhatIsVisible(t *testing.T) {
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", i)
	}
	p, _ := printoutOf(t, fyne.NewSize(400, 180), lines...)
	if n := len(p.sheet.drawn); n > 14 {
		t.Errorf("%d objects are drawn", n)
	}
	p.ScrollToBottom()
	if got := shownTexts(p); got[len(got)-1] != "line 19999" || !p.AtBottom() {
		t.Errorf("at the end it shows %q", got)
	}
}

// BenchmarkAPrintout measures what 20,000 lines cost: the first time, when one is added, and a search.
func BenchmarkAPrintout(b *testing.B) {
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("epoch %d: loss %.6f, accuracy %.4f, 学習率 %.6f and some more words to wrap", i, 1/float64(i+1), .5, .01)
	}
	all := printLines(lines)
	p, _ := printoutOf(b, fyne.NewSize(500, 300))
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			p.SetLines(nil)
			p.SetLines(all)
		}
	})
	b.Run("one more", func(b *testing.B) {
		for b.Loop() {
			p.SetLines(all[:len(all)-1])
			p.SetLines(all)
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			p.Search("accuracy 0.5")
		}
	})
	b.Run("scroll", func(b *testing.B) {
		for b.Loop() {
			p.scroll.To(p.scroll.Offset.Y + 54)
		}
	})
}
