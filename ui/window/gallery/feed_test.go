package gallery

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/ui/core/collection"
	"easel/ui/core/coretest"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// TestWhatWasReadBeforeALaterRevisionIsNotShown covers a new plot that is rated after
// it was read but before the window shows it. The image that was read has no stars, and
// nothing would make the window read it again.
func TestWhatWasReadBeforeALaterRevisionIsNotShown(t *testing.T) {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	lib.Add(0, "", "")
	q := uitest.NewQueue()
	shown, answers := map[string]bool{}, 0
	f := NewFeed(lib, q.Do, func(library.Query, Answer) { answers++ }, func(images []library.Image) {
		for _, im := range images {
			shown[im.ImageID] = true
		}
	})
	t.Cleanup(f.Close)
	f.ahead = func([]library.Image) {}
	read := make(chan struct{})
	ask := func(revision uint64) {
		t.Helper()
		if !f.AskOnce(library.Query{Rating: -1}, revision, func() { read <- struct{}{} }) {
			t.Fatal("it was not asked")
		}
		<-read
	}
	ask(1)
	q.Until(t, "the first answer", func() bool { return answers == 1 })

	late := lib.Add(0, "", "")
	ask(2)
	lib.Changes().Lose()
	ask(3) // before the window shows the answer
	q.Until(t, "both answers", func() bool { return answers == 3 })
	if shown[late] {
		t.Error("what was read of it before the last revision is shown")
	}
	soon := lib.Add(0, "", "")
	ask(4)
	q.Until(t, "the last answer", func() bool { return answers == 4 })
	if !shown[soon] {
		t.Error("a plot that nothing has changed since does not come with the answer")
	}
}

func plain(t testing.TB, w, h int, c color.Color) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func put(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
}

// openFolder returns a grid that shows a directory and follows its changes.
func openFolder(t testing.TB, dir string) (*Grid, *uitest.Queue) {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	lib := coretest.Open(t)
	q := uitest.NewQueue()
	var g *Grid
	query := library.Query{Rating: -1, URIPrefix: folders.Scheme + dir, SortBy: "name", Asc: true}
	c := collection.New(lib, slog.New(slog.DiscardHandler))
	k := &kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do, Now: time.Now}
	g = NewGrid(k, c, 176, Actions{Select: func([]string, string) {}})
	w := test.NewWindow(g)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(800, 600))
	t.Cleanup(func() {
		g.Close()
		c.Close()
		w.Close()
	})
	if _, err := c.OpenDirectory(t.Context(), dir, folders.Reach{}); err != nil {
		t.Fatal(err)
	}
	g.Ask(query)
	var following sync.WaitGroup
	following.Go(func() {
		for now := c.Changes().Last(); ; now = c.Changes().Last() {
			select {
			case <-c.Changes().More(now):
				q.Do(func() { g.Renew(c.Changes().Last()); g.Ask(query) })
			case <-t.Context().Done():
				return
			}
		}
	})
	t.Cleanup(following.Wait)
	return g, q
}

func (g *Grid) showing(i int) (c *cell, pixel color.Color) {
	c = g.cells[g.list.ids[i]]
	if c == nil || c.shown == nil {
		return c, color.Transparent
	}
	return c, c.shown.At(1, 1)
}

func TestAFileThatBecomesAnotherIsShownAnew(t *testing.T) {
	dir := t.TempDir()
	red, blue := color.RGBA{200, 0, 0, 255}, color.RGBA{0, 0, 200, 255}
	put(t, dir, "a.png", plain(t, 40, 30, red))
	g, q := openFolder(t, dir)
	is := func(want color.RGBA) func() bool {
		return func() bool {
			if len(g.list.ids) != 1 {
				return false
			}
			_, got := g.showing(0)
			return color.RGBAModel.Convert(got) == want
		}
	}
	q.Until(t, "the file", is(red))
	put(t, dir, "a.png", plain(t, 40, 31, blue))
	q.Until(t, "the file as it is now", is(blue))
}

func TestWhatCannotBeShownSaysWhy(t *testing.T) {
	dir := t.TempDir()
	whole := plain(t, 400, 300, color.White)
	put(t, dir, "a_cut.png", whole[:len(whole)-30])
	put(t, dir, "b_empty.png", nil)
	put(t, dir, "c_text.png", []byte("this is a text, and long enough to be one"))
	put(t, dir, "d_renamed.jpg", whole)
	put(t, dir, "e_right.png", whole)
	g, q := openFolder(t, dir)
	q.Until(t, "all that is known of five files", func() bool {
		if len(g.list.ids) != 5 || !g.Settled() {
			return false
		}
		for i := range 3 {
			if c, _ := g.showing(i); !c.im.Broken {
				return false
			}
		}
		return true
	})
	for i := range g.list.ids {
		if c, _ := g.showing(i); strings.Contains(c.detail.Full(), "#0") {
			t.Errorf("a file is called %q", c.detail.Full())
		}
	}
	if c, _ := g.showing(3); c.badgeT.Text != "PNG" {
		t.Errorf("a PNG named .jpg has the badge %q, want PNG", c.badgeT.Text)
	}
	for i, text := range []string{"The file is truncated", "Empty file", "Not an image", "", ""} {
		if c, _ := g.showing(i); c.failed.Text != text || (text == "") != (c.shown != nil) {
			t.Errorf("%s says %q and has a picture: %v; want %q", c.im.Title, c.failed.Text, c.shown != nil, text)
		}
	}
}

func TestTenThousandFilesScroll(t *testing.T) {
	dir := t.TempDir()
	data := plain(t, 64, 48, color.RGBA{30, 90, 200, 255})
	const files = 10_000
	put(t, dir, "plot00000.png", data)
	for i := 1; i < files; i++ {
		require.NoError(t, os.Link(filepath.Join(dir, "plot00000.png"), filepath.Join(dir, fmt.Sprintf("plot%05d.png", i))))
	}
	g, q := openFolder(t, dir)
	q.Until(t, "ten thousand files", func() bool { return len(g.list.ids) == files })
	for y := float32(0); y < g.flow.height()-600; y += g.flow.height() / 400 {
		g.scroll.Offset.Y = y
		g.scroll.OnScrolled(g.scroll.Offset)
		q.Drain()
	}
	g.Key(fyne.KeyEnd, 0)
	q.Until(t, "the last of them", func() bool {
		c := g.cells[g.list.ids[files-1]]
		return c != nil && c.shown != nil && c.im.Title == fmt.Sprintf("plot%05d.png", files-1)
	})
}

func TestAQuestionIsAskedOnceForEachRevision(t *testing.T) {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	lib.Add(0, "", "")
	lib.Changes().Lose()                                                 // revision 2
	lib.Changes().Append(feed.Change{ID: "img00001", What: feed.Rating}) // revision 3
	q := uitest.NewQueue()
	answers, told := 0, make(chan int, 9)
	f := NewFeed(lib, q.Do, func(library.Query, Answer) { answers++ }, func([]library.Image) {})
	then := func(n int) func() { return func() { told <- n } }
	all, best := library.Query{Rating: -1}, library.Query{Rating: 4, RatingOp: ">="}
	for i, s := range []struct {
		query    library.Query
		revision uint64
		want     bool
	}{{all, 1, true}, {all, 1, false}, {all, 2, true}, {all, 3, false}, {best, 2, true}, {best, 3, false}} {
		before := answers
		if got := f.AskOnce(s.query, s.revision, then(i)); got != s.want {
			t.Fatalf("step %d: asked %v, want %v", i, got, s.want)
		}
		if s.want {
			q.Until(t, "the answer", func() bool { return answers == before+1 })
			if n := <-told; n != i {
				t.Errorf("%d was told of the answer, want %d", n, i)
			}
		}
	}
	f.Close()
	if f.AskOnce(all, 9, then(9)) {
		t.Error("a feed that has ended took a question")
	}
	if len(told) > 0 {
		t.Errorf("%d was told too", <-told)
	}
}

// stuck is a library that answers only when its context ends.
type stuck struct {
	*uitest.Library
	began chan struct{}
}

func (s *stuck) List(ctx context.Context, _ library.Query) ([]library.ListEntry, error) {
	s.began <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestWhoWaitsForAnAnswerIsToldAlsoAtTheEnd(t *testing.T) {
	lib := &stuck{uitest.NewLibrary(t), make(chan struct{}, 1)}
	f := NewFeed(lib, uitest.NewQueue().Do, nil, nil)
	told := make(chan int, 3)
	f.AskOnce(library.Query{}, 1, func() { told <- 1 })
	<-lib.began
	if !f.AskOnce(library.Query{}, 1, func() { told <- 2 }) {
		t.Error("what is still being read counts as answered")
	}
	f.AskOnce(library.Query{}, 2, func() { told <- 3 })
	f.Close()
	if a, b, c := <-told, <-told, <-told; a != 1 || b != 2 || c != 3 {
		t.Errorf("told %d, %d and %d, want 1, 2 and 3", a, b, c)
	}
}

func TestWhoAwaitsAnAnswerIsToldOnlyIfOneIsToCome(t *testing.T) {
	lib := &stuck{uitest.NewLibrary(t), make(chan struct{}, 1)}
	f := NewFeed(lib, uitest.NewQueue().Do, nil, nil)
	told := make(chan struct{}, 2)
	then := func() { told <- struct{}{} }
	if f.Await(then) {
		t.Error("nothing was asked, and an answer is awaited")
	}
	f.AskOnce(library.Query{}, 1, nil)
	<-lib.began
	if !f.Await(then) {
		t.Error("what is being read is not awaited")
	}
	f.Close()
	if len(told) != 1 {
		t.Errorf("told %d times, want once", len(told))
	}
	if f.Await(then) {
		t.Error("an answer of a feed that has ended is awaited")
	}
}

// counted remembers what was counted.
type counted struct {
	*uitest.Library

	mu      sync.Mutex
	queries []library.Query
}

func (c *counted) Count(ctx context.Context, q library.Query) (total, matching int, err error) {
	c.mu.Lock()
	c.queries = append(c.queries, q)
	c.mu.Unlock()
	return c.Library.Count(ctx, q)
}

// TestASearchIsMadeOnce covers the number of all plots, for which the search was made a second time.
func TestASearchIsMadeOnce(t *testing.T) {
	lib := &counted{Library: uitest.NewLibrary(t)}
	lib.AddSession(0, "s", "c")
	lib.Add(0, "sine", "")
	lib.Add(0, "cosine", "")
	q := uitest.NewQueue()
	var got Answer
	f := NewFeed(lib, q.Do, func(_ library.Query, a Answer) { got = a }, func([]library.Image) {})
	t.Cleanup(f.Close)
	f.Ask(library.Query{Rating: -1, Text: "cos"})
	q.Until(t, "the answer", func() bool { return got.IDs != nil })
	if len(got.IDs) != 1 || got.Total != 2 {
		t.Errorf("found %d of %d", len(got.IDs), got.Total)
	}
	for _, asked := range lib.queries {
		if asked.Text != "" {
			t.Errorf("counted again: %+v", asked)
		}
	}
}
