package sidebar

import (
	"maps"
	"slices"
	"testing"
	"time"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

func TestProjectsOfOneNameAreToldApart(t *testing.T) {
	want := map[string]string{
		"/home/ann/sales":                "ann/sales",
		"/home/ben/sales":                "ben/sales",
		"/home/ann/forecast":             "forecast",
		"ssh://gpu/home/ann/forecast":    "gpu:forecast",
		"ssh://ann@big:22/srv/売上/sales":  "ann@big:22:売上/sales",
		"ssh://ann@big:22/srv/old/sales": "ann@big:22:old/sales",
	}
	roots := make([]string, 0, len(want))
	for root := range want {
		roots = append(roots, root)
	}
	if got := folderNames(roots); !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestProjectsInUseComeFirst checks the order of projects, and that two in which assistants work at the
// same time do not change places.
func TestProjectsInUseComeFirst(t *testing.T) {
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	at := func(minute int) time.Time { return noon.Add(time.Duration(minute) * time.Minute) }
	live := func(root string, used int) state.Session {
		x := state.Session{Project: root, Used: at(used)}
		x.SessionID, x.CreatedAt = root, at(-600)
		return x
	}
	ended := []library.Session{{Project: "/a", CreatedAt: at(-100), EndedAt: at(-90)}, {Project: "/b", CreatedAt: at(-50)}}
	b := &Bar{uses: make(map[string]use), snap: &state.Snapshot{Projects: []command.Project{{Root: "/open"}, {Root: "/x"}}}}
	for _, c := range []struct {
		when string
		x, z int // when the live projects were last used
		want []string
	}{
		{"at first", -30, -3, []string{"/z", "/x", "/open", "/b", "/a"}},
		{"the second is used again", 0, -3, []string{"/x", "/z", "/open", "/b", "/a"}},
		{"both are used", 1, 2, []string{"/x", "/z", "/open", "/b", "/a"}},
		{"only the first", 21, 2, []string{"/x", "/z", "/open", "/b", "/a"}},
		{"the second after a pause", 21, 22, []string{"/z", "/x", "/open", "/b", "/a"}},
	} {
		b.snap.Sessions = []state.Session{live("/x", c.x), live("/z", c.z)}
		var got []string
		for _, g := range b.groups(ended) {
			got = append(got, g.root)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.when, got, c.want)
		}
	}
}
