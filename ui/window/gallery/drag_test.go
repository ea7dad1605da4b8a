package gallery

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

func TestADragBeginsWhenThePointerHasMoved(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 3)
	var dragged []string
	g.act.Drag = func(ids []string) { dragged = ids }
	at := func(x float32, button desktop.MouseButton) *desktop.MouseEvent {
		return &desktop.MouseEvent{PointEvent: fyne.PointEvent{AbsolutePosition: fyne.NewPos(x, 0), Position: fyne.NewPos(5, 5)}, Button: button}
	}
	ids := slices.Clone(g.list.ids)
	if len(ids) != 3 {
		t.Fatalf("the grid has %d images", len(ids))
	}
	c := g.cells[ids[1]]
	if c == nil {
		t.Fatal("the second image has no cell")
	}

	c.MouseDown(at(10, desktop.MouseButtonPrimary))
	c.MouseMoved(at(14, desktop.MouseButtonPrimary))
	c.MouseUp(at(14, desktop.MouseButtonPrimary))
	c.MouseMoved(at(90, 0))
	c.MouseOut()
	if dragged != nil {
		t.Fatalf("a click drags %q", dragged)
	}

	c.MouseDown(at(10, desktop.MouseButtonPrimary))
	c.MouseMoved(at(20, desktop.MouseButtonPrimary))
	if !slices.Equal(dragged, ids[1:2]) {
		t.Errorf("dragged %q, want the second image", dragged)
	}

	g.pick(ids[:2], ids[0])
	c.MouseDown(at(10, desktop.MouseButtonPrimary))
	c.MouseOut() // at once far away
	if !slices.Equal(dragged, ids[:2]) || !slices.Equal(g.sel.order, ids[:2]) {
		t.Errorf("dragged %q, selected %q, want the two that were selected", dragged, g.sel.order)
	}

	dragged = nil
	c.MouseDown(at(10, desktop.MouseButtonSecondary))
	c.MouseMoved(at(90, desktop.MouseButtonSecondary))
	if dragged != nil {
		t.Errorf("the secondary button drags %q", dragged)
	}
}
