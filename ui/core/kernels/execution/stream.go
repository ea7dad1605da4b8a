package execution

import (
	"bytes"
	"slices"

	"easel/internal/truncate"
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// A stream is the text of one stream of an execution: its beginning and end as they were sent,
// and what a terminal shows of it.
type stream struct {
	headTail
	screen *terminal.Screen
	marks  []mark // entries that begin in text that is not written yet
}

// A mark says where an entry of the outputs begins in a stream.
type mark struct {
	at    int64
	entry int64
	split bool // something was displayed before it
}

func newStream() stream {
	return stream{headTail: headTail{half: modelStream / 2}, screen: terminal.New(modelStream / 2)}
}

func (s *stream) write(p []byte) {
	at := s.total
	s.headTail.write(p)
	for len(s.marks) > 0 && s.marks[0].at < s.total {
		m := s.marks[0]
		s.marks = s.marks[1:]
		if n := m.at - at; n > 0 {
			s.screen.Write(p[:n])
			p, at = p[n:], m.at
		}
		s.screen.Mark(m.entry, m.split)
	}
	s.screen.Write(p)
}

func (s *stream) reset() { *s = newStream() }

// sent returns at most limit bytes of the stream, its beginning and its end, as they were sent.
func (s *stream) sent(limit int) string {
	e := s.excerpt(limit, false, nil)
	return e.text()
}

// excerpt returns at most limit bytes of the stream: its beginning and its end, as sent or, with
// final, as a terminal finally shows them. entries are those of the stream.
func (s *stream) excerpt(limit int, final bool, entries []*outputlog.Entry) excerpt {
	if final {
		return linesOf(s.screen, limit, s.total)
	}
	head, tail, seen := s.within(limit)
	e := excerpt{seen: seen, pieces: divided(head, 0, entries)}
	if tail != nil {
		e.skip(s.total - int64(len(head)) - int64(len(tail)))
		e.add(divided(truncate.TrimStart(tail), s.total-int64(len(tail)), entries)...)
	}
	return e
}

// A headTail keeps the beginning and the end of a text and its total length, in bounded
// memory. It is the part of a stream that a model sees.
type headTail struct {
	head, tail []byte
	total      int64
	half       int // largest number of bytes of head and of tail each
}

func (h *headTail) write(p []byte) {
	h.total += int64(len(p))
	if room := h.half - len(h.head); room > 0 {
		n := min(room, len(p))
		h.head = append(h.head, p[:n]...)
		p = p[n:]
	}
	if len(p) >= h.half {
		h.tail = append(h.tail[:0], p[len(p)-h.half:]...)
		return
	}
	h.tail = append(h.tail, p...)
	if over := len(h.tail) - 2*h.half; over > 0 { // rarely, rather than at every write
		h.tail = append(h.tail[:0], h.tail[len(h.tail)-h.half:]...)
	}
}

// endsLine reports whether the text ends with the end of a line.
func (h *headTail) endsLine() bool {
	last := h.tail
	if len(last) == 0 {
		last = h.head
	}
	return bytes.HasSuffix(last, []byte("\n"))
}

// within returns the text if it has at most limit bytes, else its head and tail. seen is the
// offset at which the head ends.
func (h *headTail) within(limit int) (head, tail []byte, seen int64) {
	tail = h.tail[max(0, len(h.tail)-h.half):]
	cut := h.total > int64(len(h.head)+len(tail))
	head = h.head
	if !cut {
		head, tail = append(slices.Clip(head), tail...), nil
		if len(head) <= limit {
			return head, nil, h.total
		}
		tail = head
	}
	head, tail = truncate.TrimEnd(head[:min(limit/2, len(head))]), tail[max(0, len(tail)-limit/2):]
	return head, tail, int64(len(head))
}

// skip leaves out bytes of the stream that are on disk only.
func (s *stream) skip(bytes int64) {
	s.total += bytes
	s.tail = nil
	s.screen.Skip(bytes)
	for len(s.marks) > 0 && s.marks[0].at < s.total {
		s.screen.Mark(s.marks[0].entry, true)
		s.marks = s.marks[1:]
	}
}
