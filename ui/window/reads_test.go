package window

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// A countedLibrary writes down what is read.
type countedLibrary struct {
	*uitest.Library
	mu    sync.Mutex
	reads []string
}

func (l *countedLibrary) count(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads = append(l.reads, fmt.Sprintf(format, args...))
}

// taken returns what was read since the last call, sorted.
func (l *countedLibrary) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	reads := slices.Sorted(slices.Values(l.reads))
	l.reads = nil
	return strings.Join(reads, ", ")
}

func (l *countedLibrary) Get(ctx context.Context, ids ...string) ([]library.Image, error) {
	l.count("Get %s", strings.Join(ids, " "))
	return l.Library.Get(ctx, ids...)
}

func (l *countedLibrary) List(ctx context.Context, q library.Query) ([]library.ListEntry, error) {
	l.count("List")
	return l.Library.List(ctx, q)
}

func (l *countedLibrary) Count(ctx context.Context, q library.Query) (total, matching int, err error) {
	l.count("Count")
	return l.Library.Count(ctx, q)
}

func (l *countedLibrary) Tags(ctx context.Context) ([]library.TagCount, error) {
	l.count("Tags")
	return l.Library.Tags(ctx)
}

func (l *countedLibrary) Session(ctx context.Context, id string) (library.Session, error) {
	l.count("Session")
	return l.Library.Session(ctx, id)
}

func (l *countedLibrary) Sessions(ctx context.Context) ([]library.Session, error) {
	l.count("Sessions")
	return l.Library.Sessions(ctx)
}

func (l *countedLibrary) Execution(ctx context.Context, id string) (library.Execution, error) {
	l.count("Execution")
	return l.Library.Execution(ctx, id)
}

func (l *countedLibrary) Questions(ctx context.Context, id string) ([]library.Question, error) {
	l.count("Questions")
	return l.Library.Questions(ctx, id)
}

func (l *countedLibrary) Versions(ctx context.Context, id string) ([]string, error) {
	l.count("Versions")
	return l.Library.Versions(ctx, id)
}

func (l *countedLibrary) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	l.count("Read")
	return l.Library.Read(ctx, id)
}

func (l *countedLibrary) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	l.count("Thumb")
	return l.Library.Thumb(ctx, id, edge)
}

// TestOneStarRefreshesOneCard counts what the window reads for one star. The two counts are those
// of the best plots and of those without stars, in the sidebar.
func TestOneStarRefreshesOneCard(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*state.Snapshot)
		want string
	}{
		"of another plot":              {func(*state.Snapshot) {}, "Count, Count, Get img00004"},
		"of the selected plot":         {func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00004"}, "img00004" }, "Count, Count, Get img00004, Get img00004"},
		"in a list that has only some": {func(s *state.Snapshot) { s.Query.Tags = []string{"a"} }, "Count, Count"},
	} {
		t.Run(name, func(t *testing.T) {
			lib := galleryOf(t, 12)
			lib.Tag([]string{"a"}, "img00001", "img00002")
			seen := &countedLibrary{Library: lib}
			w := newWorldWith(t, wide, lib, seen, func(s *state.Snapshot) {
				one(s)
				c.edit(s)
			})
			w.settled()
			seen.taken()
			w.call(t, "set_rating", `{"rating": 3, "path": "img00004"}`)
			if got := seen.taken(); got != c.want {
				t.Errorf("it read %s; want %s", got, c.want)
			}
		})
	}
}

// TestAStarThatMovesAPlotReadsTheList: a list that is sorted by stars, or has only some.
func TestAStarThatMovesAPlotReadsTheList(t *testing.T) {
	lib := galleryOf(t, 12)
	seen := &countedLibrary{Library: lib}
	w := newWorldWith(t, wide, lib, seen, func(s *state.Snapshot) {
		one(s)
		s.Query.SortBy = "rating"
	})
	w.settled()
	before := slices.Clone(w.app.shell.gallery.ids)
	seen.taken()
	w.call(t, "set_rating", `{"rating": 5, "path": "img00004"}`)
	if got, now := seen.taken(), w.app.shell.gallery.ids; !strings.Contains(got, "List") || slices.Equal(now, before) {
		t.Errorf("it read %s, and shows %v", got, now)
	}
}

// TestTheViewerIsNotReadForAStarOfAnotherPlot: its picture stays decoded, too.
func TestTheViewerIsNotReadForAStarOfAnotherPlot(t *testing.T) {
	lib := galleryOf(t, 12)
	seen := &countedLibrary{Library: lib}
	w := newWorldWith(t, wide, lib, seen, func(s *state.Snapshot) {
		one(s)
		s.Mode = state.Viewer
	})
	w.settled()
	seen.taken()
	w.call(t, "set_rating", `{"rating": 3, "path": "img00009"}`)
	if got := seen.taken(); strings.Contains(got, "img00001") {
		t.Errorf("it read %s", got)
	}
}
