package kit

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/theme"
)

// tipDelay is how long the pointer must rest before a tip shows, tipLife how long it
// stays: Fyne does not tell that the pointer has left the window.
const (
	tipDelay = 600 * time.Millisecond
	tipLife  = 8 * time.Second
)

// Tips shows a line beside what the pointer rests on. Fyne has no tooltips; this
// one is a layer above the window's content that takes no events.
type Tips struct {
	do    Dispatcher
	layer *fyne.Container
	text  *canvas.Text
	box   *canvas.Rectangle
	timer *time.Timer
	asked int // counts requests, so that a late timer shows nothing

	of fyne.CanvasObject // that the tip in sight is of
	at fyne.Position     // where that was
}

// NewTips makes the layer; put Layer above the content.
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

// Layer is the object to put above the content.
func (t *Tips) Layer() fyne.CanvasObject { return t.layer }

// Show shows tip under o after a moment.
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

// Hide takes the tip away.
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

// Check takes the tip away if what it is of has gone or moved. Views call it when they
// have changed.
func (t *Tips) Check() {
	if t != nil && t.of != nil && (!inSight(t.of) || fyne.CurrentApp().Driver().AbsolutePositionForObject(t.of) != t.at) {
		t.Hide()
	}
}

// inSight tells whether o is shown: not hidden, nor in something hidden, nor taken out.
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
	t.text.Text = tip
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
