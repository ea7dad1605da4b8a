// Package messages shows at the lower edge of the window what has happened, for some seconds,
// and what is being done, until it has ended.
//
// # Goroutines
//
// A Board and its Works belong to the UI goroutine.
package messages

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

const (
	// standTime is how long a message is shown. An error is shown twice as long.
	standTime = 4 * time.Second
	// offerTime is how long a message with a button is shown.
	offerTime = 12 * time.Second
	// mostLines is the largest number of messages at a time. The oldest gives way.
	mostLines = 2

	edge = float32(10) // between the messages and the lower edge of their area
	gap  = float32(6)
)

// A Port is what a Board may do in the window.
type Port struct {
	Kit     *kit.Kit
	Repaint func()        // draws the window again, soon
	Resized func()        // Height has changed
	Stand   time.Duration // how long each message is shown; 0: by its kind
}

// A Board shows the messages of a window.
type Board struct {
	port  Port
	works *Works
	root  *fyne.Container
	lines []*line // from the top
	area  [2]fyne.Position
	tall  float32
}

// New returns a Board, which also shows the works.
func New(p Port, w *Works) *Board {
	b := &Board{port: p, works: w, root: &fyne.Container{Layout: kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}}}}
	b.root.Hide()
	w.board = b
	return b
}

// Object returns what the window shows.
func (b *Board) Object() fyne.CanvasObject { return b.root }

// Say shows a message for some seconds.
func (b *Board) Say(m kit.Mark, text string) { b.Show(Message{Mark: m, Text: text}) }

// Show adds a message below the others, for some seconds; with a button, for longer. It replaces
// one with the same text or about the same, and one that says what is being done: it is its
// result, or makes it old news.
func (b *Board) Show(m Message) {
	b.drop(func(l *line) bool {
		return l.of == nil && (l.Text == m.Text || m.About != "" && l.About == m.About || l.Mark == kit.MarkBusy)
	})
	l := newLine(b, m)
	b.lines = append(b.lines, l)
	if passing := b.passing(); len(passing) > mostLines {
		b.drop(func(o *line) bool { return o == passing[0] })
	}
	l.timer = time.AfterFunc(b.standing(m), func() {
		b.port.Kit.Do(func() {
			if slices.Contains(b.lines, l) {
				b.drop(func(o *line) bool { return o == l })
				b.arrange()
			}
		})
	})
	b.arrange()
}

// passing returns the lines that end by themselves.
func (b *Board) passing() []*line {
	return slices.DeleteFunc(slices.Clone(b.lines), func(l *line) bool { return l.of != nil })
}

func (b *Board) standing(m Message) time.Duration {
	switch {
	case b.port.Stand > 0:
		return b.port.Stand
	case m.Label != "":
		return offerTime
	case m.Mark == kit.MarkBad:
		return 2 * standTime
	default:
		return standTime
	}
}

// drop removes lines.
func (b *Board) drop(which func(*line) bool) {
	b.lines = slices.DeleteFunc(b.lines, func(l *line) bool {
		if !which(l) {
			return false
		}
		l.stop()
		return true
	})
}

// update shows the works as they are now.
func (b *Board) update() {
	b.drop(func(l *line) bool { return l.of != nil && !slices.Contains(b.works.list, l.of) })
	for i, w := range b.works.list {
		m := Message{Mark: kit.MarkBusy, Text: w.text(b.port.Kit), Do: w.cancel}
		if w.cancel != nil {
			m.Label = b.port.Kit.T("messages.cancel")
		}
		at := slices.IndexFunc(b.lines, func(l *line) bool { return l.of == w })
		if at < 0 {
			l := newLine(b, m)
			l.of = w
			b.lines = slices.Insert(b.lines, i, l) // above what passes, in the order in which they began
			continue
		}
		b.lines[at].set(m)
	}
	b.arrange()
}

// Render removes messages that no longer hold, and shows the works on a new Board.
func (b *Board) Render(n *state.Snapshot) {
	before := len(b.lines)
	b.drop(func(l *line) bool { return l.Holds != nil && !l.Holds(n) })
	if len(b.lines) != before {
		b.arrange()
	}
	if !slices.ContainsFunc(b.lines, func(l *line) bool { return l.of != nil }) && len(b.works.list) > 0 {
		b.update()
	}
}

// Clear removes the messages. The works come back with Render.
func (b *Board) Clear() {
	b.Stop()
	b.arrange()
}

// Stop ends the messages.
func (b *Board) Stop() { b.drop(func(*line) bool { return true }) }

// Newest returns the text of the newest message and the label of its button; "" without one.
func (b *Board) Newest() (text, label string) {
	if len(b.lines) == 0 {
		return "", ""
	}
	l := b.lines[len(b.lines)-1]
	return l.Text, l.Label
}

// Accept clicks the button of the newest message.
func (b *Board) Accept() {
	if _, label := b.Newest(); label != "" {
		b.lines[len(b.lines)-1].act.Tapped(nil)
	}
}

// Height returns the height that the messages need at the lower edge of their area; 0 without any.
func (b *Board) Height() float32 { return b.tall }

// Place says where the messages may be: above the lower edge of an area, in its middle.
func (b *Board) Place(at fyne.Position, area fyne.Size) {
	b.area = [2]fyne.Position{at, at.AddXY(area.Width, area.Height)}
	b.stack()
}

// arrange shows the lines, after they have changed; while a button is pressed, later, so that none
// moves below the pointer.
func (b *Board) arrange() {
	if b.port.Kit.Pressed(b.root, b.arrange) {
		return
	}
	b.root.Objects = b.root.Objects[:0]
	for _, l := range b.lines {
		b.root.Objects = append(b.root.Objects, l.root)
	}
	kit.SetVisible(b.root, len(b.lines) > 0)
	before := b.tall
	b.stack()
	if b.tall != before {
		b.port.Resized() // which places the messages again
	}
	b.root.Refresh()
	b.port.Repaint()
}

// stack puts the lines one below the other.
func (b *Board) stack() {
	room := b.area[1].X - b.area[0].X
	var wide, y float32
	for _, l := range b.lines {
		wide = max(wide, l.fit(room).Width)
	}
	for _, l := range b.lines {
		size := l.size
		kit.Place(l.root, (wide-size.Width)/2, y, size.Width, size.Height)
		y += size.Height + gap
	}
	if b.tall = 0; y > 0 {
		b.tall = y - gap + edge + gap
	}
	kit.Place(b.root, b.area[0].X+(room-wide)/2, b.area[1].Y-edge-(y-gap), wide, max(y-gap, 0))
}
