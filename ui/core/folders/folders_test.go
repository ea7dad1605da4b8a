package folders

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/prompts"
)

func TestFilesAreKnownByTheirBytes(t *testing.T) {
	dir := t.TempDir()
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><g/></svg>`)
	whole := pngOf(t, 64, 48)
	for name, data := range map[string][]byte{
		"a.png": whole, "b.jpg": jpegOf(t), "c.gif": gifOf(t), "d.svg": svg, "no extension": whole, "lies.png": jpegOf(t), "odd.txt": whole,
		"text.png": []byte("hello"), "empty.jpg": nil, "cut.png": whole[:len(whole)-20], "cut.jpg": jpegOf(t)[:300], "cut.svg": svg[:40], "cut.gif": gifOf(t)[:20],
		"bomb.png": bomb(t, 60_000, 60_000), "sly.png": bomb(t, 9_000, 9_000), "header.png": whole[:20],
		"notes.txt": []byte("no picture"), "data.bin": make([]byte, 4<<20), ".hidden.png": whole, "moving.gif": movieOf(t, 3),
	} {
		write(t, dir, name, data)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub.png"), 0o700))
	d, _ := openDir(t, dir, openLibrary(t))
	waitLoaded(t, d)
	want := map[string]string{
		"a.png": "PNG image, 64×48 px", "b.jpg": "JPEG image, 20×10 px", "c.gif": "GIF image, 4×5 px", "d.svg": "SVG image, 30×40 px",
		"moving.gif":   "GIF animation, 4×5 px, 3 frames",
		"no extension": "PNG image, 64×48 px", "odd.txt": "PNG image, 64×48 px", "lies.png": "JPEG image, 20×10 px, although its name says PNG",
		"text.png": "! no picture, although its name says so", "empty.jpg": "! an empty file",
		"cut.png":    "! PNG image, 64×48 px, cut off: the file ends before its picture does",
		"cut.jpg":    "! JPEG, damaged: damaged image: unexpected EOF",
		"cut.svg":    "! no picture, although its name says so",
		"cut.gif":    "! GIF image, 4×5 px, cut off: the file ends before its picture does",
		"bomb.png":   "! PNG image, too large to be shown: 60000×60000 px",
		"sly.png":    "! PNG image, 9000×9000 px, damaged: damaged image: 67 bytes cannot hold 9000×9000 pixels",
		"header.png": "! PNG, damaged: damaged image: unexpected EOF",
	}
	got := make(map[string]string)
	ids, err := d.IDs(t.Context(), all("name", true))
	require.NoError(t, err)
	images, err := d.Get(t.Context(), ids...)
	require.NoError(t, err)
	for _, im := range images {
		got[im.Title] = im.Description
		if im.Problem != problemOf(im.Description) {
			t.Errorf("%s: the problem is %q", im.Description, im.Problem)
		}
		if im.Broken {
			got[im.Title] = "! " + im.Description
		}
		if moves := im.Title == "moving.gif"; moves != (im.Frames == 3) || !moves && im.Frames != 0 {
			t.Errorf("%s: %d frames", im.Title, im.Frames)
		}
		if im.ResourceURI != "" || im.SessionID != "" || im.Path != filepath.Join(dir, im.Title) {
			t.Errorf("%+v", im)
		}
	}
	for _, n := range []string{"sly.png", "header.png", "cut.jpg", "cut.svg"} { // the size in it depends on the encoder
		if g := got[n]; strings.HasPrefix(g, "! ") && (strings.Contains(g, "damaged") || strings.Contains(g, "cut off") || strings.Contains(g, "no picture")) {
			want[n] = g
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if total, matching, err := d.Count(t.Context(), all("", false)); total != len(want) || matching != total || err != nil {
		t.Errorf("%d, %d, %v", total, matching, err)
	}
}

// problemOf is the code of what a description says is wrong.
func problemOf(description string) string {
	for words, code := range map[string]string{
		"an empty file": library.ProblemEmpty, "no picture,": library.ProblemNoPicture, "too large": library.ProblemTooLarge,
		"damaged:": library.ProblemDamaged, "cut off:": library.ProblemCut, "cannot be read": library.ProblemUnreadable,
		", although its name says ": library.ProblemMisnamed,
	} {
		if strings.Contains(description, words) && (code != library.ProblemMisnamed || !strings.Contains(description, "although its name says so")) {
			return code
		}
	}
	return ""
}

func TestABombCostsNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.png", bomb(t, 60_000, 60_000))
	write(t, dir, "b.png", bomb(t, 16_000, 6_000))
	var before, after runtime.MemStats
	d, _ := openDir(t, dir, openLibrary(t))
	runtime.ReadMemStats(&before)
	waitLoaded(t, d)
	ids, _ := d.IDs(t.Context(), all("", false))
	for _, id := range ids {
		if _, err := d.Thumb(t.Context(), id, 256); err == nil {
			t.Error("a bomb has a thumbnail")
		}
	}
	runtime.ReadMemStats(&after)
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 8<<20 {
		t.Errorf("it cost %d MB", cost>>20)
	}
}

func TestHostileNamesAreShownAndFound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows allows no such names")
	}
	dir := t.TempDir()
	for _, name := range []string{"a\nb.png", "\u202egnp.exe.png", "bad\xff.png", "日本 語.png", "-rf.png", strings.Repeat("x", 200) + ".png"} {
		write(t, dir, name, pngOf(t, 3, 3))
	}
	d, _ := openDir(t, dir, openLibrary(t))
	names := list(t, d, all("name", true))
	if len(names) != 6 || slices.ContainsFunc(names, func(n string) bool { return strings.ContainsAny(n, "\n\u202e") || !utf8.ValidString(n) }) {
		t.Errorf("got %q", names)
	}
}

func TestOrdersAndFilters(t *testing.T) {
	dir, l := t.TempDir(), openLibrary(t)
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range []string{"Plot 10.png", "plot 2.png", "plot 1.png"} {
		data := withText(t, pngOf(t, 10+i, 10), "parameters", fmt.Sprintf("(cat_%d:1.2), tree\nSteps: 1, Sampler: x, Seed: 2", i))
		data = append(data, make([]byte, 10*i)...)
		path := write(t, dir, name, data)
		require.NoError(t, os.Chtimes(path, base, base.Add(time.Duration(i)*time.Hour)))
	}
	d, _ := openDir(t, dir, l)
	waitLoaded(t, d) // a filter waits for what the files hold, but not for long
	id := func(name string) string {
		im, err := d.Image(t.Context(), name)
		require.NoError(t, err)
		return im.ImageID
	}
	if _, err := mark(t, d, l, []string{id("plot 2.png")}, func(m *library.Marks) error { return m.SetRating(4) }); err != nil {
		t.Fatal(err)
	}
	if _, err := mark(t, d, l, []string{id("plot 1.png")}, func(m *library.Marks) error { return m.SetTags([]string{"Keep"}, nil) }); err != nil {
		t.Fatal(err)
	}
	one, two, ten := "plot 1.png", "plot 2.png", "Plot 10.png"
	for name, tc := range map[string]struct {
		q    library.Query
		want []string
	}{
		"by name":              {all("name", true), []string{one, two, ten}},
		"by name, down":        {all("name", false), []string{ten, two, one}},
		"newest first":         {all("modified", false), []string{one, two, ten}},
		"by rating":            {all("rating", false), []string{two, ten, one}},
		"by size":              {all("size", true), []string{ten, two, one}},
		"by session":           {all("session", true), []string{one, two, ten}},
		"rated":                {library.Query{Rating: 3, RatingOp: ">=", Asc: true}, []string{two}},
		"not rated":            {library.Query{Rating: 0, RatingOp: "=", SortBy: "name", Asc: true}, []string{one, ten}},
		"at most":              {library.Query{Rating: 3, RatingOp: "<=", SortBy: "name", Asc: true}, []string{one, ten}},
		"the user's tag":       {library.Query{Rating: -1, Tags: []string{"KEEP"}}, []string{one}},
		"a tag of the prompt":  {library.Query{Rating: -1, Tags: []string{"cat 1"}}, []string{two}},
		"both":                 {library.Query{Rating: -1, Tags: []string{"keep", "tree"}}, []string{one}},
		"any":                  {library.Query{Rating: -1, Tags: []string{"keep", "cat_1"}, AnyTag: true, SortBy: "name", Asc: true}, []string{one, two}},
		"a word of the prompt": {library.Query{Rating: -1, Text: "CAT_0"}, []string{ten}},
		"a word of the name":   {library.Query{Rating: -1, Text: "plot １0"}, []string{ten}},
		"no such word":         {library.Query{Rating: -1, Text: "dog"}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := list(t, d, tc.q); !cmp.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if _, err := d.IDs(t.Context(), library.Query{RatingOp: "<>"}); !errors.Is(err, library.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if d.Latest() != id(one) {
		t.Error("the latest is another")
	}
	info, err := d.Prompt(t.Context(), id(two))
	if err != nil || info.Seed != "2" || !cmp.Equal(info.Tags, []string{"cat_1", "tree"}) {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestARatingBelongsToTheBytes(t *testing.T) {
	dir, l := t.TempDir(), openLibrary(t)
	a, b := pngOf(t, 10, 10), pngOf(t, 11, 11)
	write(t, dir, "a.png", a)
	write(t, dir, "twin.png", a)
	write(t, dir, "b.png", b)
	d, r := openDir(t, dir, l)
	waitLoaded(t, d)
	im, err := d.Image(t.Context(), "a.png")
	require.NoError(t, err)
	if got, err := mark(t, d, l, []string{im.ImageID}, func(m *library.Marks) error { return m.SetRating(5) }); err != nil || len(got) != 1 || got[0].Rating != 5 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := mark(t, d, l, []string{im.ImageID}, func(m *library.Marks) error { return m.SetRating(6) }); !errors.Is(err, library.ErrInvalid) {
		t.Errorf("six stars: %v", err)
	}
	if _, err := mark(t, d, l, []string{"file:none"}, func(m *library.Marks) error { return m.SetRating(1) }); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("a file that is not there: %v", err)
	}
	rated := func() string {
		return strings.Join(list(t, d, library.Query{Rating: 5, RatingOp: "=", SortBy: "name", Asc: true}), " ")
	}
	if got := rated(); got != "a.png twin.png" {
		t.Errorf("equal files share stars; got %q", got)
	}
	require.NoError(t, os.Rename(filepath.Join(dir, "a.png"), filepath.Join(dir, "z.png")))
	r.until(t, "the rename", func(c Change) bool { return len(c.Added) == 1 && c.Added[0].Title == "z.png" && c.Added[0].Rating == 5 })
	if got := rated(); got != "twin.png z.png" {
		t.Errorf("after a rename: %q", got)
	}
	write(t, dir, "z.png", b) // another picture of the same name has no stars
	r.until(t, "the change", func(c Change) bool { return len(c.Changed) > 0 && c.Changed[0].Rating == 0 })
	if got := rated(); got != "twin.png" {
		t.Errorf("after a change: %q", got)
	}
	d.Close()
	again, _ := openDir(t, dir, l)
	waitLoaded(t, again)
	if got := strings.Join(list(t, again, library.Query{Rating: 5, RatingOp: "="}), " "); got != "twin.png" {
		t.Errorf("after opening again: %q", got)
	}
}

func TestADirectoryIsWatched(t *testing.T) {
	for name, edit := range map[string]func(*Options){
		"by the system's news": func(*Options) {},
		"by looking":           func(o *Options) { o.noTip, o.Poll = true, 20*time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pictures")
			require.NoError(t, os.Mkdir(dir, 0o700))
			d, r := openDir(t, dir, openLibrary(t), edit, func(o *Options) {
				if o.Poll == 0 {
					o.Poll = 50 * time.Millisecond
				}
			})
			waitLoaded(t, d)
			path := write(t, dir, "new.png", pngOf(t, 7, 8))
			r.until(t, "a new file", func(c Change) bool { return len(c.Added) == 1 && c.Added[0].Width == 7 })
			write(t, dir, "new.png", pngOf(t, 17, 18))
			r.until(t, "a changed file", func(c Change) bool { return len(c.Changed) == 1 && c.Changed[0].Width == 17 })
			require.NoError(t, os.Remove(path))
			r.until(t, "a removed file", func(c Change) bool { return len(c.Removed) == 1 && c.Removed[0].Title == "new.png" })
			write(t, dir, "nameless", pngOf(t, 9, 9))
			r.until(t, "a picture without a name for it", func(c Change) bool { return len(c.Added) == 1 && c.Added[0].Width == 9 })
			require.NoError(t, os.RemoveAll(dir))
			r.until(t, "the end of the directory", func(c Change) bool { return len(c.Removed) == 1 })
			require.NoError(t, os.Mkdir(dir, 0o700))
			write(t, dir, "back.png", pngOf(t, 3, 3))
			r.until(t, "its return", func(c Change) bool { return len(c.Added) == 1 && c.Added[0].Title == "back.png" })
		})
	}
}

func TestTenThousandFilesDoNotStall(t *testing.T) {
	dir := t.TempDir()
	const n = 10_000
	first := write(t, dir, "0.png", withText(t, pngOf(t, 20, 20), "parameters", "tree\nSteps: 1, Seed: 2, Size: 1x1"))
	for i := 1; i < n; i++ {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprintf("%d.png", i))); err != nil {
			t.Skip("no hard links here:", err)
		}
	}
	l := openLibrary(t)
	began := time.Now()
	d, _ := openDir(t, dir, l)
	require.NoError(t, d.WaitListed(t.Context(), nil))
	ids, err := d.IDs(t.Context(), all("name", true))
	if err != nil || len(ids) != n {
		t.Fatalf("%d ids, %v", len(ids), err)
	}
	page, err := d.Get(t.Context(), ids[:50]...)
	if err != nil || len(page) != 50 || page[2].Title != "2.png" || page[49].Width != 20 {
		t.Fatalf("a page: %v", err)
	}
	paged := time.Since(began)
	waitLoaded(t, d)
	at := time.Now()
	tagged, err := d.IDs(t.Context(), library.Query{Rating: -1, Tags: []string{"tree"}, SortBy: "rating"})
	if err != nil || len(tagged) != n {
		t.Errorf("%d have the tag, %v", len(tagged), err)
	}
	if paged > 30*time.Second || time.Since(at) > 30*time.Second {
		t.Error("that is a stall")
	}
}

func TestReadingAndThumbs(t *testing.T) {
	dir := t.TempDir()
	data := pngOf(t, 300, 200)
	write(t, dir, "a.png", data)
	write(t, dir, "b.svg", []byte(`<svg width="3" height="4"/>`))
	d, _ := openDir(t, dir, openLibrary(t))
	im, err := d.Image(t.Context(), "a.png")
	require.NoError(t, err)
	got, _, err := d.Read(t.Context(), im.ImageID)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	thumb, err := d.Thumb(t.Context(), im.ImageID, 100)
	if err != nil || thumb.Bounds().Dx() != 100 {
		t.Errorf("%v, %v", thumb, err)
	}
	svg, err := d.Image(t.Context(), "b.svg")
	require.NoError(t, err)
	if _, err := d.Thumb(t.Context(), svg.ImageID, 100); !errors.Is(err, picture.ErrNoRaster) { // a collection draws it
		t.Errorf("an SVG: %v", err)
	}
	require.NoError(t, os.Remove(im.Path))
	if _, _, err := d.Read(t.Context(), im.ImageID); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestWhatEaselExportedTellsItsCode(t *testing.T) {
	dir := t.TempDir()
	data, err := prompts.Embed(pngOf(t, 9, 9), prompts.Provenance{Code: "plt.plot(1)", Client: "claude-code 2.1"})
	require.NoError(t, err)
	write(t, dir, "a.png", data)
	d, _ := openDir(t, dir, openLibrary(t))
	im, err := d.Image(t.Context(), "a.png")
	if err != nil || im.Code != "plt.plot(1)" || im.Client != "claude-code 2.1" {
		t.Errorf("%+v, %v", im, err)
	}
	if got := list(t, d, library.Query{Rating: -1, Text: "plt.plot"}); len(got) != 1 {
		t.Errorf("a search finds %q", got)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a.png", pngOf(t, 3, 3))
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrNotDirectory) {
		t.Errorf("a file: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// The order of a large folder is found once, and not again whenever more files have been read.
func TestAFolderIsSortedAgainOnlyIfItsFilesChange(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.png", "a.png", "c.png"} {
		write(t, dir, name, pngOf(t, 8, 6))
	}
	d, _ := openDir(t, dir, openLibrary(t))
	require.NoError(t, d.WaitListed(t.Context(), nil))
	names := func(by string) (names []string) {
		ids, err := d.IDs(t.Context(), library.Query{Rating: -1, SortBy: by, Asc: true})
		require.NoError(t, err)
		images, err := d.Get(t.Context(), ids...)
		require.NoError(t, err)
		for _, im := range images {
			names = append(names, im.Title)
		}
		return names
	}
	kept := func() *entry {
		d.mu.Lock()
		defer d.mu.Unlock()
		order := d.ordered[order{"name", true}]
		if len(order) == 0 {
			return nil
		}
		slices.Reverse(order) // to see whether it is used
		return order[0]
	}
	if got := names("name"); !slices.Equal(got, []string{"a.png", "b.png", "c.png"}) || kept() == nil {
		t.Fatalf("%v, and the order is not kept", got)
	}
	if got := names("name"); !slices.Equal(got, []string{"c.png", "b.png", "a.png"}) {
		t.Errorf("it was sorted again: %v", got)
	}
	write(t, dir, "d.png", pngOf(t, 8, 6))
	require.NoError(t, d.relist(t.Context(), func(string) {}))
	if got := names("name"); !slices.Equal(got, []string{"a.png", "b.png", "c.png", "d.png"}) {
		t.Errorf("with a new file: %v", got)
	}
	names("size")
	if got := names("name"); !slices.Equal(got, []string{"a.png", "b.png", "c.png", "d.png"}) {
		t.Errorf("after another order: %v", got)
	}
}
