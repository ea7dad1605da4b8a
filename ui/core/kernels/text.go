package kernels

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// Bounds of what a model sees; the user sees all of it.
const (
	modelStream    = 20_000 // bytes of stdout, of stderr
	modelMessage   = 20_000 // bytes of an exception's message
	modelTraceback = 12_000 // bytes; deep recursion makes a thousand lines
	userStream     = 64 << 20
)

// shorten joins head and tail with a line that says what is missing, on
// character boundaries.
func shorten(head, tail []byte, total int64) string {
	h := strings.ToValidUTF8(string(trimEnd(head)), "\ufffd")
	t := strings.ToValidUTF8(string(trimStart(tail)), "\ufffd")
	left := total - int64(len(head)) - int64(len(tail))
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", h, left, t)
}

// trimEnd drops a character that is cut at the end.
func trimEnd(p []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(p)); i++ {
		if b := p[len(p)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-i:]) {
				return p[:len(p)-i]
			}
			break
		}
	}
	return p
}

// trimStart drops the rest of a character that is cut at the start.
func trimStart(p []byte) []byte {
	for i := range min(utf8.UTFMax, len(p)) {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p
}

// bounded cuts s in the middle if it is longer than limit bytes, and says so, and where
// the rest is.
func bounded(stream, s string, limit int, rest string) (string, []catalog.Truncation) {
	if len(s) <= limit {
		return s, nil
	}
	half := limit / 2
	return shorten([]byte(s[:half]), []byte(s[len(s)-half:]), int64(len(s))),
		[]catalog.Truncation{{Stream: stream, TotalBytes: int64(len(s)), Reason: shownOnly(limit) + rest}}
}

func shownOnly(limit int) string {
	return fmt.Sprintf("only the first and last %d bytes are shown", limit/2)
}

// inLastValue says where a Python kernel keeps the whole message of an error.
const inLastValue = "; in a Python session str(sys.last_value) is all of it, until the next error"

// inOut says where IPython keeps a result.
func inOut(r library.Execution) string {
	if r.Count == 0 {
		return ""
	}
	return fmt.Sprintf("; in a Python session Out[%d] is the object", r.Count)
}

// ansi matches the escape sequences that IPython colours its tracebacks with
// (ECMA-48 CSI and OSC).
var ansi = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)")

func plain(s string) string { return ansi.ReplaceAllString(s, "") }
