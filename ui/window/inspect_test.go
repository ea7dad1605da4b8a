package window

import (
	"encoding/json"
	"net"
	"path/filepath"
	"runtime"
	"testing"

	"easel/internal/require"
	"easel/ui/core/state"
	"easel/ui/window/inspect"
)

// TestTheWindowSaysWhatItShowsWhereThatIsAskedFor checks that a client of the socket
// gets the Claim as JSON.
func TestTheWindowSaysWhatItShowsWhereThatIsAskedFor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Wine has no Unix sockets")
	}
	w := newWorld(t, wide, galleryOf(t, 30), func(s *state.Snapshot) { busy(s); s.FollowLatest = false })
	path := filepath.Join(t.TempDir(), "i")
	w.app.tasks.Go(func() { inspect.Serve(w.app.ctx, path, w.app.cfg.Log, w.app.claim) })
	ask := func() (c inspect.Claim) {
		t.Helper()
		answer := make(chan error, 1)
		go func() {
			var d net.Dialer
			for {
				conn, err := d.DialContext(t.Context(), "unix", path)
				if err != nil && t.Context().Err() == nil {
					continue // it is not listening yet
				}
				if err == nil {
					err = json.NewDecoder(conn).Decode(&c)
					_ = conn.Close()
				}
				answer <- err
				w.q.Do(func() {})
				return
			}
		}()
		var err error
		w.q.Until(t, "an answer", func() bool {
			select {
			case err = <-answer:
				return true
			default:
				return false
			}
		})
		require.NoError(t, err)
		return c
	}
	c := ask()
	if !c.Settled || c.Covered || c.Mode != string(state.Grid) || len(c.Pictures) < 9 || !c.AtNewest {
		t.Fatalf("the grid: %+v", c)
	}
	for _, p := range c.Pictures {
		if f := p.Rect[2] / p.Rect[3]; p.Place != "grid" || f < 1.3 || f > 1.36 { // 640×480
			t.Errorf("%+v", p)
		}
	}
	w.app.navigate.Open("img00007")
	w.settled()
	c = ask()
	places := map[string]int{}
	for _, p := range c.Pictures {
		places[p.Place]++
	}
	if c.Current != "img00007" || c.Highlighted != "img00007" || places["viewer"] != 1 || places["strip"] < 5 || places["grid"] > 0 {
		t.Errorf("the viewer: %v, %s marked, of %s", places, c.Highlighted, c.Current)
	}
	w.app.shell.showKeys()
	if !ask().Covered {
		t.Error("a sheet over it, and it is not covered")
	}
}
