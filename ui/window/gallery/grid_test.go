package gallery

import (
	"context"
	"image"
	"image/color"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// slow is a library whose thumbnails wait for the test.
type slow struct {
	*uitest.Library
	began chan string // receives the ids of the thumbnails that are being read
	let   chan struct{}
}

func (s *slow) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	s.began <- id
	select {
	case <-s.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Library.Thumb(ctx, id, edge)
}

func TestTheNewestRequestIsReadFirst(t *testing.T) {
	lib := &slow{Library: uitest.NewLibrary(t), began: make(chan string, 20), let: make(chan struct{})}
	lib.AddSession(0, "s", "c")
	var ids []string
	for range 12 {
		ids = append(ids, lib.Add(0, "", ""))
	}
	q := uitest.NewQueue()
	ready := 0
	th := NewThumbs(lib, q.Do, func(ThumbRequest, image.Image, error) { ready++ })
	defer th.Close()
	th.Get(ThumbRequest{ids[0], "", 100, 75})
	th.Get(ThumbRequest{ids[1], "", 100, 75})
	<-lib.began
	<-lib.began // both workers are busy
	for _, id := range ids[2:] {
		th.Get(ThumbRequest{id, "", 100, 75})
	}
	lib.let <- struct{}{} // only one worker continues, so that the order is certain
	if got := <-lib.began; got != ids[11] {
		t.Errorf("after the two at work %s was read, want the newest request %s", got, ids[11])
	}
	close(lib.let)
	q.Until(t, "all thumbnails", func() bool { return ready == len(ids) })
}

func TestThumbnailsStayWithinTheirMemory(t *testing.T) {
	th := NewThumbs(uitest.NewLibrary(t), uitest.NewQueue().Do, nil)
	defer th.Close()
	big := image.NewRGBA(image.Rect(0, 0, 1000, 1000)) // 4 MB
	th.mu.Lock()
	defer th.mu.Unlock()
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		th.keep(ThumbRequest{id, "", 1, 1}, big)
	}
	if th.bytes > thumbBytes {
		t.Errorf("%d bytes are kept, want at most %d", th.bytes, thumbBytes)
	}
	if _, ok := th.kept[ThumbRequest{"a", "", 1, 1}]; ok {
		t.Error("the longest unused one is still kept")
	}
	if _, ok := th.kept[ThumbRequest{"e", "", 1, 1}]; !ok {
		t.Error("the newest one is not kept")
	}
}

func TestThumbnailsAreFittedAndNeverStretched(t *testing.T) {
	for name, c := range map[string]struct{ w, h, boxW, boxH, wantW, wantH int }{
		"wide":  {1400, 300, 200, 150, 200, 43},
		"tall":  {300, 900, 200, 150, 50, 150},
		"small": {40, 30, 200, 150, 40, 30},
		"equal": {200, 150, 200, 150, 200, 150},
	} {
		got := fitted(image.NewRGBA(image.Rect(0, 0, c.w, c.h)), c.boxW, c.boxH).Bounds()
		if got.Dx() != c.wantW || got.Dy() != c.wantH {
			t.Errorf("%s: got %dx%d, want %dx%d", name, got.Dx(), got.Dy(), c.wantW, c.wantH)
		}
	}
}

type picked struct {
	ids    []string
	cursor string
	opened string
	rated  int
}

// newTestGrid returns a grid of n images, three columns wide.
func newTestGrid(t *testing.T, n int) (*Grid, *uitest.Queue, *uitest.Library, *picked) {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	for range n {
		lib.Add(0, "", "")
	}
	q, p := uitest.NewQueue(), &picked{}
	listed := false
	g := NewGrid(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib, 176, Actions{
		Select: func(ids []string, cursor string) { p.ids, p.cursor = ids, cursor },
		Open:   func(id string) { p.opened = id },
		Rate:   func(ids []string, rating int) { p.ids, p.rated = ids, rating },
		Menu:   func(string, fyne.Position) {},
		Listed: func(Answer) { listed = true },
	})
	t.Cleanup(g.Close)
	w := test.NewWindow(g)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(640, 480))
	t.Cleanup(w.Close)
	g.Ask(library.Query{Rating: -1})
	q.Until(t, "the grid to settle", func() bool { return listed && g.Settled() })
	return g, q, lib, p
}

func TestOnlyWhatIsInSightHasCells(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 300)
	if n := len(g.cells); n == 0 || n > 15 {
		t.Errorf("%d cells for a window of three rows", n)
	}
}

func TestWhatIsLookedAtStaysWhenPlotsComeIn(t *testing.T) {
	g, q, lib, _ := newTestGrid(t, 60)
	g.scroll.ScrollToOffset(fyne.NewPos(0, 5*g.flow.pitch()+20))
	g.arrange()
	before, within := g.top()
	for range 3 { // a whole row, so that the images stay in their columns
		lib.Add(0, "", "")
	}
	g.Ask(library.Query{Rating: -1})
	q.Until(t, "the new plots", func() bool { return len(g.list.ids) == 63 })
	if after, w := g.top(); after != before || w != within {
		t.Errorf("first in sight was %s at %v, is %s at %v", before, within, after, w)
	}
}

func TestAtTheNewestEndNewPlotsComeIntoSight(t *testing.T) {
	g, q, lib, _ := newTestGrid(t, 60)
	id := lib.Add(0, "", "")
	g.Ask(library.Query{Rating: -1})
	q.Until(t, "the new plot", func() bool { return len(g.list.ids) == 61 })
	if first, _ := g.top(); first != id {
		t.Errorf("first in sight is %s, want the new %s", first, id)
	}
}

func TestClicksSelect(t *testing.T) {
	g, _, _, p := newTestGrid(t, 12)
	ids := g.list.ids
	click := func(i int, mod fyne.KeyModifier) {
		g.clicked(ids[i], mod, desktop.MouseButtonPrimary)
	}
	steps := []struct {
		what string
		do   func()
		want []string
	}{
		{"a click", func() { click(4, 0) }, []string{ids[4]}},
		{"Control adds", func() { click(6, fyne.KeyModifierControl) }, []string{ids[4], ids[6]}},
		{"Control takes away", func() { click(4, fyne.KeyModifierControl) }, []string{ids[6]}},
		{"a click alone", func() { click(2, 0) }, []string{ids[2]}},
		{"Shift selects the range", func() { click(5, fyne.KeyModifierShift) }, ids[2:6]},
		{"Shift from the same start", func() { click(0, fyne.KeyModifierShift) }, []string{ids[2], ids[1], ids[0]}},
		{"Space takes the cursor's away", func() { g.Key(fyne.KeySpace, 0) }, []string{ids[2], ids[1]}},
		{"Escape selects none", func() { g.Key(fyne.KeyEscape, 0) }, nil},
	}
	for _, s := range steps {
		s.do()
		if !slices.Equal(p.ids, s.want) {
			t.Fatalf("%s: selected %v, want %v", s.what, p.ids, s.want)
		}
	}
}

func TestKeysMoveTheCursor(t *testing.T) {
	g, _, _, p := newTestGrid(t, 11)
	if n := g.flow.columns(); n != 3 {
		t.Fatalf("%d columns, want 3", n)
	}
	at := func() int { return slices.Index(g.list.ids, p.cursor) }
	for _, s := range []struct {
		key  fyne.KeyName
		want int
	}{
		{fyne.KeyRight, 0},
		{fyne.KeyRight, 1},
		{fyne.KeyDown, 4},
		{fyne.KeyDown, 7},
		{fyne.KeyDown, 10},
		{fyne.KeyDown, 10},
		{fyne.KeyUp, 7},
		{fyne.KeyHome, 0},
		{fyne.KeyUp, 0},
		{fyne.KeyLeft, 0},
		{fyne.KeyEnd, 10},
		{fyne.KeyPageUp, 4},
		{fyne.KeyPageDown, 10},
	} {
		if g.Key(s.key, 0); at() != s.want {
			t.Fatalf("after %s: at %d, want %d", s.key, at(), s.want)
		}
	}
	g.Key(fyne.KeyReturn, 0)
	if p.opened != g.list.ids[10] {
		t.Errorf("Enter opened %q, want %q", p.opened, g.list.ids[10])
	}
}

func TestStarsAreGivenWithTheMouse(t *testing.T) {
	g, _, _, p := newTestGrid(t, 3)
	c := g.cells[g.list.ids[1]]
	x, y := c.starsAt(c.Size())
	at := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
	at.Position = fyne.NewPos(x+3*(starEdge+1)+4, y+4)
	c.MouseDown(at)
	c.MouseUp(at)
	if p.rated != 4 || !slices.Equal(p.ids, []string{c.id}) {
		t.Errorf("a click on the fourth star rated %v with %d", p.ids, p.rated)
	}
	c.im.Rating = 4
	c.MouseDown(at)
	c.MouseUp(at)
	if p.rated != 0 {
		t.Errorf("a click on the star that is the rating gave %d, want 0", p.rated)
	}
}

// TestAStarIsThatOfThePlotThatWasPressed: a new plot moves the others while the button is down, so
// that the release is on another cell. A drag away from the star rates nothing.
func TestAStarIsThatOfThePlotThatWasPressed(t *testing.T) {
	g, _, _, p := newTestGrid(t, 3)
	c, other := g.cells[g.list.ids[1]], g.cells[g.list.ids[2]]
	x, y := c.starsAt(c.Size())
	at := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
	at.Position = fyne.NewPos(x+3*(starEdge+1)+4, y+4)
	at.AbsolutePosition = fyne.NewPos(400, 300)
	c.MouseDown(at)
	other.MouseUp(at)
	if p.rated != 4 || !slices.Equal(p.ids, []string{c.id}) {
		t.Errorf("the fourth star of %s rated %v with %d", c.id, p.ids, p.rated)
	}
	p.ids = nil
	c.MouseDown(at)
	away := *at
	away.AbsolutePosition = fyne.NewPos(460, 300)
	other.MouseUp(&away)
	if other.MouseUp(at); p.ids != nil {
		t.Errorf("after the pointer has left the star, %v was rated", p.ids)
	}
}

// TestACellThatLooksAsBeforeIsNotDrawnAnew checks that a new plot draws only its own
// cell; the others only move.
func TestACellThatLooksAsBeforeIsNotDrawnAnew(t *testing.T) {
	g, q, lib, _ := newTestGrid(t, 3)
	id := g.list.ids[1]
	mark := color.NRGBA{1, 2, 3, 0xFF}
	g.cells[id].bar.FillColor = mark // painting would replace it
	lib.Add(0, "", "")
	g.Ask(library.Query{Rating: -1})
	q.Until(t, "the new plot", func() bool { return len(g.list.ids) == 4 && g.Settled() })
	g.Select(g.list.ids[:1], g.list.ids[0], true)
	if g.cells[id].bar.FillColor != mark {
		t.Error("a cell is drawn anew, although nothing of it has changed")
	}
	for what, change := range map[string]func(){
		"it is selected":   func() { g.Select([]string{id}, id, true) },
		"it is new":        func() { g.SetFresh(4) },
		"it was rated":     func() { lib.Rate(3, id); g.Renew(lib.Changes().Last()) },
		"the pointer came": func() { g.cells[id].MouseIn(&desktop.MouseEvent{}) },
	} {
		g.cells[id].bar.FillColor = mark
		change()
		q.Until(t, "the cell to be drawn anew, since "+what, func() bool { return g.cells[id].bar.FillColor != mark })
	}
}

func BenchmarkScroll(b *testing.B) {
	test.NewTempApp(b).Settings().SetTheme(theme.New("light"))
	lib := uitest.NewLibrary(b)
	q := uitest.NewQueue()
	g := NewGrid(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib, 176, Actions{Select: func([]string, string) {}})
	defer g.Close()
	w := test.NewWindow(g)
	w.Resize(fyne.NewSize(1200, 800))
	defer w.Close()
	ids := make([]string, 10_000)
	for i := range ids {
		ids[i] = string(rune('a'+i%26)) + string(rune(i+0x4E00))
	}
	g.set(listOf(ids), false, func() { g.flow.divide(len(ids), nil, false) })
	for i := 0; b.Loop(); i++ {
		g.scroll.Offset.Y = float32((i * 37) % 100_000)
		g.arrange()
	}
}

// TestSelectingAllKeepsThePlace: Ctrl+A once scrolled to the last plot, because the state names
// the last one that is selected.
func TestSelectingAllKeepsThePlace(t *testing.T) {
	g, _, _, p := newTestGrid(t, 60)
	last := g.list.ids[59]
	g.SelectAll()
	g.Select(slices.Clone(p.ids), last, true)
	if len(g.sel.order) != 60 || g.scroll.Offset.Y != 0 {
		t.Errorf("%d are selected, and the grid is at %v, want 60 at 0", len(g.sel.order), g.scroll.Offset.Y)
	}
	g.Select([]string{last}, last, true)
	g.Select([]string{g.list.ids[0]}, g.list.ids[0], true)
	g.Select([]string{last}, last, true)
	if g.scroll.Offset.Y == 0 {
		t.Error("another selection is not revealed")
	}
}
