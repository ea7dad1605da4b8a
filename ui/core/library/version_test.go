package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// update adds a version of an image.
func update(t testing.TB, l *Library, seed int, of Image) Image {
	t.Helper()
	return add(t, l, seed, func(n *NewImage) { n.Replaces = of.ResourceURI })
}

func ids(t testing.TB, l *Library, q Query) []string {
	t.Helper()
	ids, err := l.Images.IDs(t.Context(), q)
	require.NoError(t, err)
	return ids
}

func get(t testing.TB, l *Library, id string) Image {
	t.Helper()
	images, err := l.Images.Get(t.Context(), id)
	if err != nil || len(images) != 1 {
		t.Fatal(images, err)
	}
	return images[0]
}

func TestAnUpdateIsAVersionOfItsFigure(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a1, b := add(t, l, 1), add(t, l, 2)
	a2 := update(t, l, 3, a1)
	a3 := update(t, l, 4, a2)
	c := add(t, l, 5)
	if got := ids(t, l, All()); !slices.Equal(got, []string{c.ImageID, b.ImageID, a3.ImageID}) {
		t.Errorf("the newest version does not stand where the first one did: %v", got)
	}
	if a3.Versions != 3 || a3.N != a1.N || a3.ReplacedBy != "" {
		t.Errorf("the newest version: %+v", a3)
	}
	if c.N != 3 || c.Versions != 0 {
		t.Errorf("the next figure: %+v", c)
	}
	if old := get(t, l, a1.ImageID); old.ReplacedBy != a3.ResourceURI || old.Versions != 0 {
		t.Errorf("an older version: %+v", old)
	}
	if data, _, err := l.Images.Read(ctx, a1.ResourceURI); err != nil || len(data) == 0 {
		t.Errorf("its picture: %v", err)
	}
	if v, err := l.Images.Versions(ctx, a2.ResourceURI); err != nil || !slices.Equal(v, []string{a1.ImageID, a2.ImageID, a3.ImageID}) {
		t.Errorf("versions %v, %v", v, err)
	}
	for _, q := range []Query{All(), {Rating: -1, SessionID: "s1"}, {Rating: -1, Text: "png"}, {Rating: -1, URIPrefix: "jupyter://sessions/s1/"}} {
		if _, matching, err := l.Images.Count(ctx, q); err != nil || matching != 3 {
			t.Errorf("%+v: %d images, %v; want 3 figures", q, matching, err)
		}
	}
	if s, err := l.Sessions.Get(ctx, "s1"); err != nil || s.Images != 3 {
		t.Errorf("the session has %d images, %v", s.Images, err)
	}
	if images, err := l.Images.OfExecution(ctx, "e1"); err != nil || len(images) != 3 || images[0].ImageID != a3.ImageID {
		t.Errorf("the execution has %+v, %v", images, err)
	}
	if a4 := add(t, l, 6, func(n *NewImage) { n.Replaces, n.ExecutionID = a3.ImageID, "e2" }); a4.Versions != 4 {
		t.Errorf("another execution's update: %+v", a4)
	} else if images, err := l.Images.OfExecution(ctx, "e1"); err != nil || len(images) != 3 || images[0].ImageID != a4.ImageID {
		t.Errorf("the first execution has %+v, %v", images, err)
	}
}

func TestWhatIsNotedBelongsToTheFigure(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a1 := add(t, l, 1)
	noted := func(id string) {
		t.Helper()
		if im := get(t, l, id); im.Rating != 5 || fmt.Sprint(im.Tags) != "[loss]" || im.Note != "good" || im.Title != "Mine" {
			t.Errorf("got %+v", im)
		}
	}
	if _, err := l.Annotations.SetRating(ctx, []string{a1.ImageID}, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Annotations.SetTags(ctx, []string{a1.ImageID}, []string{"loss"}, nil); err != nil {
		t.Fatal(err)
	}
	a2 := add(t, l, 2, func(n *NewImage) { n.Replaces, n.Title = a1.ImageID, "Kernel's" })
	if a2.Rating != 5 || a2.Title != "Kernel's" {
		t.Errorf("the update: %+v", a2)
	}
	// By the older one's id, as a client that has seen no other does.
	if _, err := l.Annotations.SetNote(ctx, a1.ImageID, "good"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Annotations.SetTitle(ctx, a1.ImageID, "Mine"); err != nil {
		t.Fatal(err)
	}
	noted(a1.ImageID)
	noted(a2.ImageID)
	a3 := add(t, l, 3, func(n *NewImage) { n.Replaces, n.Title = a2.ImageID, "Kernel's" })
	noted(a3.ImageID)
	noted(a1.ImageID)
	for _, q := range []Query{{Rating: 5}, {Rating: -1, Tags: []string{"LOSS"}}, {Rating: -1, Text: "good mine"}} {
		if got := ids(t, l, q); !slices.Equal(got, []string{a3.ImageID}) {
			t.Errorf("%+v finds %v", q, got)
		}
	}
	if got := ids(t, l, Query{Rating: 0, RatingOp: "="}); len(got) > 0 {
		t.Errorf("without stars: %v", got)
	}
	if tags, err := l.Annotations.Tags(ctx); err != nil || len(tags) != 1 || tags[0].Count != 1 {
		t.Errorf("tags %+v, %v", tags, err)
	}
	if _, err := l.Annotations.SetTags(ctx, []string{a2.ImageID}, []string{"more"}, []string{"loss"}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l, a3.ImageID).Tags; fmt.Sprint(got) != "[more]" {
		t.Errorf("tags %v", got)
	}
}

func TestAFigureIsTrashedAndRestoredWithAllVersions(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a1 := add(t, l, 1)
	a2 := update(t, l, 2, a1)
	inTrash := Query{Rating: -1, Trashed: true}
	want := func(what string, live, trashed []string, session int) {
		t.Helper()
		if got := ids(t, l, All()); !slices.Equal(got, live) {
			t.Errorf("%s: the library has %v, want %v", what, got, live)
		}
		if got := ids(t, l, inTrash); !slices.Equal(got, trashed) {
			t.Errorf("%s: the trash has %v, want %v", what, got, trashed)
		}
		if s, err := l.Sessions.Get(ctx, "s1"); err != nil || s.Images != session {
			t.Errorf("%s: the session has %d, %v", what, s.Images, err)
		}
	}
	require.NoError(t, l.Images.Trash(ctx, []string{a2.ImageID}))
	want("trashed", []string{}, []string{a2.ImageID}, 0)
	if _, err := l.Images.Image(ctx, a1.ImageID); !errors.Is(err, ErrNotFound) {
		t.Errorf("an older version of what is in the trash: %v", err)
	}
	a3 := update(t, l, 3, a2) // its loop goes on
	want("drawn again", []string{a3.ImageID}, []string{a2.ImageID}, 1)
	if a3.Versions != 0 {
		t.Errorf("drawn again: %+v", a3)
	}
	require.NoError(t, l.Images.Restore(ctx, []string{a2.ImageID}))
	want("restored", []string{a3.ImageID}, []string{}, 1)
	if im := get(t, l, a3.ImageID); im.Versions != 3 {
		t.Errorf("restored: %+v", im)
	}
	require.NoError(t, l.Images.Trash(ctx, []string{a1.ImageID}))
	want("trashed by an older version's id", []string{}, []string{a3.ImageID}, 0)
	require.NoError(t, l.Images.Delete(ctx, []string{a3.ImageID}))
	want("deleted", []string{}, []string{}, 0)
	if used := l.s.files.used.Load(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}

func TestTheQuotaTakesOlderVersionsFirst(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{KeepPerSession: 1})
	big := func(seed int, replaces string) Image {
		return add(t, l, seed, func(n *NewImage) { n.Forms[0].Data, n.Replaces = picturePNG(t, seed, 10_000), replaces })
	}
	single, a1 := big(1, ""), big(2, "")
	a2 := big(3, a1.ImageID)
	a3 := big(4, a2.ImageID)
	if _, err := l.Annotations.SetRating(ctx, []string{a3.ImageID}, 5); err != nil {
		t.Fatal(err)
	}
	used := l.s.files.used.Load()
	l.SetQuota(used + 3000)
	a4 := big(5, a3.ImageID)
	if _, err := l.Images.Image(ctx, a1.ImageID); !errors.Is(err, ErrNotFound) {
		t.Errorf("the oldest version is still there: %v", err)
	}
	if _, err := l.Images.Image(ctx, single.ImageID); err != nil {
		t.Errorf("a figure was taken before older versions of another: %v", err)
	}
	if im := get(t, l, a4.ImageID); im.Versions != 3 || im.Rating != 5 || im.N != 2 {
		t.Errorf("the newest version: %+v", im)
	}
	if im := get(t, l, a2.ImageID); im.Replaces != "" || im.ReplacedBy != a4.ResourceURI {
		t.Errorf("an image that is gone is still named: %+v", im)
	}
	before := ids(t, l, All())
	versions, err := l.Images.Versions(ctx, a4.ImageID)
	require.NoError(t, err)
	want, err := l.Images.Get(ctx, append(versions, single.ImageID)...)
	require.NoError(t, err)
	check := func(l *Library) {
		t.Helper()
		if got, err := l.Images.Get(ctx, append(versions, single.ImageID)...); err != nil {
			t.Fatal(err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := ids(t, l, All()); !slices.Equal(got, before) {
			t.Errorf("got %v, want %v", got, before)
		}
	}
	require.NoError(t, l.s.rewriteJournal(ctx))
	require.NoError(t, l.Close())
	for _, f := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(dir, databaseFile+f)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	l = open(t, dir, Options{})
	check(l)
}

func TestAPageIsRightWhileVersionsArrive(t *testing.T) {
	ctx := t.Context()
	for _, asc := range []bool{false, true} {
		l := open(t, t.TempDir(), Options{})
		newest := make([]Image, 9) // of each figure
		at := time.Now()           // all at one instant, as on a coarse clock
		for i := range newest {
			newest[i] = add(t, l, i, func(n *NewImage) { n.CreatedAt = at })
		}
		seen := make(map[int]bool)
		q, cursor := Query{Rating: -1, Asc: asc}, ""
		for {
			page, next, err := l.Images.Page(ctx, q, Page{Cursor: cursor, Limit: 2})
			require.NoError(t, err)
			for _, im := range page {
				if seen[im.N] {
					t.Errorf("asc %v: figure %d is shown twice", asc, im.N)
				}
				seen[im.N] = true
			}
			if cursor = next; next == "" {
				break
			}
			for i := range newest {
				newest[i] = update(t, l, 100*len(seen)+i, newest[i])
			}
		}
		if len(seen) != len(newest) {
			t.Errorf("asc %v: %d of %d figures were shown", asc, len(seen), len(newest))
		}
	}
}

func TestALibraryFromBeforeVersionsIsPutTogether(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	a1, single := add(t, l, 1), add(t, l, 2)
	a2 := update(t, l, 3, a1)
	a3 := update(t, l, 4, a2)
	b1 := add(t, l, 5)
	b2 := update(t, l, 6, b1)
	b3 := update(t, l, 7, b2)
	rated := update(t, l, 8, add(t, l, 9))
	if _, err := l.Annotations.SetTags(ctx, []string{single.ImageID}, []string{"loss"}, nil); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, l.Close())
	set := func(what string, im Image) string {
		return fmt.Sprintf("update images set %s where id = '%s'", what, im.ImageID)
	}
	asBefore(t, dir, 2,
		set("rating = 2, title = 'Mine', named = 1, sortname = 'mine', words = 'mine'", a1),
		set(`rating = 4, tags = '["loss"]'`, a2),
		fmt.Sprintf("insert into tagged select '%s', tag from tagged", a2.ImageID),
		set("trashed = 5", b3), // an update that the user threw away
		set("rating = 3", rated),
	)
	l = open(t, dir, Options{})
	if d := l.Damage(); len(d) > 0 {
		t.Errorf("damage: %+v", d)
	}
	if got := ids(t, l, All()); !slices.Equal(got, []string{rated.ImageID, b2.ImageID, single.ImageID, a3.ImageID}) {
		t.Errorf("the library has %v", got)
	}
	if got := ids(t, l, Query{Rating: -1, Trashed: true}); !slices.Equal(got, []string{b3.ImageID}) {
		t.Errorf("the trash has %v", got)
	}
	if s, err := l.Sessions.Get(ctx, "s1"); err != nil || s.Images != 4 {
		t.Errorf("the session has %d, %v", s.Images, err)
	}
	if im := get(t, l, a3.ImageID); im.Rating != 4 || im.Versions != 3 || fmt.Sprint(im.Tags) != "[loss]" {
		t.Errorf("the newest version: %+v", im)
	}
	if got := ids(t, l, Query{Rating: -1, Tags: []string{"loss"}}); !slices.Equal(got, []string{single.ImageID, a3.ImageID}) {
		t.Errorf("tagged: %v", got)
	}
	if tags, err := l.Annotations.Tags(ctx); err != nil || len(tags) != 1 || tags[0].Count != 2 {
		t.Errorf("tags %+v, %v", tags, err)
	}
	if im := get(t, l, rated.ImageID); im.Rating != 3 || im.Versions != 2 {
		t.Errorf("rated itself: %+v", im)
	}
	if im := get(t, l, b2.ImageID); im.Versions != 2 {
		t.Errorf("without what is in the trash: %+v", im)
	}
	if a4 := update(t, l, 10, a3); a4.Versions != 4 || a4.Rating != 4 {
		t.Errorf("a version after that: %+v", a4)
	}
	require.NoError(t, l.Images.Restore(ctx, []string{b3.ImageID}))
	if im := get(t, l, b3.ImageID); im.Versions != 3 || get(t, l, b2.ImageID).ReplacedBy != b3.ResourceURI {
		t.Errorf("restored: %+v", im)
	}
}

func TestASearchFindsWhatACardShows(t *testing.T) {
	l := open(t, t.TempDir(), Options{Untitled: []string{"Plot %d", "プロット %d"}})
	var last Image
	for i := range 12 {
		last = add(t, l, i, func(n *NewImage) { n.Description = "x" })
	}
	titled := add(t, l, 12, func(n *NewImage) { n.Title, n.Description = "Loss", "x" })
	for text, want := range map[string][]string{
		"plot 12": {last.ImageID}, "PLOT 12": {last.ImageID}, "プロット 12": {last.ImageID}, "#12": {last.ImageID},
		"#13": {titled.ImageID}, "plot 13": {}, "loss": {titled.ImageID}, "#1 loss": {titled.ImageID},
	} {
		if got := ids(t, l, Query{Rating: -1, Text: text}); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
}
