package window

import (
	"strings"
	"testing"
	"time"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestBannersOfIdleSessions(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), busy)
	b := w.app.shell.center.banners
	short := func(left int64) *state.Pressure {
		return &state.Pressure{Available: left, Idle: []state.IdleKernel{{SessionID: uitest.SessionID(1), Bytes: 2e9, Used: uitest.Start}}}
	}
	shown := func(edit func(*state.Snapshot)) string {
		n := *w.app.cfg.Store.Snapshot()
		edit(&n)
		var texts []string
		for _, x := range b.list(&n) {
			texts = append(texts, x.text)
		}
		return strings.Join(texts, "\n")
	}
	if got, want := shown(func(s *state.Snapshot) { s.Pressure = short(9e8) }), "Memory is low (900 MB left). “売上.ipynb” is idle and uses 2.0 GB."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.gone["pressure"] = true
	if got := shown(func(s *state.Snapshot) { s.Pressure = short(8e8) }); got != "" {
		t.Errorf("it was dismissed: %q", got)
	}
	_ = shown(func(*state.Snapshot) {}) // there is enough memory again
	if got := shown(func(s *state.Snapshot) { s.Pressure = short(8e8) }); got == "" {
		t.Error("the next time it is not told")
	}
	ended := []state.UnusedSession{{Name: "a", At: uitest.Start.Add(4 * time.Hour), After: 4 * time.Hour}, {Name: "b", At: uitest.Start.Add(5 * time.Hour), After: 4 * time.Hour}}
	if got := shown(func(s *state.Snapshot) { s.Unused = ended[:1] }); !strings.HasPrefix(got, "Ended “a”: unused since ") {
		t.Errorf("one session: %q", got)
	}
	if got, want := shown(func(s *state.Snapshot) { s.Unused = ended }), "Ended 2 unused sessions: b, a."; got != want {
		t.Errorf("two: got %q, want %q", got, want)
	}
}
