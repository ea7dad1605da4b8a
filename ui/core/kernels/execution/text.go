package execution

import (
	"fmt"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// Limits of text for models, and of stored text.
const (
	modelStream    = 20_000   // bytes of stdout, of stderr
	modelMessage   = 20_000   // bytes of an exception's message
	modelTraceback = 12_000   // bytes; a deep recursion has thousands of lines
	userStream     = 64 << 20 // bytes of each stream in the library, for the user
	userText       = 1 << 20  // bytes of a result, an exception's message and its traceback there
)

// Kept returns what is kept of a text that is part of an execution's record, which the library
// holds in memory and writes several times, and how many bytes of it are not.
func Kept(s string) (text string, dropped int64) {
	if len(s) <= userText {
		return s, 0
	}
	half := userText / 2
	return truncate.Join(s[:half], s[len(s)-half:], int64(len(s))), int64(len(s) - userText)
}

// bounded cuts the middle out of s if it is longer than limit bytes. It then also returns a
// note, which ends in rest: where to find all of it.
func bounded(stream, s string, limit int, rest string) (string, []catalog.Truncation) {
	if len(s) <= limit {
		return s, nil
	}
	half := limit / 2
	return truncate.Join(s[:half], s[len(s)-half:], int64(len(s))),
		[]catalog.Truncation{{Stream: stream, TotalBytes: int64(len(s)), Reason: shownOnly(limit) + rest, Left: int64(len(s) - 2*half)}}
}

func shownOnly(limit int) string {
	return fmt.Sprintf("only the first and last %d bytes are shown", limit/2)
}

// inLastValue says where to find the full message of an error in a Python kernel.
const inLastValue = "; in a Python session str(sys.last_value) is all of it, until the next error"

// inOut says where to find the full result in IPython; "" if unknown.
func inOut(r library.Execution) string {
	if r.Count == 0 {
		return ""
	}
	return fmt.Sprintf("; in a Python session Out[%d] is the object", r.Count)
}

// Numbered returns the description of the plot with the 0-based index n in its execution.
// of is the number of plots, or 0 while more may come. Without "in this run", the number
// could be taken for the plot's number in its session, which the window shows.
func Numbered(n, of int) string {
	if of > 1 {
		return fmt.Sprintf("Plot %d of %d in this run", n+1, of)
	}
	return fmt.Sprintf("Plot %d in this run", n+1)
}
