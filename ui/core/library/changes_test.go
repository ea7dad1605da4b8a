package library

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library/feed"
)

// whatNames are the names of the bits of feed.What.
var whatNames = []string{"added", "replaced", "restored", "removed", "purged", "rating", "tags", "text", "picture", "versions", "check", "cell", "detail", "findings", "leaving"}

// changed writes the changes after a revision, with names for images.
func changed(t *testing.T, l *Library, after uint64, names map[string]string) string {
	t.Helper()
	changes, lost := l.Changes().Since(after, l.Changes().Last())
	if lost {
		t.Fatal("lost")
	}
	var all []string
	for _, c := range changes {
		s := names[c.ID]
		for i, name := range whatNames {
			if c.What&(1<<i) != 0 {
				s += " " + name
			}
		}
		if c.Former != "" {
			s += " " + names[c.Former]
		}
		if c.Was != nil {
			s += fmt.Sprintf(" (%d stars)", c.Was.Rating)
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestEachCommitIsInTheFeed(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a := add(t, l, 1)
	b := add(t, l, 2)
	a2 := update(t, l, 3, a)
	names := map[string]string{a.ImageID: "a", a2.ImageID: "a2", b.ImageID: "b"}
	var q Question
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"three images were added", func() error { return nil }, "a added, b added, a2 replaced a"},
		{"stars of an older version", func() error { _, err := l.Annotations.SetRating(ctx, []string{a.ImageID, b.ImageID}, 3); return err }, "a2 rating, b rating"},
		{"the same stars again", func() error { _, err := l.Annotations.SetRating(ctx, []string{b.ImageID}, 3); return err }, ""},
		{"a tag", func() error {
			_, err := l.Annotations.SetTags(ctx, []string{b.ImageID}, []string{"x"}, nil)
			return err
		}, "b tags"},
		{"a title", func() error { _, err := l.Annotations.SetTitle(ctx, b.ImageID, "B"); return err }, "b text"},
		{"a note", func() error { _, err := l.Annotations.SetNote(ctx, b.ImageID, "n"); return err }, "b text"},
		{"an error", func() error { _, _ = l.Annotations.SetRating(ctx, []string{b.ImageID}, 9); return nil }, ""},
		{"a question", func() (err error) {
			q, err = l.Questions.Add(ctx, Question{Image: a.ImageID, Words: "?"})
			return err
		}, "a2 detail"},
		{"its announcement", func() error { _, err := l.Questions.Announce(ctx, []string{q.ID}, "c"); return err }, "a2 detail"},
		{"its end", func() error { return l.Questions.Delete(ctx, q.ID) }, "a2 detail"},
		{"a check", func() error { return l.Checks.Put(ctx, b.ImageID, catalog.Check{Status: "pixels"}, nil) }, "b check"},
		{"a run", func() error {
			return l.Executions.Put(ctx, Execution{ID: "e1", SessionID: "s1", Status: catalog.StatusRunning})
		}, ""},
		{"its end", func() error {
			return l.Executions.Put(ctx, Execution{ID: "e1", SessionID: "s1", Status: catalog.StatusOK})
		}, "a detail, b detail, a2 detail"},
		{"the trash", func() error { return l.Images.Trash(ctx, []string{b.ImageID, a2.ImageID}) }, "b removed, a2 removed"},
		{"back", func() error { return l.Images.Restore(ctx, []string{a.ImageID}) }, "a2 restored"},
		{"deletion", func() error { return l.Images.Delete(ctx, []string{a2.ImageID}) }, "a2 versions, a2 removed (3 stars)"},
		{"emptying the trash", func() error { _, err := l.Images.PurgeTrash(ctx, time.Now().Add(time.Hour)); return err }, "b purged"},
	} {
		before := l.Changes().Last()
		if step.want == "a added, b added, a2 replaced a" {
			before = 0
		}
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		if got := changed(t, l, before, names); got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

// A version that comes back from the trash beside a newer one is no entry of lists.
func TestARestoredVersionChangesItsFigure(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	a := add(t, l, 1)
	require.NoError(t, l.Images.Trash(t.Context(), []string{a.ImageID}))
	a2 := update(t, l, 2, a)
	before := l.Changes().Last()
	require.NoError(t, l.Images.Restore(t.Context(), []string{a.ImageID}))
	if got := changed(t, l, before, map[string]string{a.ImageID: "a", a2.ImageID: "a2"}); got != "a2 versions" {
		t.Errorf("got %q", got)
	}
}

// What is replayed or rebuilt when the library is opened is no change.
func TestAReopenedLibraryHasNoChanges(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	add(t, l, 1)
	require.NoError(t, l.Close())
	if n := open(t, dir, Options{}).Changes().Last(); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// A quota announces what it deletes.
func TestAQuotaIsInTheFeed(t *testing.T) {
	l := open(t, t.TempDir(), Options{QuotaBytes: 100_000, KeepPerSession: 1})
	for i := range 3 {
		add(t, l, i, func(n *NewImage) { n.Forms[0].Data = picturePNG(t, i, 45_000) })
	}
	changes, _ := l.Changes().Since(0, l.Changes().Last())
	if len(changes) != 4 || changes[2].What != feed.Removed || changes[2].ID != changes[0].ID || changes[2].Was == nil {
		t.Errorf("got %+v", changes)
	}
}
