package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// A line is a line that the cursor can reach. Until something is overwritten, it is its text.
// Then it is its cells, because wide characters take two columns.
type line struct {
	tag        int64
	start, end int64
	text       []byte // while cells is nil
	columns    int    // of the first measured bytes of text
	measured   int
	cells      []string // a character with its combining marks; "" for the second half of a wide one
	column     int      // of the cursor, if there are cells or it is away
	away       bool     // the cursor is not at the end of text
	broken     bool     // it ended with a line break
	altered    bool     // it has control characters
}

func (l *line) size() int {
	if l.cells != nil {
		return len(l.cells)
	}
	return len(l.text)
}

// full reports whether what follows belongs to the next line. Characters may have no width.
func (l *line) full() bool { return l.at() >= maxLine || len(l.text) >= 8*maxLine }

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
	if l.cells == nil && !l.away {
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
	text, at := l.text, l.at()
	l.text, l.columns, l.measured = nil, 0, 0
	l.cells, l.column, l.away = make([]string, 0, len(text)+16), 0, false
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == '\t' {
			l.pad(l.column + 8 - l.column%8)
		}
		l.put(r, string(text[:n]))
		text = text[n:]
	}
	l.column = at
}

// join is the reverse of divide.
func (l *line) join() {
	if l.cells == nil {
		return
	}
	l.text, l.cells, l.away = []byte(strings.TrimRight(strings.Join(l.cells, ""), " ")), nil, false
	at := l.column
	l.away = at != l.at()
	l.column = at
}

// home moves the cursor to the first column.
func (l *line) home() {
	if l.cells == nil {
		l.away = len(l.text) > 0
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
	if l.cells != nil || l.away {
		return l.column
	}
	for l.measured < len(l.text) {
		if b := l.text[l.measured]; b < utf8.RuneSelf && b != '\t' {
			l.measured++
			l.columns++
			continue
		}
		r, n := utf8.DecodeRune(l.text[l.measured:])
		l.measured += n
		if r == '\t' {
			l.columns += 8 - l.columns%8
		} else {
			l.columns += runewidth.RuneWidth(r)
		}
	}
	return l.columns
}

// erase replaces columns by spaces.
func (l *line) erase(from, to int) {
	if from == 0 && to >= l.size() {
		at := l.at()
		*l = line{tag: l.tag, start: l.start, end: l.end, column: at, away: at > 0, broken: l.broken, altered: l.altered}
		return
	}
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
