package jupyter

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"easel/jupyter/wire"
)

// Incoming is one thing that came from a kernel or befell the connection.
// Exactly one of Message, Link and Barrier is set.
type Incoming struct {
	Message *wire.Message // nil for a link event or a barrier
	Link    Link          // 0 for a message or a barrier
	// Barrier is what [Kernel.Barrier] was given: all that came before it has been read.
	Barrier chan<- struct{}
	// Err is, with Link, the cause; with a Message ErrMessageTooLarge if its
	// content was too large to be read and is missing.
	Err error
	// Dropped is how many bytes of this stream's text were dropped here because
	// the reader was too slow. Message is then a stream message with the name
	// and parent of what was dropped, and without text.
	Dropped int64
	At      time.Time // when it was received
}

// A Link is something that befell the connection.
type Link int

const (
	// LinkLost says that the connection is down; it is being made again.
	LinkLost Link = iota + 1
	// LinkRestored says that the connection is back. What the server had kept of the
	// time between has come before this; what has not, is lost.
	LinkRestored
	// LinkGone says that the server has no such kernel any more. It is the last event.
	LinkGone
)

// String is the event's name.
func (l Link) String() string {
	switch l {
	case 0:
		return "none"
	case LinkLost:
		return "lost"
	case LinkRestored:
		return "restored"
	case LinkGone:
		return "gone"
	default:
		return "unknown"
	}
}

// itemOverhead is what a queued message costs beside its frame, in bytes,
// roughly. It bounds a million empty lines too.
const itemOverhead = 512

// A queue takes all that its reader has not yet read. Only stream text is
// bounded: put never blocks, and a picture or a status is never dropped.
type queue struct {
	limit int64 // of stream text, bytes

	mu     sync.Mutex
	items  []*item // from head on
	head   int
	bytes  int64               // of stream text in items
	drops  map[streamKey]*item // the newest item of a stream, if it tells of dropped text
	closed bool
	wake   chan struct{} // one slot: there is something to read, or the end
}

type item struct {
	Incoming
	cost int64
}

type streamKey struct{ parent, name string }

func newQueue(limit int64) *queue {
	return &queue{limit: limit, drops: make(map[streamKey]*item), wake: make(chan struct{}, 1)}
}

// put queues in. What comes after close is dropped.
func (q *queue) put(in Incoming) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	it := &item{Incoming: in}
	if m := in.Message; m != nil && m.Header.MsgType == "stream" {
		it.cost = int64(len(m.Content)) + itemOverhead
		var s wire.Stream
		if q.bytes+it.cost > q.limit {
			if m.Decode(&s) == nil {
				q.drop(in, s)
				return
			}
		} else if len(q.drops) > 0 && m.Decode(&s) == nil {
			// Text behind dropped text: more that is dropped makes a new item.
			delete(q.drops, streamKey{m.ParentID(), s.Name})
		}
	}
	q.bytes += it.cost
	q.push(it)
}

// drop counts the text of a stream message in one item instead of queueing it.
func (q *queue) drop(in Incoming, s wire.Stream) {
	key := streamKey{in.Message.ParentID(), s.Name}
	d := q.drops[key]
	if d == nil {
		m := *in.Message
		m.Content, _ = json.Marshal(wire.Stream{Name: s.Name}) // a struct of strings: no error
		d = &item{Incoming: Incoming{Message: &m, At: in.At}}
		q.drops[key] = d
		q.push(d)
	}
	d.Dropped += int64(len(s.Text))
}

func (q *queue) push(it *item) {
	q.items = append(q.items, it)
	q.poke()
}

// close ends the queue behind what is in it.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.poke()
}

func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next takes the oldest item, waiting for one; io.EOF behind the last.
func (q *queue) next(ctx context.Context) (Incoming, error) {
	for {
		in, ok, end := q.pop()
		switch {
		case ok:
			return in, nil
		case end:
			return Incoming{}, io.EOF
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return Incoming{}, context.Cause(ctx)
		}
	}
}

func (q *queue) pop() (in Incoming, ok, end bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.items) {
		if q.closed {
			q.poke() // for whoever asks again
		}
		return Incoming{}, false, q.closed
	}
	it := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	// Move up when half is read: each item is moved at most once on average.
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
	return it.Incoming, true, false
}
