package execution

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// A snapshot is an execution at one moment, as somebody reads it. It needs no lock: what it has is
// not changed.
type snapshot struct {
	state
	q              ReadOptions
	library        *library.Library
	here           cursor // of a client that has seen everything
	stdout, stderr excerpt
	midLine        bool               // the last line of stdout has no end yet, or there is none
	entries        []*outputlog.Entry // copies, in their order
	omitted        int                // entries that were left out of the middle
	omittedBytes   int64              // of their text
}

func newSnapshot(x *Execution, q ReadOptions) *snapshot {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &snapshot{
		state: x.state, q: q, library: x.library,
		here:    cursor{stdout: x.stdout.total, stderr: x.stderr.total, images: len(x.images), changes: x.log.Changes()},
		stdout:  x.stdout.excerpt(q.Limit, q.Final, x.log.Streams("stdout")),
		stderr:  x.stderr.excerpt(q.Limit, q.Final, x.log.Streams("stderr")),
		midLine: !x.stdout.endsLine(),
	}
	s.omitted, s.omittedBytes = x.log.Omitted()
	for _, e := range x.log.Entries() {
		e := *e
		s.entries = append(s.entries, &e)
	}
	return s
}

// view returns the execution as clients see it.
func (s *snapshot) view() catalog.Execution {
	v := s.summary()
	v.Outputs, v.Truncated = s.list(cursor{}, v, map[string]excerpt{"stdout": s.stdout, "stderr": s.stderr})
	return v
}

// summary returns the execution without its outputs.
func (s *snapshot) summary() catalog.Execution {
	r := s.rec
	v := catalog.Execution{
		Result:      catalog.Result{Success: !failed(r.Status)},
		ExecutionID: r.ID, SessionID: r.SessionID, Status: r.Status, Code: r.Code,
		ExecutionCount: r.Count, Error: r.Error, QueuePosition: s.position, AwaitingInput: s.input,
		Images:    append([]catalog.Image{}, s.images...),
		CreatedAt: r.CreatedAt.UTC(), Hint: s.hint,
	}
	if s.input != nil {
		v.Status = catalog.StatusAwaitingInput
	}
	for i := range v.Images {
		if v.Images[i].Interactive == "" { // a figure has its own description
			v.Images[i].Description = Numbered(i, s.shownSoFar())
		}
	}
	if r.Transport == catalog.TransportJupyter {
		v.Watched = r.Client
	}
	v.Stdout = s.stdout.text()
	v.Truncated = s.cut(v.Truncated, "stdout", s.stdout.seen, s.here.stdout)
	v.Stderr = condense(s.stderr.text())
	v.Truncated = s.cut(v.Truncated, "stderr", s.stderr.seen, s.here.stderr)
	var cut []catalog.Truncation
	v.Text, cut = bounded("result", s.result(), s.q.Limit, inOut(r))
	v.Truncated = append(append(v.Truncated, cut...), r.Truncated...)
	if v.Error != nil {
		e := *v.Error
		e.Message, cut = bounded("error.message", e.Message, modelMessage, inLastValue)
		v.Truncated = append(v.Truncated, cut...)
		e.Traceback, cut = bounded("traceback", e.Traceback, modelTraceback, "")
		v.Error, v.Truncated = &e, append(v.Truncated, cut...)
	}
	if !r.StartedAt.IsZero() {
		started := r.StartedAt.UTC()
		v.StartedAt = &started
		end := r.EndedAt
		switch {
		case !end.IsZero():
		case s.doubt != "": // it may have ended
			end = started
		default:
			end = time.Now()
		}
		v.ExecutionTimeMS = max(0, float64(end.Sub(r.StartedAt).Microseconds())/1000)
	}
	v.Next = s.here.String()
	if !catalog.Ended(r.Status) {
		v.Hint, v.Doubtful = s.openHint(), s.doubt != ""
	}
	return v
}

// result returns the text of the last value.
func (s *snapshot) result() string {
	if !s.q.Final {
		return s.rec.Result
	}
	if e := s.lastResult(); e != nil && e.MIME != "text/plain" && e.Text != "" {
		return terminal.Text(e.Text) // the plain text only names an object
	}
	return terminal.Text(s.rec.Result)
}

// shownSoFar returns the number of images of an ended execution; 0 while more may come.
func (s *snapshot) shownSoFar() int {
	if !catalog.Ended(s.rec.Status) {
		return 0
	}
	return len(s.images)
}

// failed reports whether a status means that the code did not succeed.
func failed(status string) bool {
	switch status {
	case catalog.StatusQueued, catalog.StatusAwaiting, catalog.StatusRunning, catalog.StatusOK:
		return false
	default:
		return true
	}
}

// A cursor is how much of an execution a client has seen: bytes of each stream, images, changes of
// the outputs, and bytes of the output that was changed next.
type cursor struct {
	stdout, stderr int64
	images         int
	changes, bytes int64
}

func (c cursor) String() string {
	text := fmt.Sprintf("%d.%d.%d", c.stdout, c.stderr, c.images)
	if c.bytes > 0 {
		return fmt.Sprintf("%s.%d.%d", text, c.changes, c.bytes)
	}
	if c.changes > 0 {
		return fmt.Sprintf("%s.%d", text, c.changes)
	}
	return text
}

// ErrBadCursor reports that after is not the Next of a view.
var ErrBadCursor = fmt.Errorf("not the 'next' of an earlier result")

func parseCursor(s string) (cursor, error) {
	parts := strings.Split(s, ".")
	if len(parts) < 3 || len(parts) > 5 {
		return cursor{}, ErrBadCursor
	}
	var n [5]int64
	for i, p := range parts {
		v, err := strconv.ParseInt(p, 10, 64)
		if err != nil || v < 0 {
			return cursor{}, ErrBadCursor
		}
		n[i] = v
	}
	return cursor{n[0], n[1], int(n[2]), n[3], n[4]}, nil
}
