package announce

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/state"
)

// A rig is a library with its Pictures, and what a client has been notified of.
type rig struct {
	*library.Library
	*Pictures
	store  *state.Store
	events func() string // those since the last call
	names  map[string]string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	lib := coretest.Open(t)
	bus := eventbus.New()
	r := &rig{Library: lib, store: state.NewStore(state.Snapshot{}), names: make(map[string]string)}
	r.Pictures = NewPictures(bus, r.store, collection.New(lib, log), log)
	ctx, end := context.WithCancel(t.Context())
	next := catalog.Changes.WatchToTheLast(ctx, bus, 10_000)
	r.events = func() string {
		end()
		var all []string
		for c, err := range next {
			if err != nil {
				all = append(all, "gap")
				continue
			}
			im := c.Object.(catalog.Image)
			all = append(all, fmt.Sprintf("%s %s %d", strings.TrimPrefix(string(c.Name), "image."), r.names[im.ImageID], im.Rating))
		}
		ctx, end = context.WithCancel(t.Context())
		next = catalog.Changes.WatchToTheLast(ctx, bus, 10_000)
		return strings.Join(all, ", ")
	}
	t.Cleanup(func() { end() })
	return r
}

func (r *rig) add(t *testing.T, name string, replaces string) string {
	t.Helper()
	im, err := r.Images.Add(t.Context(), library.NewImage{SessionID: "s", Replaces: replaces, Forms: []library.Form{
		{MIME: "image/svg+xml", Data: fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><!--%s--></svg>`, name)},
	}})
	require.NoError(t, err)
	r.names[im.ImageID] = name
	return im.ImageID
}

func TestEachChangeIsAnnouncedOnceAndInOrder(t *testing.T) {
	ctx := t.Context()
	r := newRig(t)
	a, b := r.add(t, "a", ""), r.add(t, "b", "")
	r.Announce()
	r.Announce()
	if got := r.events(); got != "added a 0, added b 0" {
		t.Errorf("told %q", got)
	}
	if s := r.store.Snapshot(); s.Newest != b || s.Arrivals != 2 || s.Revision != r.Changes().Last() {
		t.Errorf("the state has %+v", s)
	}
	r.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{a}, a })
	a2 := r.add(t, "a2", a)
	mark := func(edit func(*library.Marks) error) func() error {
		return func() error { coretest.Mark(t, r.Annotations, edit, b); return nil }
	}
	for _, do := range []func() error{
		mark(func(m *library.Marks) error { return m.SetRating(2) }),
		mark(func(m *library.Marks) error { m.Trashed = true; return nil }),
		mark(func(m *library.Marks) error { m.Trashed = false; return nil }),
		func() error { return r.Sessions.Put(ctx, library.Session{ID: "s"}) },
		func() error { return r.Images.Delete(ctx, []string{b}) },
	} {
		require.NoError(t, do())
		r.Announce()
	}
	if got := r.events(); got != "changed a2 0, changed b 2, removed b 2, added b 2, removed b 2" {
		t.Errorf("told %q", got)
	}
	if s := r.store.Snapshot(); s.Newest != a2 || s.Current != a2 || !slices.Equal(s.Selection, []string{a2}) || s.Arrivals != 2 {
		t.Errorf("the state has %+v", s)
	}
}

// A plot counts for the assistant that asked for it, not for another that calls itself the same.
func TestAPlotCountsForItsAssistant(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.store.Update(func(s *state.Snapshot) {
		s.Assistants = []state.Assistant{
			{ID: "cursor", Client: "Claude Code 1", Last: now}, {ID: "zed", Client: "Claude Code 1", Last: now.Add(time.Hour)}, {ID: "cline", Gone: true},
		}
	})
	for i, by := range []string{"cursor", "cline", ""} {
		x := library.Execution{ID: fmt.Sprint("x", i), SessionID: "s", Client: "Claude Code", Assistant: by, Status: catalog.StatusRunning, CreatedAt: now}
		require.NoError(t, r.Executions.Put(t.Context(), x))
		_, err := r.Images.Add(t.Context(), library.NewImage{SessionID: "s", ExecutionID: x.ID, Client: "Claude Code", Forms: []library.Form{
			{MIME: "image/svg+xml", Data: fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="%d"/>`, i+1)},
		}})
		require.NoError(t, err)
	}
	r.Announce()
	for id, want := range map[string]int{"cursor": 1, "zed": 0, "cline": 0} {
		if got := r.store.Snapshot().Assistant(id).Plots; got != want {
			t.Errorf("%s has %d plots, want %d", id, got, want)
		}
	}
}

// What is deleted before it was announced is announced as removed only.
func TestAnImageThatIsDeletedAtOnce(t *testing.T) {
	r := newRig(t)
	require.NoError(t, r.Images.Delete(t.Context(), []string{r.add(t, "a", "")}))
	r.Announce()
	if got := r.events(); got != "removed a 0" {
		t.Errorf("told %q", got)
	}
}

func TestClientsAreToldOfAGap(t *testing.T) {
	r := newRig(t)
	a := r.add(t, "a", "")
	r.Changes().Lose()
	r.Announce()
	if got := r.events(); got != "gap" {
		t.Errorf("told %q", got)
	}
	if s := r.store.Snapshot(); s.Newest != a {
		t.Errorf("the newest image is %q", s.Newest)
	}
}

// Nobody sees a change without the edit that belongs to it, although others announce meanwhile.
func TestAChangeAndItsEditAreOneStep(t *testing.T) {
	r := newRig(t)
	a := r.add(t, "a", "")
	r.Announce()
	ctx, end := context.WithCancel(t.Context())
	var others sync.WaitGroup
	others.Go(func() { r.Run(ctx) })
	stop := r.store.OnChange(func() {
		if s := r.store.Snapshot(); s.Revision > 1 && s.Total != int(s.Revision) {
			t.Errorf("revision %d without its edit", s.Revision)
		}
	})
	for i := range 20 {
		r.Turn(func(announce Announcer) {
			coretest.Mark(t, r.Annotations, func(m *library.Marks) error { return m.SetRating(1 + i%2) }, a)
			announce(func(s *state.Snapshot) { s.Total = int(s.Revision) })
		})
	}
	stop()
	end()
	others.Wait()
}

// The announcement follows the commit: whoever is notified can read what has changed.
func TestAnAnnouncementFollowsTheCommit(t *testing.T) {
	r := newRig(t)
	ctx, end := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { r.Run(ctx) })
	stop := r.store.OnChange(func() {
		s := r.store.Snapshot()
		images, err := r.Images.Get(t.Context(), s.Newest) // which does not end with Run: its last notice may still be here
		if s.Newest != "" && (err != nil || len(images) != 1) {
			t.Errorf("the newest image of revision %d: %d images, %v", s.Revision, len(images), err)
		}
	})
	for i := range 20 {
		r.add(t, fmt.Sprint(i), "")
	}
	for last := r.Changes().Last(); r.store.Snapshot().Revision < last; {
		r.Announce()
	}
	stop()
	end()
	run.Wait()
	if s := r.store.Snapshot(); s.Arrivals != 20 {
		t.Errorf("%d arrivals", s.Arrivals)
	}
}

func TestWhatClientsCannotSeeIsNoEvent(t *testing.T) {
	for what, want := range map[feed.What]catalog.ChangeName{
		feed.Detail: "", feed.Cell: "", feed.Leaving: "", feed.Purged: "",
		feed.Check: catalog.ImageChanged, feed.Versions: catalog.ImageChanged, feed.Rating | feed.Tags: catalog.ImageChanged,
	} {
		if got := event(what); got != want {
			t.Errorf("%b is %q, want %q", what, got, want)
		}
	}
}
