package kit

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Measures of a Printout.
const (
	printRow  float32 = 18
	printSize float32 = 12
	printPad  float32 = 12
)

// A Printout shows plain text of any length. It wraps long lines, and the user can select, copy and
// search the text. It has objects only for the rows that are visible: Fyne's own selectable text draws
// and measures all of them.
type Printout struct {
	widget.BaseWidget
	k     *Kit
	body  wrappedText
	marks float32 // width of the marks

	Copy    func(text string)      // copies to the clipboard
	Forward func(fyne.Shortcut)    // gets the shortcuts that it does not use; may be nil
	Find    func()                 // Ctrl+F; may be nil
	Typed   func(r rune)           // handles what the user types; may be nil
	Menu    func(*fyne.PointEvent) // the other button was pressed; may be nil
	Focus   func(fyne.Focusable)   // gives it the keyboard

	scroll *Scroll
	sheet  *printSheet

	atEnd bool // the last row was visible when it was drawn

	from, to spot // the selection, in the order of its selecting
	text     string
	found    []passage
	current  int
}

// Printout returns an empty printout. marks is the width of the lines' marks.
func (k *Kit) Printout(marks float32) *Printout {
	p := &Printout{k: k, marks: marks}
	p.body.size = printSize
	p.body.char = fyne.MeasureText("0", printSize, fyne.TextStyle{Monospace: true}).Width
	p.sheet = &printSheet{p: p, ring: Outline(k.P.Accent, 1, 0)}
	p.sheet.ring.Hide()
	p.sheet.ExtendBaseWidget(p.sheet)
	p.scroll = k.VScroll(p.sheet, func() float32 { return 3 * printRow })
	p.scroll.OnScrolled = func(fyne.Position) { p.sheet.draw() }
	p.ExtendBaseWidget(p)
	return p
}

// SetLines replaces the text. The selection stays if its lines do.
func (p *Printout) SetLines(lines []PrintLine) {
	selected := p.body.between(p.selection())
	p.body.set(lines)
	if from, to := p.selection(); to.line >= len(lines) || p.body.between(from, to) != selected {
		p.from, p.to = spot{}, spot{}
	}
	if p.text != "" {
		p.found = p.body.find(p.text)
		p.current = min(p.current, max(len(p.found)-1, 0))
	}
	p.update()
}

func (p *Printout) update() {
	p.sheet.Resize(fyne.NewSize(p.Size().Width, max(p.total(), p.Size().Height)))
	p.scroll.Offset.Y = min(p.scroll.Offset.Y, max(p.total()-p.Size().Height, 0))
	p.scroll.Refresh()
	p.sheet.draw()
}

// Lines returns the text.
func (p *Printout) Lines() []PrintLine { return p.body.lines }

// Text returns the whole text.
func (p *Printout) Text() string { return p.body.between(spot{}, p.body.end()) }

// Selected returns the selected text.
func (p *Printout) Selected() string { return p.body.between(p.selection()) }

// SelectAll selects the whole text.
func (p *Printout) SelectAll() { p.choose(spot{}, p.body.end()) }

func (p *Printout) selection() (from, to spot) {
	if p.to.before(p.from) {
		return p.to, p.from
	}
	return p.from, p.to
}

func (p *Printout) choose(from, to spot) {
	if p.from != from || p.to != to {
		p.from, p.to = from, to
		p.sheet.draw()
	}
}

// Search highlights a text and scrolls to its first place at or below the first visible row. It returns which
// place that is, from 1, and how many there are.
func (p *Printout) Search(text string) (at, of int) {
	p.text, p.found = text, p.body.find(text)
	line := 0
	if top := int(p.scroll.Offset.Y / printRow); top < len(p.body.pieces) {
		line = p.body.pieces[top].line
	}
	p.current = foundAfter(p.found, line)
	return p.Next(0)
}

// Next scrolls to the next place of the searched text or, if step is -1, to the one before. It returns what Search returns.
func (p *Printout) Next(step int) (at, of int) {
	defer p.sheet.draw()
	n := len(p.found)
	if n == 0 {
		return 0, 0
	}
	p.current = (p.current + step + n) % n
	c := p.found[p.current]
	p.reveal(p.body.pieceOf(spot{c.line, c.from}))
	return p.current + 1, n
}

// Found returns which place of the searched text is the current one, from 1, and how many there are.
func (p *Printout) Found() (at, of int) { return min(p.current+1, len(p.found)), len(p.found) }

// reveal scrolls so that a row is visible.
func (p *Printout) reveal(piece int) {
	y, high := float32(piece)*printRow, p.Size().Height
	if y < p.scroll.Offset.Y || y+printRow > p.scroll.Offset.Y+high {
		p.scroll.To(y - (high-printRow)/2)
	}
}

func (p *Printout) total() float32 { return float32(len(p.body.pieces))*printRow + 4 }

// AtBottom reports whether the last row is visible.
func (p *Printout) AtBottom() bool {
	return p.scroll.Offset.Y >= p.total()-p.Size().Height-printRow
}

// ScrollToBottom scrolls to the last row.
func (p *Printout) ScrollToBottom() { p.scroll.To(p.total()) }

// ScrollToTop scrolls to the first row.
func (p *Printout) ScrollToTop() { p.scroll.To(0) }

// Scroll returns the Scroll of the text.
func (p *Printout) Scroll() *Scroll { return p.scroll }

// left returns where the text begins.
func (p *Printout) left() float32 { return printPad + p.marks }

// CreateRenderer implements fyne.Widget.
func (p *Printout) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{p.scroll, p.sheet.ring},
		layout: func(s fyne.Size) {
			bottom := p.atEnd // when it had another size
			p.scroll.Resize(s)
			Place(p.sheet.ring, 0, 0, s.Width, s.Height)
			p.body.fit(s.Width - p.left() - printPad)
			p.update()
			if bottom {
				p.ScrollToBottom()
			}
		},
		min: func() fyne.Size { return fyne.NewSize(80, printRow) },
	}
}

var (
	_ desktop.Mouseable   = (*printSheet)(nil)
	_ desktop.Hoverable   = (*printSheet)(nil)
	_ desktop.Cursorable  = (*printSheet)(nil)
	_ fyne.Draggable      = (*printSheet)(nil)
	_ fyne.DoubleTappable = (*printSheet)(nil)
	_ fyne.Focusable      = (*printSheet)(nil)
	_ fyne.Shortcutable   = (*printSheet)(nil)
)

// A printSheet is what a Printout scrolls. It draws the visible rows and gets what the user does on them.
type printSheet struct {
	widget.BaseWidget
	p       *Printout
	ring    *canvas.Rectangle // shown with the focus
	drawn   []fyne.CanvasObject
	texts   []*canvas.Text
	grounds []*canvas.Rectangle
}

// draw creates the objects of the visible rows.
func (s *printSheet) draw() {
	p := s.p
	first := max(int(p.scroll.Offset.Y/printRow), 0)
	last := min(int((p.scroll.Offset.Y+p.Size().Height)/printRow)+1, len(p.body.pieces))
	var grounds, texts []fyne.CanvasObject
	ground := func(fill, edge color.Color, x, y, w float32) {
		if n := len(grounds); n == len(s.grounds) {
			s.grounds = append(s.grounds, Fill(fill, 2))
		}
		r := s.grounds[len(grounds)]
		r.FillColor, r.StrokeColor, r.StrokeWidth = fill, edge, 0
		if edge != nil {
			r.StrokeWidth = 1.5
		}
		Place(r, x, y, w, printRow)
		grounds = append(grounds, r)
	}
	write := func(text string, size float32, ink color.Color, x, y float32) {
		if text == "" {
			return
		}
		if len(texts) == len(s.texts) {
			s.texts = append(s.texts, Text("", size, ink, fyne.TextStyle{Monospace: true}))
		}
		t := s.texts[len(texts)]
		if t.Text != text || t.Color != ink || t.TextSize != size {
			t.Text, t.Color, t.TextSize = text, ink, size
			t.Refresh()
		}
		h := t.MinSize().Height
		Place(t, x, y+(printRow-h)/2, t.MinSize().Width, h)
		texts = append(texts, t)
	}
	for i := first; i < last; i++ {
		c, y := p.body.pieces[i], float32(i)*printRow
		l := p.body.lines[c.line]
		s.highlight(c, y, ground)
		if c.from == 0 {
			write(l.Mark, printSize-1, p.k.P.Muted, printPad, y)
		}
		write(l.Text[c.from:c.to], printSize, l.Ink, p.left(), y)
	}
	s.drawn, p.atEnd = slices.Concat(grounds, texts), p.AtBottom()
	canvas.Refresh(s)
}

// highlight draws what is behind the text of a piece: what is selected, and what the user searches.
func (s *printSheet) highlight(c passage, y float32, ground func(fill, edge color.Color, x, y, w float32)) {
	p := s.p
	text := p.body.lines[c.line].Text
	part := func(from, to int) (x, w float32) {
		from, to = max(from, c.from), min(to, c.to)
		return p.left() + p.body.wide(text[c.from:from]), p.body.wide(text[from:to])
	}
	if from, to := p.selection(); from != to && from.line <= c.line && c.line <= to.line {
		a, b := c.from, c.to
		if c.line == from.line {
			a = max(a, from.at)
		}
		if c.line == to.line {
			b = min(b, to.at)
		}
		if a <= b {
			x, w := part(a, b)
			if c.line < to.line && c.to == len(text) {
				w += p.body.char // the end of the line is selected, too
			}
			if w > 0 {
				ground(p.k.P.Selected, nil, x, y, w)
			}
		}
	}
	if len(p.found) == 0 {
		return
	}
	for i := foundAfter(p.found, c.line); i < len(p.found) && p.found[i].line == c.line; i++ {
		f := p.found[i]
		if f.from >= c.to || f.to <= c.from {
			continue
		}
		x, w := part(f.from, f.to)
		if i == p.current {
			ground(p.k.P.WarnBg, p.k.P.Warn, x-1, y, w+2)
		} else {
			ground(p.k.P.WarnBg, nil, x, y, w)
		}
	}
}

// at returns the place of the text at a position in the sheet.
func (s *printSheet) at(pos fyne.Position) spot {
	return s.p.body.spotIn(int(pos.Y/printRow), pos.X-s.p.left())
}
