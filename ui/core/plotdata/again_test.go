package plotdata

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"easel/ui/core/facts"
	"easel/ui/core/library"
)

// A flaky library cannot read what plots show at first.
type flaky struct {
	onePlot

	err error
}

func (f *flaky) ReadFacts(ctx context.Context, im library.Image) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.onePlot.ReadFacts(ctx, im)
}

// TestAPlotThatCouldNotBeReadIsReadAgain: neither a text nor the count of findings is kept.
func TestAPlotThatCouldNotBeReadIsReadAgain(t *testing.T) {
	lib := &flaky{onePlot: onePlot{facts: facts.Write(shown())}, err: errors.New("too many open files")}
	im := library.Image{Facts: &library.StoredForm{}}
	r := &Reader{Images: lib}
	if text := r.Brief(t.Context(), im); text != "" {
		t.Errorf("it says %q", text)
	}
	if keys, err := r.Keys(t.Context(), im); err == nil {
		t.Errorf("it counts %q", keys)
	}
	lib.err = nil
	if text := r.Brief(t.Context(), im); text == "" {
		t.Error("it is not read again")
	}
	if _, err := r.Keys(t.Context(), im); err != nil {
		t.Error(err)
	}
	lib.err = library.ErrDamaged
	if _, err := (&Reader{Images: lib}).Keys(t.Context(), im); err != nil {
		t.Errorf("a damaged one is to be read again: %v", err)
	}
}

// TestTheValuesOfAFigure are asked for if none are stored, each time until they come.
func TestTheValuesOfAFigure(t *testing.T) {
	busy := errors.New("busy")
	asked := 0
	r := &Reader{Images: onePlot{}, All: func(context.Context, library.Image) ([]byte, error) {
		asked++
		return facts.Write(facts.Figure{Axes: []facts.Axes{{Number: 1, Series: []facts.Series{
			series(facts.Line, column("x", 1, 2), column("y", 0.30000000000000004, math.NaN())),
		}}}}), busy
	}}
	im := library.Image{Figure: &library.StoredForm{}}
	if !Knows(im) {
		t.Error("a stored figure has no values")
	}
	if data, _ := r.CSV(t.Context(), im); data != nil || asked != 1 {
		t.Errorf("the kernel is busy: %q", data)
	}
	busy = nil
	if data, sample := r.CSV(t.Context(), im); !strings.Contains(string(data), "0.30000000000000004") || sample || asked != 2 {
		t.Errorf("%q, a sample: %v; asked %d times", data, sample, asked)
	}
	if data, _ := r.StoredCSV(t.Context(), im); data != nil {
		t.Errorf("without asking: %q", data)
	}
}
