package plotdata_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/coretest"
	"easel/ui/core/facts"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/plotdata"
)

// cut has bars that do not begin at zero: one finding.
func cut(height float64) []byte {
	return facts.Write(facts.Figure{Axes: []facts.Axes{{
		Number: 1, X: facts.Axis{From: 0, To: 5}, Y: facts.Axis{From: 5, To: 10}, Series: []facts.Series{{
			Kind: facts.Bars, Count: 2, Columns: []facts.Column{{Name: "x", Numbers: []float64{1, 2}}, {Name: "y", Numbers: []float64{height, 9}}},
		}},
	}}})
}

const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"

// TestAllPlotsAreCounted covers plots of an earlier version of Easel, of which some cannot be read any more or not now,
// and plots that come while others are counted.
func TestAllPlotsAreCounted(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	lib := coretest.Open(t)
	var ids []string
	put := func(numbers []byte) {
		t.Helper()
		im, err := lib.Images.Add(ctx, library.NewImage{
			SessionID: "s", Forms: []library.Form{{MIME: picture.PNG, Data: append([]byte(pixel), byte(len(ids)))}}, Facts: numbers,
		})
		require.NoError(t, err)
		ids = append(ids, im.ImageID)
	}
	for i := range 70 {
		put(cut(6 + float64(i)/100))
	}
	put([]byte("nonsense"))
	put(cut(7.5))
	r := &plotdata.Reader{Images: &locked{lib.Images, ids[len(ids)-1]}}
	flaky := &failing{Images: lib.Images}
	flaky.left.Store(1)
	c := &plotdata.Counter{Reader: r, Library: flaky, Changes: lib.Changes(), Log: slog.New(slog.DiscardHandler), Retry: time.Millisecond}
	done := make(chan struct{})
	go func() { c.Run(ctx); close(done) }()
	put(cut(7))
	for deadline := time.After(time.Minute); ; {
		seen := lib.Changes().Last()
		n, err := lib.Images.IDs(ctx, library.Query{Rating: -1, Findings: true})
		require.NoError(t, err)
		if len(n) == 71 {
			break
		}
		select {
		case <-lib.Changes().More(seen):
		case <-deadline:
			t.Fatalf("%d of 71 plots have findings", len(n))
		}
	}
	put(cut(8)) // now it waits for a plot
	for {
		seen := lib.Changes().Last()
		im, err := lib.Images.Image(ctx, ids[len(ids)-1])
		require.NoError(t, err)
		if im.Findings == 1 {
			break
		}
		<-lib.Changes().More(seen)
	}
	end()
	<-done
	if flaky.left.Load() > 0 {
		t.Error("nothing failed")
	}
}

// A locked library cannot read the numbers of one plot.
type locked struct {
	*library.Images

	id string
}

func (l *locked) ReadFacts(ctx context.Context, im library.Image) ([]byte, error) {
	if im.ImageID == l.id {
		return nil, os.ErrPermission
	}
	return l.Images.ReadFacts(ctx, im)
}

// A failing library fails to store a number of times.
type failing struct {
	*library.Images

	left atomic.Int32
}

func (f *failing) SetFound(ctx context.Context, id string, keys []string) error {
	if f.left.Add(-1) >= 0 {
		return errors.New("the disk is full")
	}
	return f.Images.SetFound(ctx, id, keys)
}
