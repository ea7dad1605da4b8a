package logbook

import (
	"fmt"
	"strings"

	"easel/mcphost/catalog"
)

// A tally counts what is in a chapter of a report.
type tally struct{ runs, plots, failed, died, answers, refused, calls, shortened, hidden int }

func (n *tally) add(e Entry) {
	if r := e.Received; r != nil {
		for _, found := range r.Masked {
			n.hidden += found
		}
		if r.LeftOutBytes > 0 {
			n.shortened++
		}
	}
	switch x := e.Execution; {
	case e.Record == RecordAnswer:
		if n.answers++; e.Answer.Given == "denied" {
			n.refused++
		}
	case x != nil:
		n.runs, n.plots = n.runs+1, n.plots+len(x.Images)
		if failedStatus(x.Status) {
			n.failed++
		}
		if x.Status == catalog.StatusKernelDied {
			n.died++
		}
	default:
		n.calls++
	}
}

// in returns the counts in words, without those that are zero.
func (n *tally) in(t *words) string {
	var all []string
	for _, c := range []struct {
		n    int
		word string
	}{
		{n.runs, t.Runs},
		{n.plots, t.Drew},
		{n.failed, t.Failed},
		{n.died, t.Died},
		{n.answers, t.Answers},
		{n.refused, t.Refused},
		{n.calls, t.Calls},
		{n.shortened, t.Shortened},
		{n.hidden, t.Hid},
	} {
		if c.n > 0 {
			all = append(all, fmt.Sprintf(c.word, c.n))
		}
	}
	return strings.Join(all, " · ")
}
