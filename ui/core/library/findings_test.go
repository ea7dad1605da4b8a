package library

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// judge says of a finding that it is no problem, or takes that back.
func judge(t *testing.T, l *Library, id, key string, dismiss bool) {
	t.Helper()
	_, err := l.Annotations.Mark(t.Context(), []Target{{ID: id}}, func(_ int, m *Marks) error { return m.Judge(key, dismiss) })
	require.NoError(t, err)
}

func found(t *testing.T, l *Library, id string, keys ...string) {
	t.Helper()
	require.NoError(t, l.Images.SetFound(t.Context(), id, keys))
}

// openOf returns how many findings of images are open, and checks that the filter agrees.
func openOf(t *testing.T, l *Library, ids ...string) (open []int) {
	t.Helper()
	images, err := l.Images.Get(t.Context(), ids...)
	require.NoError(t, err)
	filtered, err := l.Images.IDs(t.Context(), Query{Rating: -1, Findings: true})
	require.NoError(t, err)
	for _, im := range images {
		open = append(open, im.Findings)
		if im.ReplacedBy == "" && slices.Contains(filtered, im.ImageID) != (im.Findings > 0) {
			t.Errorf("%d findings are open, and the filter has %v", im.Findings, filtered)
		}
	}
	return open
}

func withFacts(n *NewImage) { n.Facts = []byte("facts of " + n.Title + string(n.Forms[0].Data[:90])) }

// TestOpenFindingsAreCounted covers what changes the count: findings, judgements, later versions, checks that are
// turned off, and an undo. The feed has each change.
func TestOpenFindingsAreCounted(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	checksOff(t, l)
	a, b, plain := add(t, l, 1, withFacts), add(t, l, 2, withFacts), add(t, l, 3)
	var names map[string]string
	if pending, err := l.Images.Unexamined(ctx, 9); err != nil || len(pending) != 2 || pending[0].ImageID != b.ImageID || pending[0].Facts == nil {
		t.Fatalf("unexamined: %+v, %v", pending, err)
	}
	var a2 Image
	names = map[string]string{a.ImageID: "a", b.ImageID: "b", plain.ImageID: "plain"}
	for _, step := range []struct {
		name  string
		do    func()
		want  []int // of a, b, plain and a2
		feed  string
		exact bool
	}{
		{"found", func() {
			found(t, l, a.ImageID, "wall/1/y/#1/3", "copies/1/both/a/b")
			found(t, l, b.ImageID, "wall/1/y/#1/4")
		}, []int{2, 1, 0}, "a findings, b findings", true},
		{"found again", func() { found(t, l, b.ImageID, "wall/1/y/#1/4") }, []int{2, 1, 0}, "", true},
		{"judged", func() { judge(t, l, a.ImageID, "copies/1/both/a/b", true) }, []int{1, 1, 0}, "a findings", false},
		{"judged again", func() { judge(t, l, a.ImageID, "copies/1/both/a/b", true) }, []int{1, 1, 0}, "", true},
		{"a later version", func() {
			a2 = update(t, l, 5, a)
			names[a2.ImageID] = "a2"
		}, []int{1, 1, 0, 0}, "a2 replaced a", true},
		{"its findings", func() { found(t, l, a2.ImageID, "wall/1/y/#1/3", "copies/1/both/a/b", "flat/1/y/#1/0") }, []int{1, 1, 0, 2}, "a2 findings", true},
		{"judged by the older version", func() { judge(t, l, a.ImageID, "wall/1/y/#1/3", true) }, []int{0, 1, 0, 1}, "a2 findings", false},
		{"walls turned off", func() { checksOff(t, l, "wall") }, []int{0, 0, 0, 1}, "b findings", true},
		{"no judgement", func() { judge(t, l, a2.ImageID, "wall/1/y/#1/3", false) }, []int{0, 0, 0, 1}, "a2 findings", false},
		{"more turned off", func() { checksOff(t, l, "flat", "wall", "unknown") }, []int{0, 0, 0, 0}, "a2 findings", true},
		{"all on", func() { checksOff(t, l) }, []int{1, 1, 0, 2}, "a2 findings, b findings", true},
	} {
		t.Run(step.name, func(t *testing.T) {
			before := l.Changes().Last()
			step.do()
			ids := []string{a.ImageID, b.ImageID, plain.ImageID, a2.ImageID}
			if diff := cmp.Diff(step.want, openOf(t, l, ids[:len(step.want)]...)); diff != "" {
				t.Errorf("open (-want +got): %s", diff)
			}
			got := strings.Split(changed(t, l, before, names), ", ")
			slices.Sort(got)
			if !step.exact {
				got = slices.Compact(got)
			}
			if diff := cmp.Diff(step.feed, strings.Join(got, ", ")); diff != "" {
				t.Errorf("the feed: %s", diff)
			}
		})
	}
	if pending, err := l.Images.Unexamined(ctx, 9); err != nil || len(pending) > 0 {
		t.Errorf("left: %d, %v", len(pending), err)
	}
}

func checksOff(t *testing.T, l *Library, off ...string) {
	t.Helper()
	require.NoError(t, l.Images.SetChecks(t.Context(), 1, off))
}

// TestJudgementsOutliveTheDatabase covers a library that is opened again, whose journal was rewritten, and whose
// database is gone. What was found is found again; what was judged, and taken back, is kept.
func TestJudgementsOutliveTheDatabase(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	checksOff(t, l, "flat")
	a, b := add(t, l, 1, withFacts), add(t, l, 2, withFacts)
	keys := []string{"wall/1/y/#1/3", "copies/1/both/a/b", "flat/1/y/#1/0"}
	for _, im := range []Image{a, b} {
		found(t, l, im.ImageID, keys...)
		judge(t, l, im.ImageID, keys[0], true)
	}
	judge(t, l, b.ImageID, keys[0], false)
	check := func(again bool) {
		t.Helper()
		if again {
			pending, err := l.Images.Unexamined(ctx, 9)
			if err != nil || len(pending) != 2 {
				t.Fatalf("to be found again: %d, %v", len(pending), err)
			}
			for _, im := range pending {
				found(t, l, im.ImageID, keys...)
			}
			checksOff(t, l, "flat")
		}
		if diff := cmp.Diff([]int{1, 2}, openOf(t, l, a.ImageID, b.ImageID)); diff != "" {
			t.Error(diff)
		}
		if im, err := l.Images.Image(ctx, a.ImageID); err != nil || !slices.Equal(im.Judged, keys[:1]) {
			t.Errorf("judged: %q, %v", im.Judged, err)
		}
	}
	reopen := func(database bool) {
		t.Helper()
		require.NoError(t, l.Close())
		if !database {
			require.NoError(t, os.Remove(filepath.Join(dir, databaseFile)))
		}
		if l, err = Open(ctx, dir, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	check(false)
	reopen(true)
	check(false)
	reopen(false)
	check(true)
	require.NoError(t, l.s.rewriteJournal(ctx))
	reopen(false)
	check(true)
	if err := l.Images.SetChecks(ctx, 2, []string{"flat"}); err != nil { // the checks of another Easel
		t.Fatal(err)
	}
	check(true)
	require.NoError(t, l.Close())
}

func TestAJudgementIsChecked(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	im := add(t, l, 1)
	for _, key := range []string{"", "wall", "/1", "wall/" + strings.Repeat("x", maxFinding), "wall/\xff"} {
		_, err := l.Annotations.Mark(t.Context(), []Target{{ID: im.ImageID}}, func(_ int, m *Marks) error { return m.Judge(key, true) })
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%.20q: %v", key, err)
		}
	}
	file := Target{Path: "/a.png", Hash: strings.Repeat("0a", 32)}
	if _, err := l.Annotations.Mark(t.Context(), []Target{file}, func(_ int, m *Marks) error { return m.Judge("wall/1", true) }); !errors.Is(err, ErrInvalid) {
		t.Errorf("a file: %v", err)
	}
}

// TestPlotsOfEarlierVersionsAreToBeExamined covers the migration: plots with numbers and figures of other kinds,
// but no plain pictures.
func TestPlotsOfEarlierVersionsAreToBeExamined(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	a := add(t, l, 1, withFacts)
	add(t, l, 2)
	figure := addFigure(t, l, `{"data":[]}`)
	require.NoError(t, l.Close())
	asBefore(t, dir, 9)
	l = open(t, dir, Options{})
	pending, err := l.Images.Unexamined(ctx, 9)
	if err != nil || len(pending) != 2 || pending[0].ImageID != figure.ImageID || pending[1].ImageID != a.ImageID {
		t.Errorf("got %+v, %v", pending, err)
	}
}
