package kit

import (
	"testing"

	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

func TestAFieldIsAnArea(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	f := k.Field("Filter")
	w := test.NewTempWindow(t, f)
	var a *Area
	for _, o := range test.WidgetRenderer(f).Objects() {
		switch o := o.(type) {
		case *canvas.Rectangle:
			t.Error("Fyne's rectangle is drawn too")
		case *Area:
			a = o
		}
	}
	if a == nil || a.Size() != f.Size() {
		t.Fatalf("its area is %v, want one of %v", a, f.Size())
	}
	edge := a.edge
	w.Canvas().Focus(f)
	if a.edge == edge || a.edge != k.P.Accent {
		t.Errorf("with the focus its edge is %v, want %v", a.edge, k.P.Accent)
	}
	w.Canvas().Unfocus()
	if a.edge != edge {
		t.Errorf("without the focus its edge is %v, want %v", a.edge, edge)
	}
}
