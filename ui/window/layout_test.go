package window

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

func TestTheArrangementIsKeptAndRestored(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	drag := func(i int, dx, dy float32) {
		d := w.app.shell.dividers[i]
		d.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(dx, dy)})
		d.DragEnd()
	}
	drag(0, 44, 0)
	drag(1, -30, 0)
	drag(2, 0, -25)
	w.app.shell.dock.Open(1)
	w.app.navigate.TogglePanel()
	w.app.shell.toggleSide()
	w.app.win.Resize(fyne.NewSize(1100, 720))
	w.q.Until(t, "the new size to be kept", func() bool { return w.store.Snapshot().Settings.Layout.Width == 1100 })
	w.settled()
	want := state.Layout{
		Width: 1100, Height: 720, SideWidth: 260, PropsWidth: 350, DockHeight: 215, DockTab: 1,
		Side: state.Hidden, Props: state.Hidden,
	}
	kept := w.store.Snapshot().Settings.Layout
	if kept != want {
		t.Fatalf("kept %+v, want %+v", kept, want)
	}

	next := newWorld(t, fyne.Size{}, galleryOf(t, 3), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Layout, s.PropertiesPanel = kept, kept.Props.Or(true)
	})
	sh := next.app.shell
	if got := next.app.win.Canvas().Size(); got != fyne.NewSize(1100, 720) {
		t.Errorf("the next window is %v, want 1100×720", got)
	}
	if sh.side.Object().Visible() || sh.props.Object().Visible() || sh.dock.Tab() != 1 || sh.dock.Object().Size().Height != 215 {
		t.Errorf("next start: sidebar %v, properties %v, dock's tab %d at height %v; want both hidden, 1, 215",
			sh.side.Object().Visible(), sh.props.Object().Visible(), sh.dock.Tab(), sh.dock.Object().Size().Height)
	}
	sh.toggleSide()
	if got := sh.side.Object().Size().Width; got != 260 {
		t.Errorf("the sidebar comes back %v wide, want 260", got)
	}
}

// TestAPanelThatIsAskedForComes: in a small window, another one gives way, and comes back when there is room.
func TestAPanelThatIsAskedForComes(t *testing.T) {
	w := newWorld(t, fyne.NewSize(760, 500), galleryOf(t, 12), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00002"}, "img00002"
	})
	want := func(when string, panels ...string) {
		t.Helper()
		w.settled()
		sh := w.app.shell
		var shown []string
		for name, o := range map[string]fyne.CanvasObject{"sidebar": sh.side.Object(), "properties": sh.props.Object(), "dock": sh.dock.Object()} {
			if o.Visible() {
				shown = append(shown, name)
			}
		}
		slices.Sort(shown)
		if !slices.Equal(shown, panels) || len(sh.gallery.grid.Sights()) < 2 {
			t.Errorf("%s: %v and %d plots, want %v", when, shown, len(sh.gallery.grid.Sights()), panels)
		}
	}
	want("at first", "properties")
	w.app.shell.toggleSide()
	want("Ctrl+B", "sidebar")
	w.app.togglePanel()
	want("P", "properties")
	w.app.shell.toggleDock()
	want("Ctrl+J", "dock", "properties")
	w.app.shell.toggleSide()
	want("Ctrl+B again", "dock", "sidebar")
	w.app.win.Resize(wide)
	want("in a wide window", "dock", "properties", "sidebar")
	w.app.win.Resize(fyne.NewSize(760, 500))
	want("and back", "dock", "sidebar")
	w.app.shell.toggleSide()
	want("without the sidebar", "dock", "properties")
	w.app.togglePanel()
	want("without the properties", "dock")
}

func TestASliderThatWasMovedIsKept(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	before := w.app.shell.gallery.grid.Columns()
	slider := w.app.shell.gallery.bar.size
	slider.SetValue(330)
	slider.OnChangeEnded(330)
	w.settled()
	if got := w.store.Snapshot().Settings.ThumbSize; got != 330 {
		t.Errorf("kept a thumbnail size of %d, want 330", got)
	}
	if got := w.app.shell.gallery.grid.Columns(); got >= before {
		t.Errorf("%d columns of larger cells, %d before", got, before)
	}
}

// A box is a rectangle of the window, in Fyne's units.
type box struct{ x0, y0, x1, y1 float32 }

func (b box) cut(o box) box {
	return box{max(b.x0, o.x0), max(b.y0, o.y0), min(b.x1, o.x1), min(b.y1, o.y1)}
}
func (b box) empty() bool          { return b.x1 <= b.x0 || b.y1 <= b.y0 }
func (b box) holds(o box) bool     { return o.x0 >= b.x0 && o.y0 >= b.y0 && o.x1 <= b.x1 && o.y1 <= b.y1 }
func (b box) grown(by float32) box { return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by} }

// A drawn is a visible text or button, or an opaque background (text is empty) that covers what
// was drawn before it.
type drawn struct {
	text string
	at   box // the visible part of its ink
	cut  float32
	path string
	end  int // of a button: the index after what it consists of; 0: it is none
}

const fieldMark = "(a field)"

// drawnIn appends what o and its descendants draw to list, in drawing order.
func drawnIn(t *testing.T, o fyne.CanvasObject, at fyne.Position, clip box, path string, list *[]drawn) {
	t.Helper()
	if !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	whole := box{at.X, at.Y, at.X + o.Size().Width, at.Y + o.Size().Height}
	path += "/" + strings.TrimPrefix(fmt.Sprintf("%T", o), "*")
	var in []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		in = o.Objects
	case *canvas.Text:
		if strings.TrimSpace(o.Text) != "" {
			*list = append(*list, inked(o, at, clip, path))
		}
	case *canvas.Rectangle:
		if _, _, _, a := alpha(o.FillColor).RGBA(); a == 0xFFFF {
			*list = append(*list, drawn{at: whole.cut(clip), path: path})
		}
	case fyne.Widget:
		switch o := o.(type) {
		case *container.Scroll, *kit.Scroll:
			clip, path = clip.cut(whole), path+scrollMark
		case *kit.Button:
			i := len(*list)
			*list = append(*list, placed(o, whole, clip, path))
			defer func() { (*list)[i].end = len(*list) }()
		case *kit.Field: // its text may be longer than the field
			path += fieldMark
		}
		in = test.TempWidgetRenderer(t, o).Objects()
	}
	for _, child := range in {
		drawnIn(t, child, at, clip, path, list)
	}
}

// scrollMark is part of the path of what can be scrolled.
const scrollMark = "(scrolls)"

// placed returns the place of a button.
func placed(o *kit.Button, whole, clip box, path string) drawn {
	seen := whole.cut(clip)
	cut := max(seen.x0-whole.x0, whole.x1-seen.x1)
	if !strings.Contains(path, scrollMark) {
		cut = max(cut, seen.y0-whole.y0, whole.y1-seen.y1)
	}
	return drawn{text: fmt.Sprintf("[button %s]", cmp.Or(o.Text(), o.Tip())), at: seen, cut: cut, path: path}
}

func alpha(c color.Color) color.Color {
	if c == nil {
		return color.Transparent
	}
	return c
}

// inked returns the area of a text's ink: as wide as the letters, without the space
// above and below.
func inked(o *canvas.Text, at fyne.Position, clip box, path string) drawn {
	m := fyne.MeasureText(o.Text, o.TextSize, o.TextStyle)
	x := at.X
	switch o.Alignment {
	case fyne.TextAlignCenter:
		x += (o.Size().Width - m.Width) / 2
	case fyne.TextAlignTrailing:
		x += o.Size().Width - m.Width
	case fyne.TextAlignLeading:
	}
	y := at.Y + (o.Size().Height-m.Height)/2
	ink := box{x, y + m.Height*0.25, x + m.Width, y + m.Height*0.78}
	seen := ink.cut(clip)
	return drawn{text: o.Text, at: seen, cut: max(seen.x0-ink.x0, ink.x1-seen.x1), path: path}
}

// faults returns descriptions of the texts of a canvas that overlap or are cut off.
func faults(t *testing.T, c fyne.Canvas) (all []string) {
	t.Helper()
	whole := box{0, 0, c.Size().Width, c.Size().Height}
	layers := append([]fyne.CanvasObject{c.Content()}, c.Overlays().List()...)
	for _, layer := range layers {
		var list []drawn
		drawnIn(t, layer, fyne.Position{}, whole, "", &list)
		for i, a := range list {
			if a.text == "" || a.at.empty() {
				continue
			}
			if a.cut > 2.5 && !strings.Contains(a.path, fieldMark) && !hidden(a.at, list[i+1:]) {
				all = append(all, fmt.Sprintf("%q is cut by %.0f (%s)", a.text, a.cut, a.path))
			}
			for j := i + 1; j < len(list); j++ {
				b := list[j]
				if part := a.at.cut(b.at); b.text == "" && !part.grown(-1.5).empty() && !b.at.grown(1).holds(a.at) && !hidden(a.at, list[j:]) {
					all = append(all, fmt.Sprintf("%q is covered by %.0f × %.0f (%s)", a.text, part.x1-part.x0, part.y1-part.y0, b.path))
				}
				both := a.at.cut(b.at)
				if a.end > j || b.end > 0 && a.end == 0 && both.grown(-3).empty() {
					continue
				}
				if b.text == "" || both.grown(-1.5).empty() || hidden(both, list[i+1:j]) || hidden(both, list[j+1:]) {
					continue
				}
				all = append(all, fmt.Sprintf("%q and %q overlap by %.0f × %.0f\n      %s\n      %s", a.text, b.text, both.x1-both.x0, both.y1-both.y0, a.path, b.path))
			}
		}
	}
	return all
}

// hidden reports whether one of the backgrounds covers a place.
func hidden(place box, over []drawn) bool {
	return slices.ContainsFunc(over, func(d drawn) bool { return d.text == "" && d.at.grown(1).holds(place) })
}

var (
	longWord     = strings.Repeat("Donaudampfschifffahrt", 10)
	longJapanese = strings.Repeat("地域別売上高前年同期比較", 8)
)

// wordy returns a library with long titles, tags and names.
func wordy(t testing.TB, n int) *uitest.Library {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, longWord, "claude-code 2.1.0")
	lib.AddSession(1, longJapanese+".ipynb", "Cursor 1.9")
	for i := range n {
		id := lib.Add(i%2, []string{longWord, "", longJapanese, "Feature distributions before and after the robust scaling"}[i%4], sineCode)
		if i%2 == 1 {
			lib.Rate(5, id)
		}
		lib.Tag([]string{"feature-sweep-1", longJapanese[:60], "b", longWord[:40]}, id)
	}
	return lib
}
