package messages

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A Message says what has happened.
type Message struct {
	Mark  kit.Mark
	Text  string
	Label string                     // of the button; "" for none
	Do    func()                     // the button's; the message ends then
	Holds func(*state.Snapshot) bool // whether it is still true; nil if it always is
	About string                     // a later message about the same replaces it; "" for nothing in particular
}

// A line is one message on a Board.
type line struct {
	Message

	of    *Work // that it is about; nil for a message that passes
	root  *fyne.Container
	fill  *canvas.Rectangle
	sign  *kit.Slot
	para  *kit.Para
	act   *kit.Button
	timer *time.Timer // nil for a work
	size  fyne.Size
}

const (
	textWidth  = float32(420) // of the widest text
	afterMark  = float32(32)  // where the text begins
	sidePad    = float32(14)  // without a mark
	beforeAct  = float32(12)
	actHeight  = float32(24)
	linePad    = float32(10) // above and below the text
	leastWidth = float32(120)
)

func newLine(b *Board, m Message) *line {
	k := b.port.Kit
	l := &line{fill: kit.Fill(k.P.Raised, 8), sign: k.Slot()}
	l.fill.StrokeColor, l.fill.StrokeWidth = k.P.Edge, 1
	l.para = kit.NewPara("", theme.TextBody, k.P.Text, fyne.TextStyle{}).Most(4)
	l.act = k.Button(kit.Quiet, "", "", "", func() {
		do := l.Do
		if l.of == nil { // a work ends by itself
			b.drop(func(o *line) bool { return o == l })
			b.arrange()
		}
		if do != nil {
			do()
		}
	}).Small()
	l.root = &fyne.Container{
		Objects: []fyne.CanvasObject{l.fill, l.sign, l.para, l.act},
		Layout:  kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}},
	}
	l.set(m)
	return l
}

// set sets what the line says.
func (l *line) set(m Message) {
	l.Message = m
	kit.SetVisible(l.act, m.Label != "")
	l.act.SetText(m.Label)
	l.para.Set(m.Text)
	l.sign.Set(m.Mark)
}

func (l *line) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// fit arranges the line for a width of its area, and returns its size.
func (l *line) fit(room float32) fyne.Size {
	act := float32(0)
	if l.act.Visible() {
		act = l.act.MinSize().Width + beforeAct
	}
	inset := afterMark
	if l.Mark == kit.MarkNone {
		inset = sidePad
	}
	preferred := fyne.MeasureText(l.Text, theme.TextBody, fyne.TextStyle{}).Width
	w := min(preferred+2, textWidth, max(room-80-act, leastWidth))
	h := l.para.HeightFor(w)
	l.size = fyne.NewSize(inset+w+beforeAct+act, h+2*linePad)
	kit.Place(l.fill, 0, 0, l.size.Width, l.size.Height)
	kit.Place(l.sign, sidePad, linePad, 14, 18)
	kit.Place(l.para, inset, linePad, w, h)
	kit.Place(l.act, l.size.Width-act, (l.size.Height-actHeight)/2, act-beforeAct, actHeight)
	return l.size
}
