package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// ratings returns the stars of plots.
func (w *world) ratings(ids ...string) (stars []int) {
	w.t.Helper()
	for _, id := range ids {
		images, err := w.lib.Get(w.t.Context(), id)
		if err != nil || len(images) != 1 {
			w.t.Fatalf("%s: %v, %v", id, images, err)
		}
		stars = append(stars, images[0].Rating)
	}
	return stars
}

// TestEachSideOfAComparisonIsRated covers keys, stars and the choice of a side.
func TestEachSideOfAComparisonIsRated(t *testing.T) {
	ids := []string{"img00001", "img00002", "img00004"}
	w := newWorld(t, wide, galleryOf(t, 5), nil)
	w.call(t, "select_file", `{"paths": ["img00001", "img00002", "img00004"]}`)
	w.app.typedRune('c')
	w.settled()
	w.compared()
	c := w.app.shell.gallery
	if got := c.versus.Current(); got != ids[0] {
		t.Fatalf("at first, %s is current", got)
	}
	w.app.typedRune('3')
	w.settled()
	if got := w.ratings(ids...); !slices.Equal(got, []int{3, 0, 0}) {
		t.Errorf("3: %v", got)
	}
	w.key(fyne.KeyRight)
	w.app.typedRune('5')
	w.settled()
	if got := w.ratings(ids...); !slices.Equal(got, []int{3, 5, 0}) {
		t.Errorf("→ and 5: %v", got)
	}
	w.key(fyne.KeyLeft, fyne.KeyLeft) // around
	if got := c.versus.Current(); got != ids[2] {
		t.Errorf("← twice: %s is current", got)
	}
	w.app.typedRune('[')
	if got := c.versus.Current(); got != ids[1] {
		t.Errorf("[: %s is current", got)
	}
	pointer := uitest.NewPointer(w.app.win.Canvas())
	pointer.Move(fyne.NewPos(280, 300)) // on the first
	pointer.Press()
	pointer.Release()
	w.settled()
	if got := c.versus.Current(); got != ids[0] {
		t.Errorf("a click on the first side: %s is current", got)
	}
	if got := w.app.picks.selected(); !slices.Equal(got, ids[:1]) {
		t.Errorf("keys apply to %v", got)
	}
	if got := w.selection(); !slices.Equal(got, ids) {
		t.Errorf("%v is selected, want all that is compared", got)
	}
	c.all = 4 // as after Shift+4
	w.app.typedRune('$')
	w.settled()
	if got := w.ratings(ids...); !slices.Equal(got, []int{4, 4, 4}) {
		t.Errorf("Shift+4: %v", got)
	}
	w.key(fyne.KeyEscape)
	w.app.typedRune('1') // to all that is selected again
	w.settled()
	if got := w.ratings(ids...); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("after the comparison, 1: %v", got)
	}
}

// TestTheArrowsMoveWhatIsZoomed, in a comparison, instead of choosing a side.
func TestTheArrowsMoveWhatIsZoomed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), nil)
	c := w.app.shell.gallery
	c.compare([]string{"img00001", "img00002"})
	w.compared()
	c.versus.Actual()
	c.versus.Larger()
	w.key(fyne.KeyRight)
	if got := c.versus.Current(); got != "img00001" {
		t.Errorf("→ makes %s current, although the plots are zoomed", got)
	}
}

// TestThePropertiesAreThoseOfTheCurrentSide of a comparison.
func TestThePropertiesAreThoseOfTheCurrentSide(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 5), func(s *state.Snapshot) { s.PropertiesPanel = true })
	c := w.app.shell.gallery
	w.call(t, "select_file", `{"paths": ["img00001", "img00003"]}`)
	w.app.typedRune('c')
	w.compared()
	w.settled()
	if got := w.app.shell.props.IDs(); !slices.Equal(got, []string{"img00001"}) {
		t.Errorf("the properties are those of %v", got)
	}
	c.versus.Step(1)
	w.settled()
	if got := w.app.shell.props.IDs(); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("after a step, the properties are those of %v", got)
	}
	w.key(fyne.KeyEscape)
	if got := w.app.shell.props.IDs(); !slices.Equal(got, []string{"img00001", "img00003"}) {
		t.Errorf("after the comparison, the properties are those of %v", got)
	}
}
