package axes_test

import (
	"strings"
	"testing"

	"easel/ui/core/picture/axes"
)

const (
	left  = `{"n":1,"title":"Sales","box":[20,10,90,80],"x":{"lim":[0,10]},"y":{"lim":[1,10000],"scale":"log"}}`
	right = `{"n":2,"box":[110,10,190,80],"x":{"lim":[1767225600,1767312000],"scale":"date","offset":32400},"y":{"lim":[-0.5,2.5],"scale":"category","names":[[0,"a"],[1,"b y=1"],[2,"C"]]}}`
	polar = `{"n":1,"box":[20,10,90,80],"projection":"polar"}`
)

func TestRegionsAreFound(t *testing.T) {
	for _, c := range []struct{ axes, wish, want string }{
		{left, "x=5..10", "55,10,90,80"},
		{left, "x=10..5, y=100..", "55,10,90,45"},
		{left, "X: 5 to 10; Y: 1 to 100", "55,45,90,80"},
		{left, "x (time) 5–10, y (Hz) 1–100 of axes 1", "55,45,90,80"},
		{left, "y=-3..100", "20,45,90,80"}, // log has nothing below 1
		{left, "axes 1: x=5..99", "55,10,90,80"},
		{left, "10,20,30,40", "10,20,40,60"},
		{left, "px 180, 20, 300, 40", "180,20,200,60"},
		{left, "1", "0,0,200,100"},
		{left + "," + right, "axes 2", "90,0,200,100"},
		{left + "," + right, "1", "0,0,93,100"},
		{left + "," + right, "x=2026-01-01T21:00..2026-01-02", "150,10,160,80"},
		{left + "," + right, "x=2026-01-01T12:00Z..", "150,10,190,80"},
		{left + "," + right, `2: y="b y=1"`, "110,33.3,190,56.7"},
		{left + "," + right, `axes 2, y=a..c`, "110,10,190,80"},
		{left + "," + right, `axes 2 y=0..1`, "110,45,190,68.3"},
		{strings.Replace(left, "[0,10]", "[10,0]", 1), "x=0..5", "55,10,90,80"},
	} {
		w, err := axes.ParseWish(c.wish)
		if err != nil {
			t.Errorf("%s: %v", c.wish, err)
			continue
		}
		r, err := figure(t, c.axes).Place(w)
		if err != nil {
			t.Errorf("%s: %v", c.wish, err)
			continue
		}
		if got := r.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.wish, got, c.want)
		}
	}
}

func TestWrongRegionsSayWhatThereIs(t *testing.T) {
	for _, c := range []struct{ axes, wish, want string }{
		{left, "the top", `"the top" is no region: write x=`},
		{left, "z=3..4", "is no region"},
		{left, "x=3..4, x=4..5", "x is given twice"},
		{left, "x=", "a range is empty"},
		{left, "x=..", "neither"},
		{left, "x=3", `x of axes 1 needs two values, as in 3..4, not only "3": the picture has x 0–10, y 1–10000 [log] of axes 1 "Sales"`},
		{left, "x=20..30", `x of axes 1 has nothing from "20" to "30": the picture has x 0–10`},
		{left, "x=a..b", `has numbers, and "a" is none`},
		{left, "5", "there are no axes 5: the picture has x 0–10"},
		{left, "axes 5: x=3..4", "there are no axes 5"},
		{left, "300,300,5,5", "outside of the picture, which has 200 × 100"},
		{left, "0,0,0,5", "at least one pixel"},
		{left + "," + right, "y=0..2", `several axes have such a region`},
		{left + "," + right, "x=yesterday..2026-01-01", `x of axes 1 has numbers`},
		{right, "x=yesterday..2026-01-01", `has dates, as in 2026-01-31T12:00, and "yesterday" is none: the picture has x 2026-01-01T09`},
		{right, `y="x"`, `y of axes 2 has no "x": the picture has`},
		{polar, "x=0..1", "axes 1 have no coordinates (polar)"},
	} {
		w, err := axes.ParseWish(c.wish)
		if err == nil {
			_, err = figure(t, c.axes).Place(w)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.wish, err, c.want)
		}
	}
	w, _ := axes.ParseWish("x=0..1")
	if _, err := (axes.Figure{Width: 9, Height: 8}).Place(w); err == nil || !strings.Contains(err.Error(), "in pixels of its 9 × 8") {
		t.Error(err)
	}
}

func FuzzParseWish(f *testing.F) {
	for _, seed := range []string{"x=3..4", `2: y="b"`, "1,2,3,4", "x (a) 1–2 of axes 3"} {
		f.Add(seed)
	}
	fig := figure(f, left+","+right)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := axes.ParseWish(text)
		if err != nil {
			return
		}
		if r, err := fig.Place(w); err == nil && (r.Empty() || !r.In(axes.Rect{X1: 200, Y1: 100})) {
			t.Errorf("%q: %v", text, r)
		}
	})
}
