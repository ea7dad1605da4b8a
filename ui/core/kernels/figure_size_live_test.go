package kernels_test

import (
	"fmt"
	"image"
	"sync/atomic"
	"testing"

	"easel/internal/require"
	"easel/ui/core/kernels/inspect"
)

// TestLiveTightLayoutIsRepeated: it fits the axes to one size, so another size needs it again.
func TestLiveTightLayoutIsRepeated(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	d.run(s, "%config InlineBackend.print_figure_kwargs = {'bbox_inches': None}\nimport matplotlib.pyplot as plt")
	code := func(w, h int, call string) string {
		return fmt.Sprintf("fig, axes = plt.subplots(2, 2, figsize=(%d, %d), dpi=80)\nfor ax in axes.flat: ax.set_title('Title'); ax.set_xlabel('Seconds')\n%s; plt.show()", w, h, call)
	}
	for _, call := range []string{"fig.tight_layout()", "fig.subplots_adjust(hspace=1.2)", "pass"} {
		_, data := d.shown(t, s, code(6, 5, call))
		_, want := d.shown(t, s, code(4, 4, call))
		got, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png", Width: 4, Height: 4, DPI: 80})
		require.NoError(t, err)
		if n := difference(decoded(t, want), decoded(t, got.Data)); n < 0 || n > 2 {
			t.Errorf("after %s, the figure is not that of this size: %d", call, n)
		}
	}
}

// TestLiveTextThatDoesNotFit: if there is no room for all text, the axes keep theirs, and the answer
// says so.
func TestLiveTextThatDoesNotFit(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	d.run(s, "import matplotlib.pyplot as plt")
	for _, c := range []struct {
		name, code    string
		width, height float64
		crowded       bool
		least         float64 // of the picture that the axes cover
	}{
		{"a title", "fig, ax = plt.subplots(1, 2); fig.suptitle('A super title that is rather long for this figure', fontsize=16)", 4.5, 4, true, 0.3},
		{"a title that fits", "fig, ax = plt.subplots(1, 2); fig.suptitle('A title')", 4.5, 4, false, 0.3},
		{"labels", "fig, ax = plt.subplots(); ax.set_title('Title'); ax.set_xticks(range(9), ['Department of Something Long %d' % i for i in range(9)]); ax.tick_params(axis='x', rotation=90)", 4, 2.5, true, 0.1},
		{"text outside of the axes", "fig, ax = plt.subplots(); ax.plot([1, 2]); ax.set_xlim(1, 1.2); [ax.text(i, 2, 'p%d' % i) for i in range(6)]", 8, 5, true, 0.3},
		{"a flat layout", "fig = plt.figure(figsize=(12, .5), layout='constrained'); fig.add_subplot()", 2, 0.1, true, 0},
		{"a layout", "fig, ax = plt.subplots(layout='constrained'); ax.set_xlabel('A label that is longer than the picture is wide')", 2, 2, true, 0.3},
		{"a layout that fits", "fig, ax = plt.subplots(layout='constrained'); ax.set_xlabel('A label')", 2, 2, false, 0.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, data := d.shown(t, s, c.code+"\n[a.set_facecolor('#d810b4') for a in fig.axes]; plt.show()")
			got, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png", Width: c.width, Height: c.height, DPI: 100})
			require.NoError(t, err)
			im, axes := decoded(t, got.Data), 0
			size := im.Bounds().Size()
			for y := range size.Y {
				for x := range size.X {
					if r, g, b, _ := im.At(x, y).RGBA(); r>>8 == 0xd8 && g>>8 == 0x10 && b>>8 == 0xb4 {
						axes++
					}
				}
			}
			share := float64(axes) / float64(size.X*size.Y)
			if got.Crowded != c.crowded || share < c.least || size != image.Pt(int(100*c.width), int(100*c.height)) {
				t.Errorf("too little room: %v; the axes cover %.2f of %v pixels", got.Crowded, share, size)
			}
		})
	}
}

// TestLiveTightLayoutWithSpace: tight_layout() is not repeated if the code gave it space for a legend.
func TestLiveTightLayoutWithSpace(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	_, data := d.shown(t, s, "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(facecolor='#d810b4'); ax.plot([1, 2]); fig.tight_layout(rect=(0, 0, 0.5, 1))\nfig.text(0.98, 0.5, '.'); plt.show()")
	got, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png", Width: 5, Height: 3, DPI: 100})
	require.NoError(t, err)
	im := decoded(t, got.Data)
	for x := 300; x < 450; x++ {
		if r, _, _, _ := im.At(x, 150).RGBA(); r>>8 != 0xd8 {
			t.Fatalf("the axes reach to %d of 500 pixels", x)
		}
	}
}

// TestLiveRoomyLayout: for the window, a figure that has too little room is laid out for a larger
// size. It has the same pixels.
func TestLiveRoomyLayout(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	_, data := d.shown(t, s, "import matplotlib.pyplot as plt\nfig, axes = plt.subplots(5, 6, figsize=(16, 12))\nfor ax in axes.flat: ax.set_title('t'); ax.set_ylabel('index')\nfig.tight_layout(); plt.show()")
	for _, roomy := range []bool{false, true} {
		got, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png", Width: 6.5, Height: 3, DPI: 100, Roomy: roomy})
		require.NoError(t, err)
		if size := decoded(t, got.Data).Bounds().Size(); got.Crowded == roomy || size != image.Pt(650, 300) {
			t.Errorf("roomy %v: too little room %v in %v pixels", roomy, got.Crowded, size)
		}
	}
}

// TestLiveFiguresWithArraysArePickled: a pickle has large arrays as buffers, which have no length.
func TestLiveFiguresWithArraysArePickled(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	_, data := d.shown(t, s, "import matplotlib.pyplot as plt, numpy as np\nplt.plot(np.random.default_rng(1).random(9000)); plt.show()")
	if got, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png", Theme: "dark"}); err != nil || len(got.Data) == 0 {
		t.Errorf("in dark colours: %v", err)
	}
}
