package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/library/naming"
)

func TestEqualBytesAreStoredOnceAndGoWithTheLastImage(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a, b := add(t, l, 1), add(t, l, 1, func(n *NewImage) { n.SessionID = "s2" })
	if a.Path != b.Path || a.ImageID == b.ImageID || a.ResourceURI == b.ResourceURI || a.ETag != b.ETag || b.N != 1 {
		t.Errorf("%+v\n%+v", a, b)
	}
	used := l.s.files.used.Load()
	if used != a.Bytes {
		t.Errorf("used %d", used)
	}
	purge := func(id string) {
		t.Helper()
		require.NoError(t, l.Images.Trash(ctx, []string{id}))
		if n, err := l.Images.PurgeTrash(ctx, time.Now().Add(time.Hour)); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := l.Images.Thumb(ctx, a.ImageID, 50); err != nil {
		t.Fatal(err)
	}
	l.Images.thumbs.Settle()
	purge(a.ImageID)
	if _, _, err := l.Images.Read(ctx, b.ImageID); err != nil {
		t.Errorf("the other image: %v", err)
	}
	purge(b.ImageID)
	if _, err := os.Stat(b.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
	if left, err := filepath.Glob(l.s.path(thumbsDir, "*", "*")); len(left) > 0 || err != nil {
		t.Errorf("thumbnails: %v %v", left, err)
	}
	if used := l.s.files.used.Load(); used != 0 {
		t.Errorf("used %d", used)
	}
	if c := add(t, l, 1); c.N != 2 {
		t.Errorf("the number of a deleted image was given again: %d", c.N)
	}
}

func TestTheTrashHidesAndGivesBack(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a, b := add(t, l, 1), add(t, l, 2)
	require.NoError(t, l.Images.Trash(ctx, []string{a.ResourceURI}))
	if err := l.Images.Trash(ctx, []string{b.ImageID, "nobody"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := l.Images.Image(ctx, a.ResourceURI); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, _, err := l.Images.Read(ctx, a.ImageID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if s, err := l.Sessions.Get(ctx, "s1"); err != nil || s.Images != 1 {
		t.Errorf("%d images, %v", s.Images, err)
	}
	if images, err := l.Images.OfExecution(ctx, "e1"); err != nil || len(images) != 1 {
		t.Errorf("%d images, %v", len(images), err)
	}
	trash, _, err := l.Images.Page(ctx, Query{Rating: -1, Trashed: true}, Page{})
	if err != nil || len(trash) != 1 || trash[0].ImageID != a.ImageID || trash[0].Trashed.IsZero() {
		t.Errorf("trash %+v, %v", trash, err)
	}
	if n, err := l.Images.PurgeTrash(ctx, time.Now().Add(-TrashDays*24*time.Hour)); n != 0 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	require.NoError(t, l.Images.Restore(ctx, []string{a.ImageID}))
	if ids, err := l.Images.IDs(ctx, All()); err != nil || !slices.Equal(ids, []string{b.ImageID, a.ImageID}) {
		t.Errorf("got %v, %v", ids, err)
	}
}

func TestImagesAreWhatTheirBytesSay(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	raster := picturePNG(t, 1, 0)
	svg := []byte(`<?xml version="1.0"?><svg width="72pt" height="36pt" viewBox="0 0 5 5"></svg>`)
	for name, tc := range map[string]struct {
		forms     []Form
		mime, ext string
		w, h      int
		forms2    int
	}{
		"a PNG":                          {[]Form{{"image/png", raster}}, "image/png", "png", 64, 48, 1},
		"a PNG said to be a JPEG":        {[]Form{{"image/jpeg", raster}}, "image/png", "png", 64, 48, 1},
		"an SVG and its PNG":             {[]Form{{"image/svg+xml", svg}, {"image/png", raster}}, "image/svg+xml", "svg", 96, 48, 2},
		"a PNG and its SVG":              {[]Form{{"image/png", raster}, {"image/svg+xml", svg}}, "image/png", "png", 64, 48, 2},
		"Plotly's data":                  {[]Form{{"application/vnd.plotly.v1+json", []byte(`{"data":[]}`)}}, "application/vnd.plotly.v1+json", "json", 0, 0, 1},
		"bytes that are no image at all": {[]Form{{"image/png", []byte("oops")}}, "image/png", "png", 0, 0, 1},
		"a PNG without its end":          {[]Form{{"image/png", raster[:60]}}, "image/png", "png", 64, 48, 1},
	} {
		t.Run(name, func(t *testing.T) {
			im, err := l.Images.Add(ctx, NewImage{SessionID: "s1", Forms: tc.forms})
			require.NoError(t, err)
			want := []any{tc.mime, "." + tc.ext, "." + tc.ext, tc.w, tc.h, tc.forms2}
			if diff := cmp.Diff(want, []any{im.MIMEType, filepath.Ext(im.ResourceURI), filepath.Ext(im.Path), im.Width, im.Height, len(im.Forms)}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if im.Description == "" || im.Tags == nil {
				t.Errorf("description %q, tags %v", im.Description, im.Tags)
			}
			data, _, err := l.Images.Read(ctx, im.ResourceURI)
			if err != nil || string(data) != string(tc.forms[0].Data) {
				t.Errorf("read %d bytes, %v", len(data), err)
			}
		})
	}
	for name, n := range map[string]NewImage{
		"no forms":          {SessionID: "s1"},
		"no bytes":          {SessionID: "s1", Forms: []Form{{"image/png", nil}}},
		"no session":        {Forms: []Form{{"image/png", raster}}},
		"a hostile session": {SessionID: "../../etc", Forms: []Form{{"image/png", raster}}},
	} {
		if _, err := l.Images.Add(ctx, n); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// AddImages tells of what it has added without asking the database for it.
func TestWhatIsAddedIsWhatIsFound(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	require.NoError(t, l.Executions.Put(ctx, Execution{ID: "e1", SessionID: "s1", Code: "plot()", Status: "running", CreatedAt: time.Now()}))
	old := add(t, l, 1)
	raster, figure := picturePNG(t, 2, 0), []byte(`{"data":[]}`)
	added, err := l.Images.AddAll(ctx, []NewImage{
		{
			SessionID: "s1", ExecutionID: "e1", Client: "test 1.0", Title: "気温\x00 \xff", DisplayID: "d1", Replaces: old.ImageID,
			Forms: []Form{{"image/png", raster}, {"application/vnd.plotly.v1+json", figure}},
		},
		{SessionID: "s1", Description: "a line", Interactive: "plotly", Forms: []Form{{"application/vnd.plotly.v1+json", figure}}},
		{SessionID: "s2", ExecutionID: "e2", CreatedAt: time.Now().Add(-time.Hour), Forms: []Form{{"image/png", raster}}},
		{SessionID: "s1", Forms: []Form{{"image/png", raster}}},
	})
	require.NoError(t, err)
	told, err := l.Images.Add(ctx, NewImage{SessionID: "s1", ExecutionID: "e1", Code: "plot()", Forms: []Form{{"image/png", raster}}})
	require.NoError(t, err)
	added = append(added, told)
	for i, n := range []int{1, 2, 1, 3, 4} {
		if added[i].N != n {
			t.Errorf("image %d is the %d. of its session, want %d", i, added[i].N, n)
		}
		found, err := l.Images.Image(ctx, added[i].ImageID)
		if err != nil || !reflect.DeepEqual(added[i], found) {
			t.Errorf("%v\nadded %+v\nfound %+v", err, added[i], found)
		}
	}
	if added[0].Code != "plot()" || added[0].Replaces != old.ResourceURI {
		t.Errorf("got %+v", added[0])
	}
}

func TestAnUpdateNamesWhatItReplaces(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	old := add(t, l, 1)
	for _, by := range []string{old.ImageID, old.ResourceURI} {
		if im := add(t, l, 2, func(n *NewImage) { n.Replaces = by }); im.Replaces != old.ResourceURI {
			t.Errorf("got %q", im.Replaces)
		}
	}
	_, err := l.Images.Add(t.Context(), NewImage{SessionID: "s1", Replaces: "nobody", Forms: []Form{{"image/png", []byte("x")}}})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestNumbersAndIDsAreUniqueAndGrowWithManyAtOnce(t *testing.T) {
	ctx := t.Context()
	now := time.Now()
	l := open(t, t.TempDir(), Options{Now: func() time.Time { return now }}) // a clock that stands still
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			last := Image{}
			for i := range 25 {
				im, err := l.Images.Add(ctx, NewImage{SessionID: "s1", Forms: []Form{{"image/png", fmt.Appendf(nil, "%d-%d", worker, i)}}})
				if err != nil {
					t.Error(err)
					return
				}
				if im.ImageID <= last.ImageID || im.N <= last.N {
					t.Errorf("%s, %d after %s, %d", im.ImageID, im.N, last.ImageID, last.N)
				}
				last = im
			}
		})
	}
	wg.Wait()
	images, _, err := l.Images.Page(ctx, All(), Page{Limit: 500})
	require.NoError(t, err)
	seen := make(map[int]bool)
	for _, im := range images {
		seen[im.N] = true
		if len(im.ImageID) != naming.Length {
			t.Errorf("id %s", im.ImageID)
		}
	}
	if len(seen) != 100 || !seen[1] || !seen[100] {
		t.Errorf("%d numbers", len(seen))
	}
}

func TestIDsGrowAlsoAfterTheClockWasPutBack(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(t.Context(), dir, Options{})
	require.NoError(t, err)
	before := add(t, l, 1)
	require.NoError(t, l.Close())
	l = open(t, dir, Options{Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	if after := add(t, l, 2); after.ImageID <= before.ImageID {
		t.Errorf("%s after %s", after.ImageID, before.ImageID)
	}
}

func TestOnlyExistingNamesFindAnImage(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := add(t, l, 1)
	for _, bad := range []string{
		"", "x", naming.URI("s2", im.ImageID, "png"), naming.URI("s1", im.ImageID, "jpg"), naming.URI("s1", strings.ToUpper(im.ImageID), "png"), "jupyter://sessions/s1/images/", "../" + im.ImageID,
	} {
		if _, err := l.Images.Image(ctx, bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if images, err := l.Images.Get(ctx, "x", im.ResourceURI, "y", im.ImageID); err != nil || len(images) != 2 {
		t.Errorf("%d images, %v", len(images), err)
	}
}

func TestImageAtFindsTheNewestImageOfAFile(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	a, b, other := add(t, l, 1), add(t, l, 1), add(t, l, 2)
	if a.Path != b.Path || a.Path == other.Path {
		t.Fatalf("paths %s, %s, %s", a.Path, b.Path, other.Path)
	}
	at := func(path, want string) {
		t.Helper()
		switch im, err := l.Images.ImageAt(ctx, path); {
		case want == "" && !errors.Is(err, ErrNotFound):
			t.Errorf("%q: got %s, %v", path, im.ImageID, err)
		case want != "" && (err != nil || im.ImageID != want || im.Path != path):
			t.Errorf("%q: got %s, %v, want %s", path, im.ImageID, err, want)
		}
	}
	at(other.Path, other.ImageID)
	at(a.Path, b.ImageID)
	require.NoError(t, l.Images.Trash(ctx, []string{b.ImageID}))
	at(a.Path, a.ImageID)
	require.NoError(t, l.Images.Trash(ctx, []string{a.ImageID}))
	at(a.Path, "")
	for _, path := range []string{
		"", "x", ".", "/", filepath.Base(other.Path), "/elsewhere/" + filepath.Base(other.Path), other.Path + ".png",
		strings.TrimSuffix(other.Path, ".png"), filepath.Dir(other.Path), l.s.path(imagesDir, "x.png"),
	} {
		at(path, "")
	}
}

// An index that a later version added is in the library of an earlier one too.
func TestImageAtInALibraryFromBefore(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	a := add(t, l, 1)
	require.NoError(t, l.Close())
	asBefore(t, dir, 3)
	l = open(t, dir, Options{})
	if im, err := l.Images.ImageAt(t.Context(), a.Path); err != nil || im.ImageID != a.ImageID {
		t.Errorf("got %s, %v", im.ImageID, err)
	}
	var version int
	if err := l.s.ro.QueryRowContext(t.Context(), "pragma user_version").Scan(&version); err != nil || version != len(migrations) {
		t.Errorf("schema %d, %v", version, err)
	}
}
