package kernels

import (
	"context"
	"slices"
	"strings"

	"easel/mcphost/catalog"
)

// Within is View with at most limit bytes of each stream and of the result; what is left
// out, and how to read it, is in Truncated.
//
// While the execution runs, after gives the head and the tail of what is newer. Once it
// has ended, after reads on: the next limit bytes, and where to go on.
func (x *Execution) Within(ctx context.Context, after string, limit int) (catalog.Execution, error) {
	limit = min(limit, modelStream)
	x.mu.Lock()
	defer x.mu.Unlock()
	v := x.viewWithin(limit)
	if after == "" {
		return v, nil
	}
	at, err := parseCursor(after)
	if err != nil {
		return v, err
	}
	v.Truncated = slices.DeleteFunc(v.Truncated, func(t catalog.Truncation) bool { return t.After != "" })
	v.Stdout, v.Truncated = x.newer(ctx, "stdout", at.stdout, x.stdout.total, limit, v.Truncated)
	v.Stderr, v.Truncated = x.newer(ctx, "stderr", at.stderr, x.stderr.total, limit, v.Truncated)
	v.Stderr = condense(v.Stderr)
	v.Images = v.Images[min(at.images, len(v.Images)):]
	return v, nil
}

// newer reads what a stream got since from. A stream that was cleared since is read from
// its start.
func (x *Execution) newer(ctx context.Context, stream string, from, total int64, limit int, notes []catalog.Truncation) (string, []catalog.Truncation) {
	if from > total {
		from = 0
	}
	head := limit / 2
	if left := total - from; left <= int64(limit) || catalog.Ended(x.rec.Status) {
		head = limit
	}
	text, _, err := x.library.ReadOutput(ctx, x.id, stream, from, head)
	var tail []byte
	if last := total - int64(limit/2); err == nil && head < limit {
		tail, _, err = x.library.ReadOutput(ctx, x.id, stream, last, limit/2)
	}
	if err != nil {
		return "", append(notes, catalog.Truncation{Stream: stream, TotalBytes: total - from, Reason: "the output cannot be read: " + err.Error()})
	}
	if from+int64(len(text)) >= total {
		return valid(text), notes
	}
	text = trimEnd(text)
	seen := from + int64(len(text))
	if head == limit {
		return valid(text), append(notes, catalog.Truncation{
			Stream: stream, TotalBytes: total, Reason: "this is a part of it; get_execution with this after returns the rest", After: x.past(stream, seen),
		})
	}
	return shorten(text, tail, total-from), x.cut(notes, stream, seen, total, limit)
}

// cut adds a note that only the first and last part of a stream are shown, if so: seen is
// where the first part ends.
func (x *Execution) cut(notes []catalog.Truncation, stream string, seen, total int64, limit int) []catalog.Truncation {
	if seen >= total {
		return notes
	}
	return append(notes, catalog.Truncation{Stream: stream, TotalBytes: total, Reason: shownOnly(limit) + "; get_execution with this after reads on", After: x.past(stream, seen)})
}

// past is the cursor of somebody who has seen everything but a stream from seen on.
func (x *Execution) past(stream string, seen int64) string {
	c := cursor{x.stdout.total, x.stderr.total, len(x.images)}
	if stream == "stderr" {
		c.stderr = seen
	} else {
		c.stdout = seen
	}
	return c.String()
}

// within is the stream if it has no more than limit bytes, else its head and tail. seen
// is where the head ends.
func (h *headTail) within(limit int) (text string, seen int64) {
	head, tail, cut := h.parts()
	if !cut && len(head)+len(tail) <= limit {
		return valid(append(slices.Clip(head), tail...)), h.total
	}
	if !cut {
		head = append(slices.Clip(head), tail...)
		tail = head
	}
	head, tail = trimEnd(head[:min(limit/2, len(head))]), tail[max(0, len(tail)-limit/2):]
	return shorten(head, tail, h.total), int64(len(head))
}

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// KnownTo tells whether a client has the code that runs: it has sent it, and the user has
// not edited it.
func (x *Execution) KnownTo(transport, client string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asIs && x.rec.Transport == transport && x.rec.Client == client
}
