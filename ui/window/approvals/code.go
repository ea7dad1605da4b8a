package approvals

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// What is folded into a mark, because it would push code out of sight.
const (
	mostIndent = 60 // spaces at the beginning of a line
	mostGap    = 20 // spaces elsewhere
	mostBlank  = 10 // lines without code
)

// visibleCode makes everything in code visible. Characters that change the direction of
// text, look like nothing or control a terminal are written as their code points, and every
// line ending that Python knows ends a line. Long gaps and many blank lines are folded into
// a mark that gives their length.
func visibleCode(code string) string {
	code = strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
	var b strings.Builder
	for _, r := range code {
		if r != '\n' && r != '\t' && isHidden(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return foldBlank(foldGaps(b.String()))
}

// isHidden reports whether a character cannot be seen or recognised.
func isHidden(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector):
		return true
	case r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u2800', r == '\u034f': // letters and marks without a shape
		return true
	}
	return r != ' ' && r != '\u3000' && unicode.Is(unicode.Zs, r) // an ideographic space is as wide as its neighbours
}

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
