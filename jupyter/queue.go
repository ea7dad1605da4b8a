package jupyter

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"easel/internal/truncate"
	"easel/internal/wake"
	"easel/jupyter/wire"
)

// A Delivery is one message from a kernel or one event of the connection. Exactly one of
// Message, Event and Barrier is set.
type Delivery struct {
	Message *wire.Message   // nil for a connection event or a barrier
	Event   ConnectionEvent // 0 for a message or a barrier
	// Barrier is the argument of [Kernel.Barrier]. Everything that arrived before it has
	// been returned.
	Barrier chan<- struct{}
	// Err is the cause of an Event. With a Message, it is ErrMessageTooLarge if the
	// content was too large and is missing.
	Err error
	// Dropped is how many bytes of this stream's text were dropped here because the
	// reader was too slow. Message is then a stream message without text, with the name
	// and the parent of the dropped text.
	Dropped int64
	At      time.Time // when it arrived
}

// A ConnectionEvent is an event of the connection.
type ConnectionEvent int

const (
	// ConnectionLost means that the connection is down and is being reopened.
	ConnectionLost ConnectionEvent = iota + 1
	// ConnectionResumed means that nothing of what the kernel has sent since the connection was lost is
	// missing: it arrives between this event and ConnectionRestored. Only Easel's own servers can say so.
	ConnectionResumed
	// ConnectionRestored means that the connection is open again. Messages that the server
	// buffered in the meantime have arrived before this event. Others are lost.
	ConnectionRestored
	// KernelGone means that the server no longer has the kernel. It is the last event.
	KernelGone
)

// String returns the event's name.
func (l ConnectionEvent) String() string {
	switch l {
	case 0:
		return "none"
	case ConnectionLost:
		return "lost"
	case ConnectionResumed:
		return "resumed"
	case ConnectionRestored:
		return "restored"
	case KernelGone:
		return "gone"
	default:
		return "unknown"
	}
}

// itemOverhead is the approximate cost of a queued message in addition to its frame, in
// bytes. It also limits a million empty lines.
const itemOverhead = 512

// A queue holds everything that its reader has not read yet. Only stream text is
// limited: put never blocks, and pictures and statuses are never dropped.
type queue struct {
	limit int64 // of stream text, bytes

	mu     sync.Mutex
	items  []*item // those before head have been read
	head   int
	bytes  int64               // of stream text in items
	drops  map[streamKey]*item // the newest item of a stream, if it reports dropped text
	closed bool
	wake   wake.Signal // one slot: there is something to read, or the queue is closed
}

type item struct {
	Delivery
	cost int64
}

type streamKey struct{ parent, name string }

func newQueue(limit int64) *queue {
	return &queue{limit: limit, drops: make(map[streamKey]*item), wake: wake.New()}
}

// put appends in. After close it does nothing.
func (q *queue) put(in Delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	it := &item{Delivery: in}
	if m := in.Message; m != nil && m.Header.MsgType == "stream" {
		it.cost = int64(len(m.Content)) + itemOverhead
		var s wire.Stream
		if q.bytes+it.cost > q.limit {
			if m.Decode(&s) == nil {
				q.keepStart(in, &s)
				q.drop(in, s)
				return
			}
		} else if len(q.drops) > 0 && m.Decode(&s) == nil {
			// This text follows dropped text. If more is dropped, it needs a new item.
			delete(q.drops, streamKey{m.ParentID(), s.Name})
		}
	}
	q.bytes += it.cost
	q.push(it)
}

// largeText is the length from which the beginning of a text is kept if all of it is too much.
const largeText = 1 << 20

// keepStart queues as much of a long text as there is room for, and leaves the rest in s.
func (q *queue) keepStart(in Delivery, s *wire.Stream) {
	n := int(q.limit - q.bytes - itemOverhead)
	if len(s.Text) < largeText || n <= 0 || q.drops[streamKey{in.Message.ParentID(), s.Name}] != nil {
		return
	}
	n = len(truncate.Bytes(s.Text, min(n, len(s.Text)-1)))
	m := *in.Message
	m.Content, _ = json.Marshal(wire.Stream{Name: s.Name, Text: s.Text[:n]}) // strings: no error
	cost := int64(n) + itemOverhead
	q.bytes += cost
	q.push(&item{Delivery: Delivery{Message: &m, At: in.At}, cost: cost})
	s.Text = s.Text[n:]
}

// drop adds the text of a stream message to the item that counts dropped text, instead
// of queueing it.
func (q *queue) drop(in Delivery, s wire.Stream) {
	key := streamKey{in.Message.ParentID(), s.Name}
	d := q.drops[key]
	if d == nil {
		m := *in.Message
		m.Content, _ = json.Marshal(wire.Stream{Name: s.Name}) // a struct of strings: no error
		d = &item{Delivery: Delivery{Message: &m, At: in.At}}
		q.drops[key] = d
		q.push(d)
	}
	d.Dropped += int64(len(s.Text))
}

func (q *queue) push(it *item) {
	q.items = append(q.items, it)
	q.wake.Notify()
}

// close ends the queue after its current items.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Notify()
}

// next waits for the oldest item and removes it. After the last item of a closed queue,
// it returns io.EOF.
func (q *queue) next(ctx context.Context) (Delivery, error) {
	for {
		in, ok, end := q.pop()
		switch {
		case ok:
			return in, nil
		case end:
			return Delivery{}, io.EOF
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return Delivery{}, context.Cause(ctx)
		}
	}
}

func (q *queue) pop() (in Delivery, ok, end bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.items) {
		if q.closed {
			q.wake.Notify() // for the next caller
		}
		return Delivery{}, false, q.closed
	}
	it := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	// Compact when half has been read: each item is moved at most once on average.
	if q.head >= 64 && q.head*2 >= len(q.items) {
		q.items = append(q.items[:0:0], q.items[q.head:]...)
		q.head = 0
	}
	q.bytes -= it.cost
	if it.Dropped > 0 {
		for key, d := range q.drops {
			if d == it {
				delete(q.drops, key)
			}
		}
	}
	return it.Delivery, true, false
}
