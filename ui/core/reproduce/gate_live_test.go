package reproduce_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/oversight"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
)

// TestLiveAPauseStopsACheck checks that a check by an assistant sends no further cell after the user
// has paused the AI, and that one by the user goes on.
func TestLiveAPauseStopsACheck(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s, err := b.m.Create(t.Context(), kernels.NewSession{KernelName: "python3", Client: "test"})
	require.NoError(t, err)
	dir := t.TempDir()
	begun, open := filepath.Join(dir, "begun"), filepath.Join(dir, "go")
	write := func(file string) {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	write(open)
	b.run(s, fmt.Sprintf("import os, time\nopen(%q, 'w').close()\nwhile not os.path.exists(%q): time.sleep(0.01)", begun, open))
	id := b.plot(s, setUp+"plt.plot([1, 2]); plt.show()")
	h, err := b.History(t.Context(), id)
	require.NoError(t, err)
	ask := func(context.Context) (bool, error) { return false, errors.New("asked") }
	for _, c := range []struct {
		name  string
		start func() *reproduce.Job
		stops bool
	}{
		{"the assistant's", func() *reproduce.Job { return b.StartFor(h, oversight.Sender{}, ask) }, true},
		{"the user's", func() *reproduce.Job { return b.Start(h) }, false},
	} {
		for _, f := range []string{begun, open} {
			_ = os.Remove(f)
		}
		b.state.Update(func(s *state.Snapshot) { s.Paused = false })
		j := c.start()
		for at := false; !at; {
			select {
			case <-j.Done():
				at = true // and the rest fails
			case <-time.After(10 * time.Millisecond): // a file has no channel
				_, err := os.Stat(begun)
				at = err == nil
			}
		}
		b.state.Update(func(s *state.Snapshot) { s.Paused = true })
		write(open)
		<-j.Done()
		check, err := j.Result()
		var stopped *reproduce.StoppedError
		if c.stops {
			if !errors.As(err, &stopped) || !errors.Is(err, oversight.ErrPaused) || stopped.Cells != 1 {
				t.Errorf("%s check ended as %+v, %v", c.name, check, err)
			}
		} else if err != nil || check.Status != catalog.CheckReproduced {
			t.Errorf("%s check ended as %+v, %v", c.name, check, err)
		}
	}
}
