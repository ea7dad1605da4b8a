package folders

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// manyFiles fills a directory with more files than are listed at a time.
func manyFiles(t *testing.T) (dir string, n int) {
	t.Helper()
	dir, n = t.TempDir(), 3*listedAtATime
	png := write(t, dir, "0.png", pngOf(t, 3, 3))
	for i := 1; i < n; i++ {
		require.NoError(t, os.Link(png, filepath.Join(dir, strconv.Itoa(i)+".png")))
	}
	return dir, n
}

// stepwise lets a test look at a directory after each part of its listing.
func stepwise(t *testing.T) (steps chan int, goOn chan struct{}, edit func(*Options)) {
	steps, goOn = make(chan int), make(chan struct{})
	return steps, goOn, func(o *Options) {
		o.page = 1
		o.listed = func(n int) {
			select {
			case steps <- n:
				<-goOn
			case <-t.Context().Done():
			}
		}
	}
}

func TestALargeFolderIsOpenBeforeItIsListed(t *testing.T) {
	dir, n := manyFiles(t)
	steps, goOn, edit := stepwise(t)
	d, _ := openDir(t, dir, openLibrary(t), edit)
	first := <-steps
	if got := list(t, d, all("name", true)); len(got) != first || first >= n {
		t.Errorf("%d of %d files at first, then %d", first, n, len(got))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.WaitListed(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("it is listed: %v", err)
	}
	before := d.o.Changes.Last()
	goOn <- struct{}{}
	second := <-steps
	if d.o.Changes.Summary(before, d.o.Changes.Last()).What&feed.More == 0 || second <= first {
		t.Errorf("nobody was told of %d files after %d", second, first)
	}
	goOn <- struct{}{}
	<-steps
	close(goOn)
	require.NoError(t, d.WaitListed(t.Context(), nil))
	if got := list(t, d, all("name", true)); len(got) != n || got[0] != "0.png" || got[10] != "10.png" || d.Stopped() {
		t.Errorf("%d files: %q", len(got), got[:11])
	}
	waitLoaded(t, d)
	for _, c := range changesSince(d, 0) {
		if c.What == feed.Added {
			t.Fatal("a file that was there is told as a new one")
		}
	}
}

func changesSince(d *Directory, revision uint64) []feed.Change {
	all, _ := d.o.Changes.Since(revision, d.o.Changes.Last())
	return all
}

func TestAListingIsStopped(t *testing.T) {
	dir, n := manyFiles(t)
	steps, goOn, edit := stepwise(t)
	d, _ := openDir(t, dir, openLibrary(t), edit)
	first := <-steps
	d.StopListing()
	goOn <- struct{}{}
	require.NoError(t, d.WaitListed(t.Context(), nil))
	if got := list(t, d, all("name", true)); len(got) < first || len(got) >= n || !d.Stopped() {
		t.Errorf("%d of %d files, stopped: %v", len(got), n, d.Stopped())
	}
	waitLoaded(t, d)
}

func TestSubfoldersAreIncluded(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/1.png", "a/10.png", "a/2.png", "写真/冬/x.png", ".hidden/h.png", "private/p.png"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		write(t, filepath.Dir(path), filepath.Base(path), pngOf(t, 4, 4))
	}
	write(t, root, "top.png", pngOf(t, 5, 5))
	require.Link(t, root, filepath.Join(root, "a", "loop"))
	deep := func(o *Options) {
		o.Reach = Reach{Deep: true, Except: func(path string) bool { return filepath.Base(path) == "private" }}
		o.Poll = 10 * time.Millisecond
	}
	for _, noTip := range []bool{false, true} {
		d, r := openDir(t, root, openLibrary(t), deep, func(o *Options) { o.noTip = noTip })
		want := []string{filepath.Join("a", "1.png"), filepath.Join("a", "2.png"), filepath.Join("a", "10.png"), "top.png", filepath.Join("写真", "冬", "x.png")}
		if got := list(t, d, all("name", true)); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for _, ref := range []string{filepath.Join("写真", "冬", "x.png"), filepath.Join(root, "a", "2.png"), filepath.Join(d.real, "a", "2.png")} {
			if im, err := d.Image(t.Context(), ref); err != nil || im.Path == "" {
				t.Errorf("%s: %v", ref, err)
			}
		}
		if _, err := d.Image(t.Context(), filepath.Join("..", filepath.Base(root), "top.png")); err == nil {
			t.Error("a path leads out of the folder")
		}
		waitLoaded(t, d)
		late := "late" + strconv.FormatBool(noTip)
		require.NoError(t, os.Mkdir(filepath.Join(root, "写真", late), 0o700))
		write(t, filepath.Join(root, "写真", late), "n.png", pngOf(t, 6, 6))
		r.until(t, "a file in a new subfolder", func(c Change) bool {
			return len(c.Added) == 1 && c.Added[0].Title == filepath.Join("写真", late, "n.png")
		})
		write(t, filepath.Join(root, "写真", late), "m.png", pngOf(t, 7, 7))
		r.until(t, "another", func(c Change) bool { return len(c.Added) == 1 && c.Added[0].Width == 7 })
		require.NoError(t, os.RemoveAll(filepath.Join(root, "写真", late)))
		r.until(t, "that they are gone", func(c Change) bool { return len(c.Removed) > 0 })
		d.Close()
	}
}

// TestReadingDoesNotChangeTheList checks that who shows a large directory does not list it again and again while its
// files are read, but does when a file turns out to be a picture although its name does not say so.
func TestReadingDoesNotChangeTheList(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		more bool
	}{"a picture": {"x.png", false}, "no picture": {"notes", false}, "a picture without an extension": {"scan", true}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			data := pngOf(t, 3, 3)
			if name == "no picture" {
				data = []byte("hello")
			}
			write(t, dir, c.file, data)
			d, _ := openDir(t, dir, openLibrary(t))
			waitLoaded(t, d)
			what := d.o.Changes.Summary(0, d.o.Changes.Last()).What
			shown := func(q library.Query) library.Query {
				q.URIPrefix = Scheme + dir
				return q
			}
			for _, by := range []string{"", "name", "size"} {
				if got := shown(all(by, false)).AffectedBy(what); got != c.more {
					t.Errorf("sorted by %q, the list is read again: %v", by, got)
				}
			}
			rated := shown(library.Query{Rating: 0, RatingOp: "="})
			if known := name != "no picture"; rated.AffectedBy(what) != known {
				t.Error("the stars of a file are known when it was read")
			}
		})
	}
}

// TestAListingSaysWhetherItGoesOn checks what callers ask before they count files.
func TestAListingSaysWhetherItGoesOn(t *testing.T) {
	dir, _ := manyFiles(t)
	steps, goOn, edit := stepwise(t)
	d, _ := openDir(t, dir, openLibrary(t), edit)
	<-steps
	if !d.Listing() {
		t.Error("a directory of which a part is listed counts as listed")
	}
	close(goOn)
	<-steps
	<-steps
	require.NoError(t, d.WaitListed(t.Context(), nil))
	if d.Listing() {
		t.Error("it is listed, but does not know it")
	}
}

// TestTheReaderGivesWay checks that files are not read while somebody waits for a picture, but are if that never ends.
func TestTheReaderGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(Directory)
		gaveWay := func() time.Duration {
			began := time.Now()
			d.giveWay(t.Context())
			return time.Since(began)
		}
		if got := gaveWay(); got != 0 {
			t.Errorf("it waits %v for nobody", got)
		}
		d.wants()
		if got := gaveWay(); got != wayAfter {
			t.Errorf("it waits %v after a picture", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				d.wants()
				select {
				case <-time.After(wayAfter / 2):
				case <-ctx.Done():
				}
			}
		}()
		synctest.Wait()
		if got := gaveWay(); got != wayMost {
			t.Errorf("it waits %v while somebody scrolls", got)
		}
		cancel()
		<-ended
	})
}

// TestNamesInASCIIAreComparedAsTheirKeys checks the quick comparison against the keys that it does not make.
func TestNamesInASCIIAreComparedAsTheirKeys(t *testing.T) {
	parts := []string{"a", "A", "b", "Z", "_", ".png", "0", "00", "7", "10", "007", "l", "m", " ", strings.Repeat("9", 59), strings.Repeat("9", 60), strings.Repeat("1", 61), "1a"}
	random := rand.New(rand.NewPCG(1, 2))
	name := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	sure := 0
	for range 50_000 {
		a, b := name(), name()
		want := cmp.Or(strings.Compare(nameKey(a), nameKey(b)), strings.Compare(a, b))
		if got := compareNames(a, b); got != want {
			t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
		}
		if _, yes := compareASCII(a, b); yes {
			sure++
		}
	}
	if sure < 30_000 {
		t.Errorf("only %d comparisons were quick", sure)
	}
}

// TestFilesOfOneTimeAreInTheOrderOfTheirNames checks the order of files that a copy gave the same time.
func TestFilesOfOneTimeAreInTheOrderOfTheirNames(t *testing.T) {
	dir := t.TempDir()
	names := []string{"2.png", "10.png", "あ.png", "B.png", "a.png", "old.png"}
	for _, n := range names {
		path := write(t, dir, n, pngOf(t, 3, 3))
		at := time.Unix(1e9, 0)
		if n == "old.png" {
			at = at.Add(-time.Nanosecond)
		}
		require.NoError(t, os.Chtimes(path, at, at))
	}
	d, _ := openDir(t, dir, openLibrary(t))
	want := []string{"old.png", "2.png", "10.png", "a.png", "B.png", "あ.png"}
	for _, by := range []string{"", "created", "modified"} {
		if got := list(t, d, all(by, true)); !slices.Equal(got, want) {
			t.Errorf("by %q: %q", by, got)
		}
	}
	slices.Reverse(want)
	if got := list(t, d, all("created", false)); !slices.Equal(got, want) {
		t.Errorf("the latest first: %q", got)
	}
}
