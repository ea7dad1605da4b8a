package library

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

func TestTagsAreKeptAsOneWouldExpect(t *testing.T) {
	ctx := t.Context()
	many := make([]string, MaxTags)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	for name, tc := range map[string]struct {
		has, add, remove []string
		want             []string // nil: ErrInvalid, and nothing changes
	}{
		"trimmed and composed":                   {nil, []string{"  e\u0301te\u0301 "}, nil, []string{"été"}},
		"once in any case":                       {[]string{"Loss"}, []string{"LOSS", "loss"}, nil, []string{"Loss"}},
		"removed in any case":                    {[]string{"Straße", "x"}, nil, []string{"STRASSE"}, []string{"x"}},
		"added and removed stays":                {[]string{"a"}, []string{"b"}, []string{"b", "a"}, []string{"b"}},
		"removing what is not there":             {[]string{"a"}, nil, []string{"b", "\x00"}, []string{"a"}},
		"64 characters, not bytes":               {nil, []string{strings.Repeat("気", 64)}, nil, []string{strings.Repeat("気", 64)}},
		"65 characters are refused":              {[]string{"a"}, []string{strings.Repeat("x", 65)}, nil, nil},
		"empty is refused":                       {[]string{"a"}, []string{" \t"}, nil, nil},
		"control characters are refused":         {[]string{"a"}, []string{"b\x07c"}, nil, nil},
		"what is no UTF-8 is refused":            {[]string{"a"}, []string{"\xff"}, nil, nil},
		"fifty are allowed":                      {nil, many, nil, many},
		"a fifty-first is refused":               {many, []string{"one more"}, nil, nil},
		"a fifty-first in the place of one":      {many, []string{"new"}, []string{"t0"}, append(slices.Clone(many[1:]), "new")},
		"quotes and commas are only characters":  {nil, []string{`a"b`, "c,d", "e'f"}, nil, []string{`a"b`, "c,d", "e'f"}},
		"nothing to add, nothing to remove stay": {[]string{"a"}, nil, nil, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t, t.TempDir(), Options{})
			im := add(t, l, 1)
			if _, err := l.Annotations.SetTags(ctx, []string{im.ImageID}, tc.has, nil); err != nil {
				t.Fatal(err)
			}
			want := tc.want
			_, err := l.Annotations.SetTags(ctx, []string{im.ImageID}, tc.add, tc.remove)
			if tc.want == nil {
				want = tc.has
				if !errors.Is(err, ErrInvalid) {
					t.Errorf("got %v", err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			got, err := l.Images.Image(ctx, im.ImageID)
			if diff := cmp.Diff(want, got.Tags); diff != "" || err != nil {
				t.Errorf("%s %v", diff, err)
			}
		})
	}
}

func TestAnnotationsAreAllOrNothing(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a, b := add(t, l, 1), add(t, l, 2)
	if _, err := l.Annotations.SetRating(ctx, []string{a.ImageID, "nobody"}, 3); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown image: %v", err)
	}
	for _, r := range []int{-1, 6} {
		if _, err := l.Annotations.SetRating(ctx, []string{a.ImageID}, r); !errors.Is(err, ErrInvalid) {
			t.Errorf("rating %d: %v", r, err)
		}
	}
	if got, err := l.Images.Image(ctx, a.ImageID); err != nil || got.Rating != 0 {
		t.Errorf("got %d, %v", got.Rating, err)
	}
	both, err := l.Annotations.SetRating(ctx, []string{b.ResourceURI, a.ImageID, b.ImageID}, 3)
	if err != nil || len(both) != 2 || both[0].ImageID != b.ImageID || both[1].Rating != 3 {
		t.Errorf("got %+v, %v", both, err)
	}
	if got, err := l.Annotations.SetTitle(ctx, a.ImageID, " A\ntitle "); err != nil || got.Title != "A title" {
		t.Errorf("got %q, %v", got.Title, err)
	}
	if got, err := l.Annotations.SetNote(ctx, a.ImageID, "A\nnote"); err != nil || got.Note != "A\nnote" || !got.Modified.After(b.CreatedAt) {
		t.Errorf("got %q, %v", got.Note, err)
	}
	if _, err := l.Annotations.SetTitle(ctx, a.ImageID, strings.Repeat("x", MaxTitle+1)); !errors.Is(err, ErrInvalid) {
		t.Errorf("long title: %v", err)
	}
	if ids, err := l.Images.IDs(ctx, Query{Rating: -1, Text: "note title"}); err != nil || !slices.Equal(ids, []string{a.ImageID}) {
		t.Errorf("found %v, %v", ids, err)
	}
}

func TestTwoWhoTagAtOnceDoNotUndoEachOther(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := add(t, l, 1)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 5 {
				if _, err := l.Annotations.SetTags(ctx, []string{im.ImageID}, []string{fmt.Sprint("t", i, "-", k)}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got, err := l.Images.Image(ctx, im.ImageID); err != nil || len(got.Tags) != 40 {
		t.Errorf("%d tags, %v", len(got.Tags), err)
	}
}

func TestAnnotationsOfAFileFollowItsBytes(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	hash := strings.Repeat("0a", 32)
	rate := func(_ int, m *Marks) error { return m.SetRating(4) }
	if _, err := l.Annotations.Mark(ctx, []Target{{Path: "/a.png", Hash: hash}}, rate); err != nil {
		t.Fatal(err)
	}
	got, err := l.Annotations.Mark(ctx, []Target{{Path: "/b.png", Hash: strings.ToUpper(hash)}}, func(_ int, m *Marks) error { return m.SetTags([]string{"Cat"}, nil) })
	if err != nil || len(got) != 1 || got[0].Before.Rating != 4 || len(got[0].Before.Tags) != 0 || !slices.Equal(got[0].After.Tags, []string{"Cat"}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"zz", hash + "00", "' or 1=1 --"} {
		if _, err := l.Annotations.Mark(ctx, []Target{{Path: "/a.png", Hash: bad}}, rate); !errors.Is(err, ErrInvalid) {
			t.Errorf("hash %q: %v", bad, err)
		}
	}
	require.NoError(t, l.Close())
	l = open(t, dir, Options{})
	annotations, err := l.Annotations.FileAnnotations(ctx, hash, strings.Repeat("0b", 32))
	if err != nil || len(annotations) != 1 {
		t.Fatal(annotations, err)
	}
	if _, err := l.Annotations.Mark(ctx, []Target{{Path: "/a.png", Hash: hash}}, func(_ int, m *Marks) error { return m.SetNote("no") }); !errors.Is(err, ErrInvalid) {
		t.Errorf("a note on a file: %v", err)
	}
	m := annotations[hash]
	if m.Path != "/b.png" || m.Rating != 4 || !slices.Equal(m.Tags, []string{"Cat"}) || time.Since(m.Modified) > time.Hour {
		t.Errorf("got %+v", m)
	}
}
