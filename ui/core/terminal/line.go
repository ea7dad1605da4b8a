package terminal

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// A line is a line that the cursor can reach. Until something is overwritten, it is its text.
// Then it is its cells, because wide characters take two columns.
type line struct {
	tag        int64
	start, end int64
	text       []byte   // while cells is nil
	cells      []string // a character with its combining marks; "" for the second half of a wide one
	column     int      // of the cursor, in cells
	atEnd      bool     // of text: the cursor is not at its end, but in column 0
	broken     bool     // it ended with a line break
	altered    bool     // it has control characters
}

func (l *line) size() int {
	if l.cells != nil {
		return len(l.cells)
	}
	return len(l.text)
}

func (l *line) empty() bool { return len(l.text) == 0 && len(l.cells) == 0 }

func (l *line) blank() bool { return strings.TrimSpace(l.shown(false).Text) == "" }

// shown returns the line. A line above another one has its line break.
func (l *line) shown(above bool) Line {
	text := string(l.text)
	if l.cells != nil {
		text = strings.TrimRight(strings.Join(l.cells, ""), " ")
	}
	if above && l.broken {
		text += "\n"
	}
	return Line{Tag: l.tag, Text: strings.ToValidUTF8(text, "\ufffd"), Start: l.start, End: l.end, Plain: !l.altered && utf8.Valid(l.text)}
}

// print writes text at the cursor.
func (l *line) print(text []byte) {
	if l.cells == nil && !l.atEnd {
		l.text = append(l.text, text...)
		return
	}
	l.divide()
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		l.put(r, string(text[:n]))
		text = text[n:]
	}
}

// put writes one character.
func (l *line) put(r rune, text string) {
	w := runewidth.RuneWidth(r)
	switch {
	case r == '\t':
		l.column = min(l.column+8-l.column%8, max(width, len(l.cells)))
		return
	case w == 0:
		if at := l.column - 1; at >= 0 && at < len(l.cells) {
			if l.cells[at] == "" && at > 0 {
				at--
			}
			if len(l.cells[at]) < 64 {
				l.cells[at] += text
			}
		}
		return
	}
	l.pad(l.column + w)
	l.part(l.column)
	l.part(l.column + w)
	l.cells[l.column] = text
	if w == 2 {
		l.cells[l.column+1] = ""
	}
	l.column += w
}

// part replaces a wide character of which a half begins at a column by spaces.
func (l *line) part(column int) {
	if column > 0 && column < len(l.cells) && l.cells[column] == "" {
		l.cells[column-1], l.cells[column] = " ", " "
	}
}

func (l *line) pad(columns int) {
	for len(l.cells) < columns {
		l.cells = append(l.cells, " ")
	}
}

// divide divides the text into cells.
func (l *line) divide() {
	if l.cells != nil {
		return
	}
	text, home := l.text, l.atEnd
	l.text, l.cells, l.column, l.atEnd = nil, make([]string, 0, len(text)+16), 0, false
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == '\t' {
			l.pad(l.column + 8 - l.column%8)
		}
		l.put(r, string(text[:n]))
		text = text[n:]
	}
	if home {
		l.column = 0
	}
}

// home moves the cursor to the first column.
func (l *line) home() {
	if l.cells == nil {
		l.atEnd = len(l.text) > 0
		return
	}
	l.column = 0
}

// moveTo moves the cursor to a column.
func (l *line) moveTo(column int) {
	if column == 0 {
		l.home()
		return
	}
	l.divide()
	l.column = max(0, min(column, max(width, len(l.cells))))
}

// at returns the column of the cursor.
func (l *line) at() int {
	if l.cells != nil {
		return l.column
	}
	if l.atEnd {
		return 0
	}
	if bytes.IndexByte(l.text, '\t') < 0 {
		return runewidth.StringWidth(string(l.text))
	}
	l.divide()
	return l.column
}

// erase replaces columns by spaces.
func (l *line) erase(from, to int) {
	l.divide()
	from, to = min(from, len(l.cells)), min(to, len(l.cells))
	if to == len(l.cells) {
		l.part(from)
		l.cells = l.cells[:from]
		return
	}
	l.part(from)
	l.part(to)
	for i := from; i < to; i++ {
		l.cells[i] = " "
	}
}

// remove removes n columns at the cursor.
func (l *line) remove(n int) {
	l.divide()
	if l.column >= len(l.cells) {
		return
	}
	to := min(l.column+n, len(l.cells))
	l.part(l.column)
	l.part(to)
	l.cells = append(l.cells[:l.column], l.cells[to:]...)
}
