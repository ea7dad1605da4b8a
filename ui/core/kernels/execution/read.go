package execution

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// ReadOptions say how much of an execution to return, and how.
type ReadOptions struct {
	// After is the Next of an earlier view. If it is set, only newer output is returned. While the
	// execution runs, that is the head and the tail of it. Once it has ended, that is the next
	// Limit bytes, with the After to continue.
	After string
	// Limit is the largest number of bytes of each stream, of the displayed text and of the result.
	Limit int
	// Final has text as a terminal finally shows it: without colours, and without what was
	// overwritten.
	Final bool
}

// Read returns an execution as clients see it. Truncated says what is left out and how to read it.
func (x *Execution) Read(ctx context.Context, q ReadOptions) (catalog.Execution, error) {
	q.Limit = min(q.Limit, modelStream)
	s := newSnapshot(x, q)
	if q.After == "" {
		return s.view(), nil
	}
	at, err := parseCursor(q.After)
	if err != nil {
		return s.view(), err
	}
	return s.since(ctx, at), nil
}

// since is like view, without what a client has seen.
func (s *snapshot) since(ctx context.Context, at cursor) catalog.Execution {
	v, texts := s.summary(), make(map[string]excerpt)
	v.Truncated = slices.DeleteFunc(v.Truncated, func(t catalog.Truncation) bool { return t.After != "" })
	texts["stdout"], v.Truncated = s.newer(ctx, "stdout", at.stdout, s.here.stdout, v.Truncated)
	texts["stderr"], v.Truncated = s.newer(ctx, "stderr", at.stderr, s.here.stderr, v.Truncated)
	v.Stdout, v.Stderr = texts["stdout"].text(), condense(texts["stderr"].text())
	v.Images = v.Images[min(at.images, len(v.Images)):]
	v.Outputs, v.Truncated = s.list(at, v, texts)
	return v
}

// mostRead is how much of a stream is read to find out what a terminal shows of it, in bytes.
const mostRead = 4 << 20

// newer reads the output of a stream after the offset from, and adds a note to notes if it
// leaves some out. If the stream was cleared since, it reads from the start.
func (s *snapshot) newer(ctx context.Context, stream string, from, total int64, notes []catalog.Truncation) (excerpt,
	[]catalog.Truncation,
) {
	if from > total {
		from = 0
	}
	entries := s.printed(stream)
	paged := total-from <= int64(s.q.Limit) || catalog.Ended(s.rec.Status)
	head := s.q.Limit
	switch {
	case s.q.Final:
		head = mostRead
	case !paged:
		head = s.q.Limit / 2
	}
	if from == total {
		return excerpt{seen: total}, notes
	}
	// What was written since the snapshot is for the next call.
	head = int(min(int64(head), total-from))
	text, _, err := s.library.Output.Read(ctx, s.rec.ID, stream, from, head)
	var tail []byte
	if last := total - int64(s.q.Limit/2); err == nil && !paged && !s.q.Final {
		tail, _, err = s.library.Output.Read(ctx, s.rec.ID, stream, last, s.q.Limit/2)
	}
	if err != nil {
		return excerpt{}, append(notes, catalog.Truncation{
			Stream: stream, TotalBytes: total - from,
			Reason: "the output cannot be read: " + err.Error(),
		})
	}
	if s.q.Final {
		e := finally(text, from, total, entries, s.q.Limit, paged)
		if !paged {
			return e, s.cut(notes, stream, e.seen, total)
		}
		return e, s.rest(notes, stream, e.seen, total)
	}
	if from+int64(len(text)) < total {
		text = truncate.TrimEnd(text)
	}
	e := excerpt{seen: from + int64(len(text)), pieces: divided(text, from, entries)}
	if paged {
		return e, s.rest(notes, stream, e.seen, total)
	}
	e.skip(total - from - int64(len(text)) - int64(len(tail)))
	e.add(divided(truncate.TrimStart(tail), total-int64(len(tail)), entries)...)
	return e, s.cut(notes, stream, e.seen, total)
}

// printed returns the entries of a stream, by their offset.
func (s *snapshot) printed(stream string) (entries []*outputlog.Entry) {
	for _, e := range s.entries {
		if e.Kind == stream && e.Widget == "" {
			entries = append(entries, e)
		}
	}
	return entries
}

// finally returns what a terminal shows of text, which begins at an offset of a stream with total
// bytes: the first limit bytes of it, or, unless it is paged, its head and tail.
func finally(text []byte, from, total int64, entries []*outputlog.Entry, limit int, paged bool) excerpt {
	screen := terminal.New(limit)
	marks := entries
	shown := 0
	for at := 0; at < len(text); {
		next := len(text)
		for len(marks) > 0 && marks[0].At <= from+int64(at) {
			screen.Mark(marks[0].ID, marks[0].Split)
			marks = marks[1:]
		}
		if len(marks) > 0 {
			next = min(next, int(marks[0].At-from))
		}
		if i := bytes.IndexByte(text[at:next], '\n'); i >= 0 && paged {
			next = at + i + 1
		}
		screen.Write(text[at:next])
		at = next
		if shown = screen.Size(); paged && shown > limit {
			break
		}
	}
	e := linesOf(screen, limit, screen.Read())
	if paged && shown > limit { // the lines before the last one, or a part of a long one
		head, _, _ := screen.Lines()
		e = excerpt{}
		for size, i := 0, 0; i < len(head) && size+len(head[i].Text) <= limit; i++ {
			size += len(head[i].Text)
			e.seen = head[i].End
			e.add(piece{head[i].Tag, head[i].Text})
		}
		if e.pieces == nil {
			part := truncate.TrimEnd(head[0].Text[:limit])
			if e.seen = head[0].End; head[0].Plain {
				e.seen = head[0].Start + int64(len(part))
			}
			e.add(piece{head[0].Tag, part})
		}
	}
	e.seen += from
	if from+int64(len(text)) >= total && e.seen >= from+screen.Read() {
		e.seen = total // also if it ends within a control sequence
	}
	return e
}

// rest adds a note if a page of a stream, which ends at the offset seen, is not the last.
func (s *snapshot) rest(notes []catalog.Truncation, stream string, seen, total int64) []catalog.Truncation {
	if seen >= total {
		return notes
	}
	return append(notes, catalog.Truncation{
		Stream: stream, TotalBytes: total, Reason: "this is a part of it; get_execution with this after returns the rest", After: s.past(stream, seen),
		Left: total - seen,
	})
}

// cut adds a note if only the first and the last part of a stream are shown. seen is the
// offset at which the first part ends.
func (s *snapshot) cut(notes []catalog.Truncation, stream string, seen, total int64) []catalog.Truncation {
	if seen >= total {
		return notes
	}
	return append(notes, catalog.Truncation{
		Stream: stream, TotalBytes: total,
		Reason: shownOnly(s.q.Limit) + "; get_execution with this after reads on", After: s.past(stream, seen),
		Left: max(0, total-seen-int64(s.q.Limit/2)),
	})
}

// past returns the cursor of a client that has seen everything except the stream from the
// offset seen on.
func (s *snapshot) past(stream string, seen int64) string {
	c := s.here
	if stream == "stderr" {
		c.stderr = seen
	} else {
		c.stdout = seen
	}
	return c.String()
}

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// LastLine returns the last line of what x has displayed, as a terminal shows it, with at most
// n characters; "" if there is none.
func (x *Execution) LastLine(n int) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var newest *outputlog.Entry
	for _, e := range x.log.Entries() {
		if e.Kind != outputlog.Image && (newest == nil || e.Changed > newest.Changed) {
			newest = e
		}
	}
	switch {
	case newest == nil:
		return ""
	case newest.Widget == "" && newest.Kind == outputlog.Stdout:
		return truncate.Runes(x.stdout.screen.Last(), n)
	case newest.Widget == "" && newest.Kind == outputlog.Stderr:
		return truncate.Runes(x.stderr.screen.Last(), n)
	}
	screen := terminal.New(1)
	screen.Write([]byte(newest.Text))
	return truncate.Runes(screen.Last(), n)
}

// KnownTo reports whether a client knows the code of x: it has sent the code, and the user
// has not edited it.
func (x *Execution) KnownTo(transport, client string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asIs && x.rec.Transport == transport && x.rec.Client == client
}

// Refused returns why x was not allowed to run, or nil if it was, is still waiting, or ended
// for another reason.
func (x *Execution) Refused() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.refused
}
