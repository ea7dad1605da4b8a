package uitest

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"easel/internal/require"
)

func TestDiffsAreUnified(t *testing.T) {
	lines := func(s string) string { return strings.ReplaceAll(s, " ", "\n") + "\n" }
	for _, c := range []struct{ want, got, diff string }{
		{"a b c", "a b c", ""},
		{"a b c d e f g", "a b c X e f g", "@@ -2,5 +2,5 @@\n b\n c\n-d\n+X\n e\n f\n"},
		{"a b", "a b c", "@@ -1,2 +1,3 @@\n a\n b\n+c\n"},
		{"a b", "b", "@@ -1,2 +1,1 @@\n-a\n b\n"},
		{"a b c d e f g h i j k", "A b c d e f g h i j K", "@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n@@ -9,3 +9,3 @@\n i\n j\n-k\n+K\n"},
		{"a b c d", "A b c D", "@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D\n"},
	} {
		if got := Diff(lines(c.want), lines(c.got)); got != c.diff {
			t.Errorf("%q and %q:\n%swant\n%s", c.want, c.got, got, c.diff)
		}
	}
}

func TestPicturesAreComparedByPixels(t *testing.T) {
	m := func(w int, changes ...image.Point) *image.NRGBA {
		m := image.NewNRGBA(image.Rect(0, 0, w, 10))
		for _, p := range changes {
			m.SetNRGBA(p.X, p.Y, color.NRGBA{200, 0, 0, 255})
		}
		return m
	}
	near := m(10)
	near.Pix[0] = tolerance
	for got, want := range map[*image.NRGBA]string{
		m(10):                                 "",
		near:                                  "",
		m(10, image.Pt(3, 2), image.Pt(5, 7)): "2 of 100 pixels, within x 3 to 5, y 2 to 7",
		m(12):                                 "it is (12,10), want (10,10)",
	} {
		if d := compare(got, m(10)); d != want {
			t.Errorf("got %q, want %q", d, want)
		}
	}
}

// A failing records failures instead of failing the test.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper() {}
func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func TestAGoldenThatDiffersTellsHow(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("testdata", 0o700))
	require.NoError(t, os.WriteFile("testdata/a.txt", []byte("one\ntwo\n"), 0o600))
	f := &failing{TB: t}
	*update = true
	GoldenPicture(f, "a", image.NewNRGBA(image.Rect(0, 0, 4, 4)))
	*update = false
	other := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	other.SetNRGBA(1, 2, color.NRGBA{200, 0, 0, 255})
	GoldenPicture(f, "a", other)
	GoldenText(f, "a", "one\n2\n")
	GoldenText(f, "b", "one\n")
	for i, want := range []string{"1 of 16 pixels, within x 1 to 1, y 2 to 2", "-two\n+2\n", "no golden file"} {
		if i >= len(f.said) || !strings.Contains(f.said[i], want) {
			t.Errorf("%d: %q does not say %q", i, f.said, want)
		}
	}
	for _, name := range []string{"a.png", "a.txt"} {
		if _, err := os.Stat("testdata/failed/" + name); err != nil {
			t.Error(err)
		}
	}
}

func TestTextsAreThoseInSight(t *testing.T) {
	test.NewTempApp(t)
	column := container.NewVBox()
	for i := range 40 {
		column.Add(canvas.NewText(fmt.Sprintf("row %d", i), color.Black))
	}
	hidden := canvas.NewText("hidden", color.Black)
	hidden.Hide()
	w := test.NewWindow(container.NewBorder(container.NewHBox(canvas.NewText("a <b>", color.Black), hidden), nil, nil, nil, container.NewVScroll(column)))
	defer w.Close()
	w.Resize(fyne.NewSize(200, 100))
	got := Texts(w.Canvas())
	if len(got) < 3 || len(got) > 8 || !slices.Contains(got, "a <b>") || !slices.Contains(got, "row 0") {
		t.Fatalf("got %q", got)
	}
	if slices.Contains(got, "hidden") || slices.Contains(got, "row 39") {
		t.Errorf("got %q, of which some cannot be seen", got)
	}
	widget.ShowPopUp(canvas.NewText("over", color.Black), w.Canvas())
	if got := Texts(w.Canvas()); !slices.Equal(got[len(got)-2:], []string{"----", "over"}) {
		t.Errorf("with a pop-up: %q", got)
	}
}
