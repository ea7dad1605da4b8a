// Package terminal computes what a terminal shows of a program's output: carriage returns,
// backspaces, cursor movements and erasures (ECMA-48) are carried out, and colours are
// removed. It does no I/O.
//
// # Goroutines
//
// The package starts none. A Screen is not safe for concurrent use.
package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// window is the number of lines that the cursor can reach, as on a screen.
	window = 60
	// width is the column up to which the cursor moves beyond the end of a line. It bounds
	// how much longer a line is than the text that makes it.
	width = 240
	// maxLine is the column at which a line goes on in the next one, as in a very wide terminal.
	maxLine = 4096
	// maxPending is the length at which an unfinished control sequence counts as none.
	maxPending = 4096
)

// A Screen shows a stream of text. It keeps the lines that the cursor can reach, and the
// first and the last of those above, in bounded memory.
type Screen struct {
	half    int // bytes of the lines kept at each end
	lines   []*line
	row     int
	tag     int64
	split   bool   // the next text begins a line of its own
	moved   bool   // the cursor has moved to another line
	pending []byte // an unfinished character or control sequence
	read    int64  // bytes that were written, without pending
	saved   [2]int // row and column

	head, tail          []Line
	headBytes, tailSize int
	left, total         int64 // bytes of finished lines: not kept, and all
}

// A Line is a line of a screen.
type Line struct {
	Tag   int64  // see Screen.Mark
	Text  string // with its line break, if it has one
	Start int64  // where in the stream it begins
	End   int64  // where in the stream it was last written to
	Plain bool   // Text is exactly the stream from Start on
}

// New returns a screen that keeps, of the lines that the cursor can no longer reach, about the
// first and the last half bytes.
func New(half int) *Screen {
	s := &Screen{half: half}
	s.lines = []*line{{}}
	return s
}

// Text returns what a terminal shows of text.
func Text(text string) string {
	if !strings.ContainsFunc(text, control) {
		return text
	}
	s := New(len(text))
	s.Write([]byte(text))
	var b strings.Builder
	head, tail, _ := s.Lines()
	for _, l := range append(head, tail...) {
		b.WriteString(l.Text)
	}
	return b.String()
}

// control reports whether a terminal does something other than showing r.
func control(r rune) bool { return (r < ' ' && r != '\n' && r != '\t') || r == 0x7f }

// Mark gives the lines that begin from now on a tag. With split, text does not continue the
// current line, unless it first moves the cursor.
func (s *Screen) Mark(tag int64, split bool) {
	s.tag = tag
	current := s.lines[s.row]
	if current.empty() && s.row == len(s.lines)-1 {
		current.tag = tag
		return
	}
	s.split = split
}

// Read returns how many bytes the screen has shown. An unfinished control sequence at the end
// is not among them.
func (s *Screen) Read() int64 { return s.read }

// Write shows p.
func (s *Screen) Write(p []byte) {
	if len(s.pending) > 0 {
		p = append(s.pending, p...)
		s.pending = nil
	}
	for len(p) > 0 {
		n := plainLength(p)
		if n == 0 {
			if n = s.act(p); n == 0 { // unfinished
				s.pending = append([]byte(nil), p...)
				return
			}
			s.read += int64(n)
			p = p[n:]
			continue
		}
		if n == len(p) {
			n -= incomplete(p)
			if n == 0 {
				s.pending = append([]byte(nil), p...)
				return
			}
		}
		s.print(p[:n])
		p = p[n:]
	}
}

// plainLength returns the number of bytes before the first control character but tabs.
func plainLength(p []byte) int {
	for i, b := range p {
		if b < ' ' && b != '\t' || b == 0x7f {
			return i
		}
	}
	return len(p)
}

// incomplete returns the number of bytes of an unfinished character at the end of p.
func incomplete(p []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(p)); i++ {
		if b := p[len(p)-i]; utf8.RuneStart(b) {
			if utf8.FullRune(p[len(p)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

// print shows text without control characters.
func (s *Screen) print(text []byte) {
	s.breakIfSplit()
	for len(text) > 0 {
		l := s.lines[s.row]
		if l.full() {
			if s.row == len(s.lines)-1 {
				s.newLine()
			} else {
				s.goTo(s.row+1, 0)
			}
			l = s.lines[s.row]
		}
		n := min(len(text), max(1, maxLine-l.at()))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		if l.empty() {
			l.start = s.read
		}
		l.print(text[:n])
		s.read += int64(n)
		l.end = s.read
		text = text[n:]
	}
}

func (s *Screen) breakIfSplit() {
	if s.split && s.row == len(s.lines)-1 {
		s.newLine()
	}
	s.split = false
}

// newLine adds a line below the last one, and moves the cursor there.
func (s *Screen) newLine() {
	s.lines = append(s.lines, &line{tag: s.tag, start: s.read, end: s.read})
	s.row = len(s.lines) - 1
	for len(s.lines) > window {
		s.finish(s.lines[0].shown(true))
		s.lines[0] = nil
		s.lines = s.lines[1:]
		s.row--
		s.saved[0]--
	}
}

// finish keeps a line that the cursor can no longer reach.
func (s *Screen) finish(l Line) {
	s.total += int64(len(l.Text))
	if s.left == 0 && len(s.tail) == 0 && s.headBytes+len(l.Text) <= s.half {
		s.head = append(s.head, l)
		s.headBytes += len(l.Text)
		return
	}
	s.tail = append(s.tail, l)
	s.tailSize += len(l.Text)
	if s.tailSize < 3*s.half+maxPending || len(s.tail) == 1 {
		return
	}
	if len(s.head) == 0 { // a very long first line
		s.head = append(s.head, s.tail[0])
		s.headBytes += len(s.tail[0].Text)
		s.tailSize -= len(s.tail[0].Text)
		s.tail = s.tail[1:]
	}
	drop := 0
	for drop < len(s.tail)-1 && s.tailSize-len(s.tail[drop].Text) > s.half {
		s.tailSize -= len(s.tail[drop].Text)
		s.left += int64(len(s.tail[drop].Text))
		drop++
	}
	s.tail = append([]Line(nil), s.tail[drop:]...)
}

// Lines returns the screen's lines: those before and those after the ones that are not kept,
// and how many bytes are not kept.
func (s *Screen) Lines() (head, tail []Line, left int64) {
	last := len(s.lines)
	if s.moved { // erased lines below the text
		for last > 1 && s.lines[last-1].blank() && s.lines[last-2].blank() {
			last--
		}
	}
	for i, l := range s.lines[:last] {
		tail = append(tail, l.shown(i < last-1))
	}
	tail = append(append([]Line(nil), s.tail...), tail...)
	if s.left == 0 {
		return append(append([]Line(nil), s.head...), tail...), nil, 0
	}
	return s.head, tail, s.left
}

// Last returns the last line that is not blank, or "".
func (s *Screen) Last() string {
	for _, l := range slices.Backward(s.lines) {
		if text := strings.TrimSpace(l.shown(false).Text); text != "" {
			return text
		}
	}
	return ""
}

// Settle frees memory that is needed only while text arrives. More text may follow.
func (s *Screen) Settle() {
	for _, l := range s.lines {
		l.join()
	}
}

// Size returns how many bytes the finished and the current lines have.
func (s *Screen) Size() int {
	n := s.total
	for _, l := range s.lines {
		n += int64(l.size())
	}
	return int(n)
}

// Skip leaves out bytes of the stream. What follows begins a line.
func (s *Screen) Skip(bytes int64) {
	s.row = len(s.lines) - 1
	s.newLine()
	for len(s.lines) > 1 {
		s.finish(s.lines[0].shown(true))
		s.lines = s.lines[1:]
	}
	s.row, s.pending = 0, nil
	if len(s.head) == 0 {
		s.head = s.tail
	} else {
		s.left += int64(s.tailSize)
	}
	s.tail, s.tailSize = nil, 0
	s.left += bytes
	s.read += bytes
	s.lines[0].start, s.lines[0].end = s.read, s.read
}
