package approvals

import (
	"fmt"
	"strings"
	"unicode"
)

// visibleCode makes everything in code visible. Characters that change the direction of
// text, have no width or control a terminal are written as their code points, and every
// line ending that Python knows ends a line.
func visibleCode(code string) string {
	code = strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
	var b strings.Builder
	for _, r := range code {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Co, r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
