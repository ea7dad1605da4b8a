package kernels

// A headTail keeps the beginning and the end of a text and how long it was, in
// bounded memory: what a model gets to see of a stream.
type headTail struct {
	head, tail []byte
	total      int64
	half       int // bytes of head, and of tail
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
	if over := len(h.tail) - 2*h.half; over > 0 { // cut seldom, not at every write
		h.tail = append(h.tail[:0], h.tail[len(h.tail)-h.half:]...)
	}
}

func (h *headTail) reset() { h.head, h.tail, h.total = nil, nil, 0 }

// parts gives head and tail; cut tells whether something between them is left
// out.
func (h *headTail) parts() (head, tail []byte, cut bool) {
	tail = h.tail[max(0, len(h.tail)-h.half):]
	return h.head, tail, h.total > int64(len(h.head)+len(tail))
}
