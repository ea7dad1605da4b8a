package terminal

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

const escape = 0x1b

// act carries out the control character or control sequence at the beginning of p. It
// returns its length, or 0 if it is unfinished.
func (s *Screen) act(p []byte) int {
	l := s.lines[s.row]
	l.altered = l.altered || p[0] != '\n'
	switch p[0] {
	case '\n', '\v', '\f':
		s.split = false
		s.feed()
	case '\r':
		s.split = false
		l.home()
	case '\b':
		s.split = false
		if at := l.at(); at > 0 {
			l.moveTo(at - 1)
		}
	case escape:
		return s.sequence(p)
	}
	return 1
}

// feed moves the cursor to the beginning of the next line.
func (s *Screen) feed() {
	l := s.lines[s.row]
	if s.row == len(s.lines)-1 {
		l.broken = true
		l.end = s.read + 1
		s.newLine()
		s.lines[len(s.lines)-1].start = s.read + 1
		return
	}
	s.goTo(s.row+1, 0)
}

// goTo moves the cursor to a line of the window, or to its first or last one.
func (s *Screen) goTo(row, column int) {
	row = max(0, min(row, len(s.lines)-1))
	if row != s.row {
		s.moved, s.split = true, false
		s.row = row
	}
	s.lines[row].moveTo(column)
}

// sequence carries out the escape sequence at the beginning of p.
func (s *Screen) sequence(p []byte) int {
	if len(p) < 2 {
		return 0
	}
	switch p[1] {
	case '[':
		for i := 2; i < len(p); i++ {
			if p[i] >= '@' && p[i] <= '~' {
				s.command(p[i], string(p[2:i]))
				return i + 1
			}
			if p[i] < ' ' || p[i] > '~' {
				return i // malformed
			}
		}
	case ']', 'P', '^', '_', 'X': // a title or a link, up to its terminator
		body := p[:min(len(p), maxPending)]
		if i := bytes.IndexAny(body[2:], "\a"); i >= 0 {
			if j := bytes.Index(body[2:2+i], []byte("\x1b\\")); j >= 0 {
				return 2 + j + 2
			}
			return 2 + i + 1
		}
		if j := bytes.Index(body[2:], []byte("\x1b\\")); j >= 0 {
			return 2 + j + 2
		}
	case '(', ')', '*', '+', '#', '%', ' ':
		if len(p) >= 3 {
			return 3
		}
	case '7':
		s.saved = [2]int{s.row, s.lines[s.row].at()}
		return 2
	case '8':
		s.goTo(s.saved[0], s.saved[1])
		return 2
	case 'M':
		s.goTo(s.row-1, s.lines[s.row].at())
		return 2
	case 'D', 'E':
		s.feed()
		return 2
	default:
		return 2
	}
	if len(p) >= maxPending {
		return 2
	}
	return 0
}

// command carries out a control sequence with its parameters.
func (s *Screen) command(final byte, parameters string) {
	if strings.HasPrefix(parameters, "?") || strings.HasPrefix(parameters, ">") {
		return // modes
	}
	first, second, _ := strings.Cut(parameters, ";")
	n, l := max(1, number(first)), s.lines[s.row]
	switch final {
	case 'A':
		s.goTo(s.row-n, l.at())
	case 'B':
		s.goTo(s.row+n, l.at())
	case 'C':
		l.moveTo(l.at() + n)
	case 'D':
		l.moveTo(max(0, l.at()-n))
	case 'E':
		s.goTo(s.row+n, 0)
	case 'F':
		s.goTo(s.row-n, 0)
	case 'G', '`':
		l.moveTo(n - 1)
	case 'H', 'f':
		s.goTo(n-1, max(1, number(second))-1)
	case 'J':
		s.eraseScreen(number(first))
	case 'K':
		eraseLine(l, number(first))
	case 'P':
		l.remove(n)
	case 'X':
		l.erase(l.at(), l.at()+n)
	case 's':
		s.saved = [2]int{s.row, l.at()}
	case 'u':
		s.goTo(s.saved[0], s.saved[1])
	}
}

// number returns a parameter, at most maxPending.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil && text != "" && strings.Trim(text, "0123456789") == "" {
		return maxPending
	}
	return min(n, maxPending)
}

func eraseLine(l *line, which int) {
	at := l.at()
	switch which {
	case 0:
		l.erase(at, math.MaxInt)
	case 1:
		l.erase(0, at+1)
	default:
		l.erase(0, math.MaxInt)
	}
}

// eraseScreen erases what is below the cursor, above it, or everything.
func (s *Screen) eraseScreen(which int) {
	for i, l := range s.lines {
		if i != s.row && (which >= 2 || (which == 0) == (i > s.row)) {
			l.erase(0, math.MaxInt)
			s.moved = true
		}
	}
	eraseLine(s.lines[s.row], min(which, 2))
}
