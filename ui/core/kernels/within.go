package kernels

import (
	"context"
	"slices"
	"strings"

	"easel/mcphost/catalog"
)

// Within is like View, with at most limit bytes of each stream and of the result. Truncated
// says what is left out and how to read it.
//
// With after, it returns newer output. While the execution runs, that is the head and the
// tail of it. Once it has ended, that is the next limit bytes, with the after to continue.
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

// newer reads the output of a stream after the offset from, and adds a note to notes if it
// leaves some out. If the stream was cleared since, it reads from the start.
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

// cut adds a note if only the first and the last part of a stream are shown. seen is the
// offset at which the first part ends.
func (x *Execution) cut(notes []catalog.Truncation, stream string, seen, total int64, limit int) []catalog.Truncation {
	if seen >= total {
		return notes
	}
	return append(notes, catalog.Truncation{Stream: stream, TotalBytes: total, Reason: shownOnly(limit) + "; get_execution with this after reads on", After: x.past(stream, seen)})
}

// past returns the cursor of a client that has seen everything except the stream from the
// offset seen on.
func (x *Execution) past(stream string, seen int64) string {
	c := cursor{x.stdout.total, x.stderr.total, len(x.images)}
	if stream == "stderr" {
		c.stderr = seen
	} else {
		c.stdout = seen
	}
	return c.String()
}

// within returns the text if it has at most limit bytes, else its head and tail. seen is the
// offset at which the head ends.
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

// KnownTo reports whether a client knows the code of x: it has sent the code, and the user
// has not edited it.
func (x *Execution) KnownTo(transport, client string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asIs && x.rec.Transport == transport && x.rec.Client == client
}
