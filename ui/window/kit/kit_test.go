package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/i18n"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

func newKit(t *testing.T) *Kit {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	return &Kit{P: &theme.Light, Tr: i18n.New("en"), Do: func(f func()) { f() }}
}

func TestShortenFitsAndSaysThatItCut(t *testing.T) {
	newKit(t)
	const text = "Feature distributions before and after 売上（地域別）"
	for _, w := range []float32{30, 80, 200, 2000} {
		got := Shorten(text, w, 13, fyne.TextStyle{})
		if m := fyne.MeasureText(got, 13, fyne.TextStyle{}).Width; m > w {
			t.Errorf("at %v: %q is %v wide", w, got, m)
		}
		if cut := strings.HasSuffix(got, "…"); cut != (got != text) {
			t.Errorf("at %v: %q", w, got)
		}
	}
}

func TestWrapLosesNothingAndKeepsJapaneseRules(t *testing.T) {
	newKit(t)
	for name, text := range map[string]string{
		"English":   "Connect Claude, Cursor, VS Code or another MCP client to draw the first plot",
		"Japanese":  "描かれたプロットは、そのコードとともにここへ表示されます。「試してみましょう」",
		"a path":    "/home/someone/.local/share/easel/library/images/0c/0c1838de1b823470415285c383392e36cdc8212a6.png",
		"one glyph": "図",
	} {
		parts := Wrap(text, 120, 13, fyne.TextStyle{})
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := squeeze(strings.Join(parts, "")); got != squeeze(text) {
			t.Errorf("%s: %q became %q", name, text, parts)
		}
		for i, p := range parts {
			if m := fyne.MeasureText(p, 13, fyne.TextStyle{}).Width; m > 120 {
				t.Errorf("%s: %q is %v wide", name, p, m)
			}
			if i > 0 && strings.ContainsRune("、。」", []rune(p)[0]) {
				t.Errorf("%s: a line begins with %q", name, p)
			}
		}
	}
}

// TestWrapKeepsAMinusSignWithItsNumber: at any width that has room for both.
func TestWrapKeepsAMinusSignWithItsNumber(t *testing.T) {
	newKit(t)
	const text = "2 below, down to -2.8963, in work-1"
	for w := float32(80); w < 300; w++ {
		for _, p := range Wrap(text, w, 13, fyne.TextStyle{}) {
			if strings.HasSuffix(p, "-") && !strings.HasSuffix(p, "work-") {
				t.Fatalf("at %v, a line ends with %q", w, p)
			}
		}
	}
}

// TestAParagraphOfTooManyLinesSaysThatItIsCut also checks that a paragraph that fits is
// unchanged.
func TestAParagraphOfTooManyLinesSaysThatItIsCut(t *testing.T) {
	newKit(t)
	const text = "Connect Claude, Cursor, VS Code or another MCP client to draw the first plot"
	p := NewPara(text, 13, theme.Light.Text, fyne.TextStyle{}).Most(2)
	p.HeightFor(120)
	if len(p.lines) != 2 || !strings.HasSuffix(p.lines[1].Text, "…") || p.lines[1].MinSize().Width > 120 {
		t.Errorf("%d lines, the last one is %q", len(p.lines), p.lines[len(p.lines)-1].Text)
	}
	p.HeightFor(400)
	if last := p.lines[len(p.lines)-1].Text; strings.Contains(last, "…") {
		t.Errorf("what fits ends with %q", last)
	}
}

func TestCodeWrapsWithinItsBox(t *testing.T) {
	k := newKit(t)
	c := k.Code("x = some_function_with_a_long_name(argument_one, argument_two, 'テキスト', 12345)\n"+strings.Repeat("a", 300), "python")
	h := c.HeightFor(240)
	if h < 100 {
		t.Errorf("%v high: not wrapped", h)
	}
	for _, o := range c.texts[1:] {
		if right := o.Position().X + o.MinSize().Width; right > 240 {
			t.Errorf("text reaches to %v in a box of 240", right)
		}
		if bottom := o.Position().Y + o.MinSize().Height; bottom > h {
			t.Errorf("text reaches down to %v in a box of %v", bottom, h)
		}
	}
}

func TestCodeOfManyLinesSaysWhatIsLeftOut(t *testing.T) {
	k := newKit(t)
	c := k.Code(strings.Repeat("pass\n", 1000), "python")
	if c.more != 600 {
		t.Errorf("%d lines left out, want 600", c.more)
	}
	if got := k.Output(Passage{strings.Repeat("line\n", 700), k.P.Text}, Passage{strings.Repeat("line\n", 300), k.P.Warn}).more; got != 600 {
		t.Errorf("output: %d lines left out, want 600", got)
	}
}

func TestButtonsAreTappedByKeysAndNotWhenOff(t *testing.T) {
	k := newKit(t)
	n := 0
	b := k.Button(Quiet, "copy", "Copy", "", func() { n++ })
	test.Tap(b)
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if n != 3 {
		t.Errorf("tapped %d times, want 3", n)
	}
	b.SetEnabled(false)
	test.Tap(b)
	if n != 3 {
		t.Error("a button that is off was tapped")
	}
}

func TestStarsToggle(t *testing.T) {
	k := newKit(t)
	got := -1
	s := k.Stars(15, func(n int) { got = n })
	s.Set(3)
	tap := func(n int) { s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(float32(n-1)*18+5, 5)}) }
	if tap(5); got != 5 {
		t.Errorf("the fifth star gave %d", got)
	}
	if tap(3); got != 0 {
		t.Errorf("the star that is the rating gave %d, want 0", got)
	}
}

func TestRowsMakeOnlyWhatIsInSight(t *testing.T) {
	k := newKit(t)
	filled := 0
	r := k.Rows(20, []ColumnSpec{{Width: 60}, {}, {Width: 80, Hide: 500}}, func() int { return 100_000 }, func(int) []Cell {
		filled++
		return []Cell{{Text: "a"}, {Text: "b"}, {Text: "c"}}
	}, nil)
	w := test.NewWindow(r)
	defer w.Close()
	w.Resize(fyne.NewSize(400, 200))
	if len(r.rows) > 14 {
		t.Errorf("%d rows for a height of ten", len(r.rows))
	}
	filled = 0
	r.ScrollToBottom()
	if !r.AtBottom() || filled > 14 {
		t.Errorf("at the bottom: %v, %d rows filled", r.AtBottom(), filled)
	}
	if _, widths := r.Widths(400); widths[2] != 0 || widths[1] < 200 {
		t.Errorf("widths at 400: %v; the last is to be left out, the second to take the rest", widths)
	}
}
