package kit

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/theme"
)

// tipDelay is how long the pointer must rest before a tip is shown. tipLife is how long
// it is shown at most, because Fyne does not report that the pointer has left the
// window.
const (
	tipDelay = 600 * time.Millisecond
	tipLife  = 8 * time.Second
)

// Tips shows tooltips. Fyne has none; this is a layer above the window's content that
// receives no events.
type Tips struct {
	Key func(action string) string // the user's key of an action, for tips that name it; may be nil

	do    Dispatcher
	layer *fyne.Container
	text  *canvas.Text
	box   *canvas.Rectangle
	timer *time.Timer
	asked int // counts requests, so that a late timer has no effect

	of fyne.CanvasObject // the object of the visible tip; nil if there is none
	at fyne.Position     // where of was when the tip was shown
}

// NewTips returns Tips without a tip. Put Layer above the window's content.
func NewTips(p *theme.Palette, do Dispatcher) *Tips {
	t := &Tips{do: do, text: Text("", theme.TextCaption+1, p.Window, fyne.TextStyle{}), box: Fill(p.Text, 5)}
	t.box.StrokeColor, t.box.StrokeWidth = color.Transparent, 0
	t.layer = &fyne.Container{Objects: []fyne.CanvasObject{t.box, t.text}, Layout: LayoutFunc{
		Arrange: func([]fyne.CanvasObject, fyne.Size) {},
	}}
	t.box.Hide()
	t.text.Hide()
	return t
}

// Layer returns the object to put above the content.
func (t *Tips) Layer() fyne.CanvasObject { return t.layer }

// Show shows a tip below o after tipDelay. It does nothing if t is nil or the tip is
// empty.
func (t *Tips) Show(o fyne.CanvasObject, tip string) {
	if t == nil || tip == "" {
		return
	}
	t.Hide()
	asked := t.asked
	t.timer = time.AfterFunc(tipDelay, func() {
		t.do(func() {
			if asked == t.asked {
				t.place(o, tip)
			}
		})
	})
}

// Hide hides the tip. It does nothing if t is nil.
func (t *Tips) Hide() {
	if t == nil {
		return
	}
	t.asked++
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.of = nil
	if t.box.Visible() {
		t.box.Hide()
		t.text.Hide()
		canvas.Refresh(t.layer)
	}
}

// Check hides the tip if its object has disappeared or moved. Views call it when they
// have changed.
func (t *Tips) Check() {
	if t != nil && t.of != nil && (!inSight(t.of) || fyne.CurrentApp().Driver().AbsolutePositionForObject(t.of) != t.at) {
		t.Hide()
	}
}

// inSight reports whether o is shown: on a canvas, and neither hidden nor inside
// something hidden.
func inSight(o fyne.CanvasObject) bool {
	d := fyne.CurrentApp().Driver()
	return o.Visible() && d.CanvasForObject(o) != nil && !d.AbsolutePositionForObject(o).IsZero()
}

func (t *Tips) place(o fyne.CanvasObject, tip string) {
	if !inSight(o) {
		return
	}
	asked := t.asked
	t.timer = time.AfterFunc(tipLife, func() {
		t.do(func() {
			if asked == t.asked {
				t.Hide()
			}
		})
	})
	d := fyne.CurrentApp().Driver()
	t.of, t.at = o, d.AbsolutePositionForObject(o)
	at := d.AbsolutePositionForObject(o).Subtract(d.AbsolutePositionForObject(t.layer))
	t.text.Text = keyed(tip, t.Key)
	m := t.text.MinSize()
	w, h := m.Width+14, m.Height+6
	area := t.layer.Size()
	x := min(max(at.X+o.Size().Width/2-w/2, 4), area.Width-w-4)
	y := at.Y + o.Size().Height + 6
	if y+h > area.Height-4 {
		y = at.Y - h - 6
	}
	Place(t.box, x, y, w, h)
	Place(t.text, x+7, y+3, m.Width, m.Height)
	t.box.Show()
	t.text.Show()
	canvas.Refresh(t.layer)
}
