package kernels_test

import (
	"encoding/json"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/picture/axes"
)

// truthSource defines truth(fig, scale), which prints random rectangles of a figure's picture with the data
// that matplotlib itself finds there. It knows nothing of what the picture says.
const truthSource = `
import json, random
import numpy as np, matplotlib as mpl, matplotlib.pyplot as plt, datetime as dt
from IPython.display import display
def truth(fig, scale=1):
    display(fig)
    random.seed(7)
    box = fig.get_tightbbox(fig.canvas.get_renderer()).padded(mpl.rcParams["savefig.pad_inches"])
    left, bottom, high = box.x0 * fig.dpi, box.y0 * fig.dpi, int(box.height * fig.dpi * scale)
    found = []
    every = fig.axes + [c for a in fig.axes for c in a.child_axes if not hasattr(c, "_orientation")]
    for n, ax in enumerate(every, 1):
        if ax.name != "rectilinear":
            continue
        for _ in range(6):
            b, inverse = ax.bbox, ax.transData.inverted()
            xs, ys = (sorted(random.uniform(lo + 2, hi - 2) for _ in "ab") for lo, hi in ((b.x0, b.x1), (b.y0, b.y1)))
            off = 1.6 / scale
            def at(i, d, x, y):
                return float(inverse.transform((x + d * (i == 0), y + d * (i == 1)))[i])
            def near(i, x, y):
                return sorted((at(i, -off, x, y), at(i, off, x, y)))
            days = [86400.0 if type(a.get_major_formatter()).__name__ == "AutoDateFormatter" else 1.0 for a in (ax.xaxis, ax.yaxis)]
            bounds = [sorted([v * days[i] for v in near(i, xs[0], ys[0])] for _ in "a") + [[v * days[i] for v in near(i, xs[1], ys[1])]] for i in (0, 1)]
            found.append({"n": n, "rect": [(xs[0] - left) * scale, high - (ys[1] - bottom) * scale, (xs[1] - left) * scale, high - (ys[0] - bottom) * scale], "x": sorted(bounds[0]), "y": sorted(bounds[1])})
    print(json.dumps(found))
    plt.close(fig)
`

// figureCases draw figures of many kinds, as fig.
var figureCases = map[string]string{
	"linear, inverted":    "fig, a = plt.subplots(); a.plot([1, 2], [3e-5, 4e-5]); a.invert_xaxis()",
	"log, symlog":         "fig, a = plt.subplots(1, 2); a[0].plot([1, 1e6]); a[0].set_yscale('log'); a[1].plot([-1e3, 1e3]); a[1].set_yscale('symlog', linthresh=3, base=2)",
	"asinh, logit":        "fig, a = plt.subplots(2, 1); a[0].plot([-9, 900]); a[0].set_yscale('asinh', linear_width=2); a[1].plot([.001, .99]); a[1].set_yscale('logit')",
	"dates":               "fig, a = plt.subplots(); a.plot([dt.datetime(2026, 1, i) for i in range(1, 20)], range(19)); fig.autofmt_xdate()",
	"twin":                "fig, a = plt.subplots(); a.plot([0, 5]); b = a.twinx(); b.plot([70, 20]); b.set_ylabel('other')",
	"image and colorbar":  "fig, a = plt.subplots(); fig.colorbar(a.imshow(np.arange(12).reshape(3, 4)), label='size')",
	"constrained, grid":   "fig, a = plt.subplots(3, 2, layout='constrained'); [x.plot([0, i]) for i, x in enumerate(a.flat, 1)]; fig.suptitle('Title')",
	"inset":               "fig, a = plt.subplots(); a.plot([1, 2]); a.inset_axes([.6, .1, .3, .3]).plot([7, 8])",
	"subfigures":          "fig = plt.figure(layout='constrained'); s = fig.subfigures(1, 2); s[0].subplots().plot([1, 2]); s[1].subplots(2).flat[1].plot([5, 9])",
	"outside":             "fig, a = plt.subplots(figsize=(3, 2), dpi=150); a.plot([1, 2]); a.text(2.5, 1, 'far to the right'); a.set_aspect(2)",
	"categories":          "fig, a = plt.subplots(); a.bar(['p', 'q', 'r'], [1, 2, 3])",
	"polar beside linear": "fig = plt.figure(); fig.add_subplot(121, projection='polar'); fig.add_subplot(122).plot([1, 2])",
}

func TestLivePicturesHaveTheCoordinatesOfTheirAxes(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	d.run(s, truthSource)
	for name, code := range figureCases {
		t.Run(name, func(t *testing.T) { checkAxes(t, d, s, code+"\ntruth(fig)") })
	}
	d.run(s, "%config InlineBackend.figure_format = 'retina'")
	t.Run("retina", func(t *testing.T) {
		checkAxes(t, d, s, figureCases["constrained, grid"]+"\ntruth(fig, 2)")
	})
}

// checkAxes compares what a picture says about random rectangles with what matplotlib says.
func checkAxes(t *testing.T, d *fixture, s library.Session, code string) {
	t.Helper()
	v := d.run(s, code)
	if len(v.Images) != 1 {
		t.Fatalf("%d pictures: %s %+v", len(v.Images), v.Stderr, v.Error)
	}
	data, _, err := d.lib.Images.Read(t.Context(), v.Images[0].ImageID)
	require.NoError(t, err)
	f, ok := axes.Parse(data)
	if !ok {
		t.Fatal("the picture describes no axes")
	}
	var truths []struct {
		N    int
		Rect [4]float64
		X, Y [2][2]float64
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(v.Stdout)), &truths); err != nil || len(truths) == 0 {
		t.Fatalf("%v: %s", err, v.Stdout)
	}
	for _, want := range truths {
		parts, _ := f.In(axes.Rect{X0: want.Rect[0], Y0: want.Rect[1], X1: want.Rect[2], Y1: want.Rect[3]})
		found := false
		for _, p := range parts {
			if p.Axes.Number == want.N {
				found = true
				within(t, p, "x", p.X, want.X)
				within(t, p, "y", p.Y, want.Y)
			}
		}
		if !found && len(parts) == 0 {
			t.Errorf("%v is in no axes, want %d", want.Rect, want.N)
		}
	}
}

// within checks that the ends of a range are those of matplotlib, give or take a pixel and a half.
func within(t *testing.T, p axes.Part, name string, r *axes.Range, want [2][2]float64) {
	t.Helper()
	if r == nil {
		if p.Axes.Kind != "colorbar" && p.Axes.Kind != "twin" {
			t.Errorf("no %s of axes %d", name, p.Axes.Number)
		}
		return
	}
	for i, v := range []float64{r.From, r.To} {
		slack := (want[i][1] - want[i][0]) * 0.01
		if math.IsNaN(v) || v < want[i][0]-slack || v > want[i][1]+slack {
			t.Errorf("%s of axes %d: %v is not within %v (%s)", name, p.Axes.Number, v, want[i], p)
		}
	}
}
