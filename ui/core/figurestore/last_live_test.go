package figurestore

import (
	"bytes"
	"image/png"
	"testing"
	"time"

	"easel/ui/core/kernels/inspect"
)

// TestLiveAKernelThatEndsPicklesAtOnce: the last plot is taken before the kernel would have been idle for long enough.
func TestLiveAKernelThatEndsPicklesAtOnce(t *testing.T) {
	t.Parallel()
	k := startKernel(t, newClient(t))
	k.run(imports)
	pictures, _ := k.run("for i in range(4):\n    plt.plot(x, x * i); plt.title(i); plt.show()")
	q := inspect.TakeRequest{Ends: true}
	taken := map[string]bool{}
	for until := time.Now().Add(patient); ; {
		f, waits, err := inspect.TakeFigure(t.Context(), k, q)
		if err != nil || time.Now().After(until) {
			t.Fatal(err)
		}
		if q.Received = f.Names; len(f.Names) > 0 {
			taken[f.Names[0]] = f.Why == ""
		} else if !waits {
			break
		}
	}
	for i, p := range pictures {
		if !taken[sumOf(p)] {
			t.Errorf("plot %d was not taken: %v", i, taken)
		}
	}
}

// TestLiveAKernelDrawsFiguresOneAfterTheOther, as for a report, and reads their values.
func TestLiveAKernelDrawsFiguresOneAfterTheOther(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	k, other := startKernel(t, client), startKernel(t, client)
	k.run(imports)
	pictures, _ := k.run("for i in range(3):\n    plt.plot(x, x * i); plt.title(i); plt.show()")
	for _, f := range k.taken(len(pictures)) {
		if _, why, err := inspect.AdoptFigure(t.Context(), other, f); err != nil || why != "" {
			t.Fatal(why, err)
		}
		drawn, err := inspect.DrawFigure(t.Context(), other, inspect.FigureRequest{
			Hashes: f.Names, Format: "png", Scale: 2, Part: [4]float64{0.25, 0.25, 0.75, 0.75},
		})
		if err != nil {
			t.Fatal(err)
		}
		if part, err := png.DecodeConfig(bytes.NewReader(drawn.Data)); err != nil || part.Width < 300 {
			t.Errorf("a part: %+v, %v", part, err)
		}
		if raw, err := inspect.FigureValues(t.Context(), other, f.Names); err != nil || len(raw) < 1000 {
			t.Errorf("its values: %d bytes, %v", len(raw), err)
		}
	}
}
