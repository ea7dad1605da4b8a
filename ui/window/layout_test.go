package window

import (
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
)

func TestTheArrangementIsKeptAndRestored(t *testing.T) {
	w := newWorld(t, wide, galleryOf(3), busy)
	drag := func(i int, dx, dy float32) {
		d := w.app.shell.dividers[i]
		d.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(dx, dy)})
		d.DragEnd()
	}
	drag(0, 44, 0)
	drag(1, -30, 0)
	drag(2, 0, -25)
	w.app.shell.dock.Open(1)
	w.app.togglePanel()
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

	next := newWorld(t, fyne.Size{}, galleryOf(3), func(s *state.Snapshot) {
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

func TestASliderThatWasMovedIsKept(t *testing.T) {
	w := newWorld(t, wide, galleryOf(12), busy)
	before := w.app.shell.center.grid.Columns()
	slider := w.app.shell.center.bar.size
	slider.SetValue(330)
	slider.OnChangeEnded(330)
	w.settled()
	if got := w.store.Snapshot().Settings.ThumbSize; got != 330 {
		t.Errorf("kept a thumbnail size of %d, want 330", got)
	}
	if got := w.app.shell.center.grid.Columns(); got >= before {
		t.Errorf("%d columns of larger cells, %d before", got, before)
	}
}
