package kit

import (
	"image/color"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"easel/ui/window/theme"
)

var (
	_ fyne.Widget = (*Code)(nil)
	_ Tall        = (*Code)(nil)
)

// MostLines is the maximum number of lines that a Code shows. A last line gives the
// number of the others.
const MostLines = 400

// Code shows syntax-highlighted source, or plain output, in a box. Long lines wrap: a
// box that scrolls sideways would take the wheel from the panel around it.
type Code struct {
	widget.BaseWidget
	k       *Kit
	size    float32
	numbers bool
	lines   [][]run      // before wrapping
	marked  map[int]bool // lines, from 1, to look at
	more    int          // number of lines that are not shown
	box     *Area

	width float32
	texts []fyne.CanvasObject
	high  float32
}

// A run is a part of a line in one colour.
type run struct {
	text string
	ink  color.Color
}

// Code returns a view of source in a language that chroma knows, for example "python".
func (k *Kit) Code(source, language string) *Code {
	c := &Code{k: k, size: theme.TextBody - 1, numbers: true, box: k.Area(k.P.Code, theme.Radius)}
	c.lines, c.more = c.highlight(strings.TrimRight(source, "\n"), language)
	c.box.Paint(k.P.Code, k.P.Line, 1)
	c.ExtendBaseWidget(c)
	return c
}

// Mark marks lines, counted from 1, that the user should look at.
func (c *Code) Mark(lines ...int) {
	c.marked = make(map[int]bool)
	for _, n := range lines {
		c.marked[n] = true
	}
	c.texts = nil
}

// ruleWidth is the length to which a line of dashes is shortened. A traceback begins
// with one, which would otherwise wrap to three lines.
const ruleWidth = 32

// A Passage is plain text in one colour. It ends a line.
type Passage struct {
	Text string
	Ink  color.Color
}

// Output returns a view of plain text.
func (k *Kit) Output(passages ...Passage) *Code {
	c := &Code{k: k, size: theme.TextBody - 1, box: k.Area(k.P.Code, theme.Radius)}
	for _, p := range passages {
		for line := range strings.SplitSeq(strings.TrimRight(p.Text, "\n"), "\n") {
			if len(c.lines) == MostLines {
				c.more++
				continue
			}
			if len(line) > ruleWidth && strings.Trim(line, line[:1]) == "" && strings.IndexByte("-=_*#", line[0]) >= 0 {
				line = line[:ruleWidth]
			}
			c.lines = append(c.lines, []run{{strings.ReplaceAll(line, "\t", "    "), p.Ink}})
		}
	}
	c.box.Paint(k.P.Code, k.P.Line, 1)
	c.ExtendBaseWidget(c)
	return c
}

func (c *Code) highlight(source, language string) (lines [][]run, more int) {
	lexer := lexers.Get(language)
	if lexer == nil || len(source) > 1<<18 { // lexing a megabyte would block the UI for a second
		lexer = lexers.Fallback
	}
	it, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		it = chroma.Literator(chroma.Token{Type: chroma.Text, Value: source})
	}
	line := []run{}
	for t := it(); t != chroma.EOF; t = it() {
		ink := c.ink(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, line)
				line = []run{}
			}
			if part != "" {
				line = append(line, run{strings.ReplaceAll(part, "\t", "    "), ink})
			}
		}
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	if len(lines) > MostLines {
		lines, more = lines[:MostLines], len(lines)-MostLines
	}
	return lines, more
}

func (c *Code) ink(t chroma.TokenType) color.Color {
	syntax := c.k.P.Syntax()
	switch {
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return syntax[0].Colour
	case t.InSubCategory(chroma.LiteralString):
		return syntax[1].Colour
	case t.InSubCategory(chroma.LiteralNumber):
		return syntax[2].Colour
	case t.InCategory(chroma.Comment):
		return syntax[3].Colour
	case t == chroma.NameFunction, t == chroma.NameDecorator:
		return syntax[4].Colour
	case t == chroma.NameClass, t == chroma.NameBuiltin, t == chroma.NameNamespace, t == chroma.NameException:
		return syntax[5].Colour
	case t.InCategory(chroma.Operator), t.InCategory(chroma.Punctuation):
		return syntax[6].Colour
	default:
		return c.k.P.Text
	}
}

const codePad float32 = 8

// HeightFor implements Tall.
func (c *Code) HeightFor(width float32) float32 {
	c.set(width)
	return c.high
}

// PreferredWidth returns the width at which no line wraps.
func (c *Code) PreferredWidth() float32 {
	char := fyne.MeasureText("0", c.size, fyne.TextStyle{Monospace: true}).Width
	widest := float32(0)
	for _, line := range c.lines {
		w := float32(0)
		for _, r := range line {
			w += textWidth(r.text, c.size, char)
		}
		widest = max(widest, w)
	}
	return c.left(char) + widest + codePad + 1
}

// left returns where lines begin.
func (c *Code) left(char float32) float32 {
	if !c.numbers {
		return codePad
	}
	return codePad + char*float32(max(len(strconv.Itoa(len(c.lines))), 2)) + 10
}

// LineHeight returns the height of a line.
func (c *Code) LineHeight() float32 {
	return fyne.MeasureText("0", c.size, fyne.TextStyle{Monospace: true}).Height + 1
}

// set creates the texts for a width.
func (c *Code) set(width float32) {
	if c.width == width && c.texts != nil {
		return
	}
	c.width, c.texts = width, []fyne.CanvasObject{c.box}
	mono := fyne.TextStyle{Monospace: true}
	m := fyne.MeasureText("0", c.size, mono)
	step := m.Height + 1
	left := c.left(m.Width)
	y := codePad - 2
	var row []part
	for n, line := range c.lines {
		first, top := len(c.texts), y
		if c.numbers {
			t := Text(strconv.Itoa(n+1), c.size, c.k.P.Muted, mono)
			t.Alignment = fyne.TextAlignTrailing
			Place(t, 0, y, left-10, step)
			c.texts = append(c.texts, t)
		}
		x := left
		for _, r := range line {
			for rest := r.text; rest != ""; {
				here := rest
				if n := prefix(rest, width-codePad-x, c.size, m.Width); n < len(rest) {
					next := left + m.Width*2
					// it fits on the next line
					if x > next && prefix(rest, width-codePad-next, c.size, m.Width) == len(rest) && strings.TrimSpace(here) != "" {
						row = c.put(row, y, m.Width)
						x, y = next, y+step
						continue
					}
					if i := strings.LastIndexByte(rest[:n], ' ') + 1; !c.numbers && i > n/2 && n < len(rest) && rest[n] != ' ' {
						n = i // prose breaks between words
					}
					if n == 0 && x > next { // nothing fits: the next line
						row = c.put(row, y, m.Width)
						x, y = next, y+step
						continue
					}
					here = rest[:max(n, firstRune(rest))]
				}
				rest = rest[len(here):]
				row = append(row, part{run{here, r.ink}, x})
				x += textWidth(here, c.size, m.Width)
				if rest != "" {
					row = c.put(row, y, m.Width)
					x, y = left+m.Width*2, y+step
				}
			}
		}
		row = c.put(row, y, m.Width)
		y += step
		c.mark(n+1, first, top, y)
	}
	if c.more > 0 {
		c.cutAt(fyne.NewPos(left, y), fyne.NewSize(width, step))
		y += step
	}
	c.high = y + codePad - 2
}

// cutAt says that there are more lines.
func (c *Code) cutAt(at fyne.Position, size fyne.Size) {
	t := Text(c.k.T("code.more", c.more), c.size, c.k.P.Muted, fyne.TextStyle{Italic: true})
	Place(t, at.X, at.Y, size.Width, size.Height)
	c.texts = append(c.texts, t)
}

// put adds the texts of a line, and returns an empty line. On a screen they are as few as possible; tests read
// the parts in their order.
func (c *Code) put(line []part, y, char float32) []part {
	texts := line
	if c.k.Shaders {
		texts = joined(line, char)
	}
	for _, p := range texts {
		t := Text(p.text, c.size, p.ink, fyne.TextStyle{Monospace: true})
		Place(t, p.x, y, textWidth(p.text, c.size, char), c.LineHeight())
		c.texts = append(c.texts, t)
	}
	return line[:0]
}

// mark draws the ground of a line, if it is marked, behind the texts from an index on.
func (c *Code) mark(line, first int, top, end float32) {
	if c.marked[line] {
		ground := canvas.NewRectangle(c.k.P.WarnBg)
		Place(ground, 1, top, c.width-2, end-top)
		c.texts = slices.Insert(c.texts, first, fyne.CanvasObject(ground))
	}
}

// textWidth returns the width of s. It is fast for ASCII, whose characters all have the
// width char in a monospaced font.
func textWidth(s string, size, char float32) float32 {
	if !ascii(s) {
		return fyne.MeasureText(s, size, fyne.TextStyle{Monospace: true}).Width
	}
	return float32(len(s)) * char
}

// prefix returns how many bytes of s fit into w. It looks no further: s may have a million.
func prefix(s string, w, size, char float32) int {
	n, x := 0, float32(0)
	for n < len(s) {
		r, length := utf8.DecodeRuneInString(s[n:])
		d := char
		if r >= utf8.RuneSelf {
			d = runeWidth(r, size)
		}
		if x += d; x > w {
			return n
		}
		n += length
	}
	return n
}

// runeWidths are the widths of characters by sizedRune: to measure each of a million takes long.
var runeWidths sync.Map

type sizedRune struct {
	r    rune
	size float32
}

func runeWidth(r rune, size float32) float32 {
	if w, known := runeWidths.Load(sizedRune{r, size}); known {
		return w.(float32)
	}
	w := fyne.MeasureText(string(r), size, fyne.TextStyle{Monospace: true}).Width
	runeWidths.Store(sizedRune{r, size}, w)
	return w
}

func firstRune(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// CreateRenderer implements fyne.Widget.
func (c *Code) CreateRenderer() fyne.WidgetRenderer { return &codeRenderer{c} }

type codeRenderer struct{ c *Code }

func (r *codeRenderer) Layout(s fyne.Size) {
	r.c.set(s.Width)
	Place(r.c.box, 0, 0, s.Width, s.Height)
}
func (r *codeRenderer) MinSize() fyne.Size { return fyne.NewSize(80, r.c.high) }
func (r *codeRenderer) Objects() []fyne.CanvasObject {
	if r.c.texts == nil {
		return []fyne.CanvasObject{r.c.box}
	}
	return r.c.texts
}
func (r *codeRenderer) Destroy() {}
func (r *codeRenderer) Refresh() { canvas.Refresh(r.c) }
