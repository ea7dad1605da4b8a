// Package asking says the questions of assistants in words: for the window, for the chat of a client and for a terminal. Everything
// that comes from the assistant is shown so that nothing in it is hidden.
//
// # Goroutines
//
// The package starts none. All functions may be called on any goroutine.
package asking

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What is folded into a mark, because it would push code out of sight.
const (
	mostIndent = 60 // spaces at the beginning of a line
	mostGap    = 20 // spaces elsewhere
	mostBlank  = 10 // lines without code
	mostSame   = 3  // hidden characters of one kind
)

// mostMarks is the maximum number of combining marks on a character; more would cover the lines
// around it.
const mostMarks = 3

// VisibleCode makes everything in code visible. Characters that change the direction of
// text, look like nothing or control a terminal are written as their code points, and every
// line ending that Python knows ends a line. Long gaps and many blank lines are folded into
// a mark that gives their length.
func VisibleCode(code string) string {
	code = strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
	return foldBlank(foldGaps(namedHidden(code)))
}

// ShownLine returns which line of VisibleCode shows a line of code, both from 1: many blank lines are one.
func ShownLine(code string, line int) int {
	code = strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(code, "\n")
	return 1 + strings.Count(VisibleCode(strings.Join(lines[:min(max(line, 1), len(lines))], "\n")), "\n")
}

// VisibleName makes everything in the name of a file or program visible, in one line. A folder that
// was downloaded may have any name.
func VisibleName(name string) string {
	return strings.NewReplacer("\n", "[U+000A]", "\t", "[U+0009]").Replace(namedHidden(name))
}

// namedHidden writes what cannot be seen as code points, and folds repetitions.
func namedHidden(code string) string {
	var b strings.Builder
	var hidden rune // that is pending
	times, marks := 0, 0
	flush := func() {
		switch {
		case times > mostSame:
			fmt.Fprintf(&b, "[%d × U+%04X]", times, hidden)
		case times > 0:
			b.WriteString(strings.Repeat(fmt.Sprintf("[U+%04X]", hidden), times))
		}
		times = 0
	}
	base := false // there is a character that a combining mark can belong to
	for _, r := range code {
		combines := unicode.In(r, unicode.Mn, unicode.Me)
		if combines {
			marks++
		} else {
			marks, base = 0, r > ' '
		}
		if r != '\n' && r != '\t' && (isHidden(r) || combines && (marks > mostMarks || !base)) {
			if r != hidden {
				flush()
				hidden = r
			}
			times++
			continue
		}
		flush()
		b.WriteRune(r)
	}
	flush()
	return b.String()
}

// isHidden reports whether a character cannot be seen or recognised, or covers another.
func isHidden(r rune) bool {
	switch {
	case !unicode.IsGraphic(r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case slices.Contains(shapeless, r), unicode.Is(overlays, r):
		return true
	}
	return r != ' ' && r != '\u3000' && unicode.Is(unicode.Zs, r) // an ideographic space is as wide as its neighbours
}

// shapeless are letters, marks and symbols without a shape.
var shapeless = []rune{'\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0', '\U0001d159'}

// overlays are combining marks that are drawn over the character before.
var overlays = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0334, Hi: 0x0338, Stride: 1},
	{Lo: 0x0488, Hi: 0x0489, Stride: 1},
	{Lo: 0x20d2, Hi: 0x20f0, Stride: 1},
}}

// gap matches what may be folded within a line.
var gap = regexp.MustCompile(fmt.Sprintf("[ \t\u3000]{%d,}", mostGap/4))

// foldGaps folds long gaps of spaces, also at the end of a line.
func foldGaps(code string) string {
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		var b strings.Builder
		done := 0
		for _, at := range gap.FindAllStringIndex(line, -1) {
			n := columns(line[at[0]:at[1]])
			if n <= mostGap || at[0] == 0 && n <= mostIndent {
				continue
			}
			fmt.Fprintf(&b, "%s [%d spaces] ", line[done:at[0]], n)
			done = at[1]
		}
		lines[i] = b.String() + line[done:]
	}
	return strings.Join(lines, "\n")
}

// columns returns how wide a gap is.
func columns(gap string) (n int) {
	for _, r := range gap {
		switch r {
		case '\t':
			n += 4
		case '\u3000':
			n += 2
		default:
			n++
		}
	}
	return n
}

// foldBlank folds many lines without code into one.
func foldBlank(code string) string {
	var kept, blank []string
	flush := func() {
		if len(blank) > mostBlank {
			blank = []string{fmt.Sprintf("[%d blank lines]", len(blank))}
		}
		kept, blank = append(kept, blank...), nil
	}
	for line := range strings.SplitSeq(code, "\n") {
		if strings.TrimSpace(line) == "" {
			blank = append(blank, line)
			continue
		}
		flush()
		kept = append(kept, line)
	}
	flush()
	return strings.Join(kept, "\n")
}
