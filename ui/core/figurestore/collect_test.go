package figurestore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"easel/ui/core/kernels/inspect"
)

// someKernels hand over figures.
type someKernels struct {
	figures []inspect.PickledFigure
	busy    int           // how often they are asked in vain
	pickles time.Duration // how long the first figure takes
	ends    bool          // they were told to hurry
	onTake  func()        // before they answer
	onGiven func()        // while their answer is on its way
	asked   int
}

func (k *someKernels) TakeFigure(ctx context.Context, _ string, q inspect.TakeRequest) (f inspect.PickledFigure, waits bool, err error) {
	k.asked++
	k.ends = k.ends || q.Ends
	if len(k.figures) > 0 && slices.Equal(k.figures[0].Names, q.Received) {
		k.figures = k.figures[1:]
	}
	if k.busy > 0 {
		k.busy--
		return f, false, errors.New("busy")
	}
	if k.onTake != nil {
		k.onTake()
	}
	if k.onGiven != nil {
		defer k.onGiven()
	}
	if k.pickles > 0 {
		k.pickles -= lastPoll
		return f, true, nil
	}
	if len(k.figures) == 0 {
		return f, false, nil
	}
	return k.figures[0], false, ctx.Err()
}

func twoFigures() []inspect.PickledFigure {
	return []inspect.PickledFigure{{Names: []string{"one"}, Figure: []byte("1")}, {Names: []string{"two", "three"}, Why: "slow"}}
}

// aCollector is a collector of the figures of k.
func aCollector(t *testing.T, k *someKernels) (*bench, *Collector) {
	t.Helper()
	b, d, _, _ := aPlot(t)
	return b, &Collector{Kernels: k, Images: b, Key: d.Key, Log: quiet}
}

// runs has c run until the figures of three plots are kept, after a plot was drawn.
func runs(t *testing.T, b *bench, c *Collector) {
	t.Helper()
	b.keeps = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go c.Run(ctx)
	c.Drew("s")
	for range 3 {
		select {
		case <-b.keeps:
		case <-time.After(time.Hour): // of the bubble's clock
			t.Fatalf("kept: %v", b.kept)
		}
	}
	synctest.Wait()
	cancel()
	synctest.Wait()
}

func TestFiguresAreCollected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{busy: 1, figures: twoFigures()}
		b, c := aCollector(t, k)
		runs(t, b, c)
		if len(b.kept) != 3 || !bytes.Equal(b.kept["two"], b.kept["three"]) || len(k.figures) > 0 || c.expects("s") || k.ends {
			t.Errorf("kept: %v; left: %v", b.kept, k.figures)
		}
	})
}

// TestAnAnswerThatWasLost: the kernel has the figure still.
func TestAnAnswerThatWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{figures: twoFigures()}
		b, c := aCollector(t, k)
		ctx, cancel := context.WithCancel(t.Context())
		k.onTake = cancel // Easel quits meanwhile
		c.Drew("s")
		c.Run(ctx)
		if len(b.kept) > 0 {
			t.Fatalf("kept: %v", b.kept)
		}
		k.onTake = nil
		c.Finish(t.Context())
		if len(b.kept) != 3 || len(k.figures) > 0 {
			t.Errorf("kept: %v; left: %v", b.kept, k.figures)
		}
	})
}

// TestTheLastFiguresOfAKernel: it is told to hurry, and asked until it has nothing more.
func TestTheLastFiguresOfAKernel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{figures: twoFigures(), pickles: 300 * time.Millisecond}
		b, c := aCollector(t, k)
		c.Last(t.Context(), "s") // it has drawn nothing
		if k.asked > 0 {
			t.Error("a kernel without plots was asked")
		}
		c.Drew("s")
		began := time.Now()
		c.Last(t.Context(), "s")
		if took := time.Since(began); len(b.kept) != 3 || !k.ends || took > time.Second {
			t.Errorf("after %v: kept %v; told to hurry: %v", took, b.kept, k.ends)
		}
	})
}

// TestAKernelThatDoesNotAnswerDelaysNothing: somebody wants to stop it.
func TestAKernelThatDoesNotAnswerDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{busy: 1 << 30}
		_, c := aCollector(t, k)
		c.Drew("s")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		c.Last(ctx, "s")
		if took := time.Since(began); took > time.Second+lastPoll {
			t.Errorf("it took %v", took)
		}
	})
}

// TestAPlotWhileTheKernelIsAsked: its figure is fetched, too.
func TestAPlotWhileTheKernelIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{}
		b, c := aCollector(t, k)
		k.onGiven = func() { // the answer does not know of the plot
			k.onGiven = nil
			c.Drew("s")
			k.pickles = lastPoll
			k.figures = twoFigures()
		}
		runs(t, b, c)
		if len(b.kept) != 3 {
			t.Errorf("kept: %v", b.kept)
		}
	})
}

// TestAFigureComesBeforeItsPlot: the library stores the picture a moment later.
func TestAFigureComesBeforeItsPlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{figures: twoFigures()[:1]}
		b, c := aCollector(t, k)
		b.unknown = 2
		c.Drew("s")
		c.Last(t.Context(), "s")
		if len(b.kept) != 1 {
			t.Errorf("kept: %v", b.kept)
		}
	})
}

// TestFiguresWithoutAPlotTakeNoTimeOfOthers: a kernel that ends has little time to hand over its figures.
func TestFiguresWithoutAPlotTakeNoTimeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &someKernels{figures: twoFigures()}
		for _, name := range []string{"gone 1", "gone 2", "gone 3", "gone 4"} {
			k.figures = append([]inspect.PickledFigure{{Names: []string{name}, Figure: []byte("1")}}, k.figures...)
		}
		b, c := aCollector(t, k)
		b.gone = "gone"
		c.Drew("s")
		began := time.Now()
		c.Last(t.Context(), "s")
		if took := time.Since(began); len(b.kept) != 3 || took > lateTries*lateRest {
			t.Errorf("after %v: kept %v", took, b.kept)
		}
	})
}
