package kernels

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

func (h *headTail) reset() { h.head, h.tail, h.total = nil, nil, 0 }

// parts returns the head and the tail, and reports whether text between them is missing.
func (h *headTail) parts() (head, tail []byte, cut bool) {
	tail = h.tail[max(0, len(h.tail)-h.half):]
	return h.head, tail, h.total > int64(len(h.head)+len(tail))
}
