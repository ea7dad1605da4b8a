package jupyter

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"easel/internal/require"
	"easel/jupyter/wire"
)

func TestTheStartOfALongTextIsKept(t *testing.T) {
	q := newQueue(4 << 20)
	long := strings.Repeat("日本語", 1<<20)
	content, err := json.Marshal(wire.Stream{Name: "stderr", Text: long})
	require.NoError(t, err)
	q.put(Delivery{Message: &wire.Message{Header: wire.Header{MsgType: "stream"}, Content: content}})
	q.put(Delivery{Message: &wire.Message{Header: wire.Header{MsgType: "stream"}, Content: content}})
	var s wire.Stream
	in, err := q.next(t.Context())
	if err != nil || in.Message.Decode(&s) != nil {
		t.Fatalf("got %+v, %v", in, err)
	}
	if in.Dropped != 0 || len(s.Text) < 4<<20-1000 {
		t.Errorf("%d bytes, %d dropped", len(s.Text), in.Dropped)
	}
	if !strings.HasPrefix(long, s.Text) || !utf8.ValidString(s.Text) {
		t.Error("the text is not its start, up to a character")
	}
	if in, err = q.next(t.Context()); err != nil || in.Dropped != int64(2*len(long)-len(s.Text)) {
		t.Errorf("dropped %d of %d, %v", in.Dropped, 2*len(long)-len(s.Text), err)
	}
	if q.bytes != 0 || len(q.drops) != 0 {
		t.Errorf("left: %d bytes, %d drops", q.bytes, len(q.drops))
	}
}

func TestTextIsTakenAgainOnceSomeWasRead(t *testing.T) {
	q := newQueue(2 * (itemOverhead + 100))
	line := func(parent string) Delivery {
		content, err := json.Marshal(wire.Stream{Name: "stdout", Text: "0123456789"})
		require.NoError(t, err)
		return Delivery{Message: &wire.Message{
			Header: wire.Header{MsgType: "stream"}, Parent: wire.Header{MsgID: parent}, Content: content,
		}}
	}
	take := func(wantDropped int64, wantParent string) {
		t.Helper()
		in, err := q.next(t.Context())
		if err != nil || in.Dropped != wantDropped || in.Message.ParentID() != wantParent {
			t.Errorf("got %d dropped of %s, %v; want %d of %s", in.Dropped, in.Message.ParentID(), err, wantDropped, wantParent)
		}
	}
	for range 5 { // two fit
		q.put(line("a"))
	}
	q.put(line("b"))
	take(0, "a")
	q.put(line("a")) // fits, after what was dropped
	q.put(line("a")) // dropped again
	take(0, "a")
	take(30, "a")
	take(10, "b")
	take(0, "a")
	take(10, "a")
	for range 500 { // the memory of items that were read is released in between
		q.put(line("c"))
		take(0, "c")
	}
	if len(q.drops) != 0 || q.bytes != 0 || len(q.items) > 200 {
		t.Errorf("left: %d drops, %d bytes, %d items", len(q.drops), q.bytes, len(q.items))
	}
	q.put(line("d"))
	q.close()
	q.put(line("e"))
	take(0, "d")
	if in, err := q.next(t.Context()); err == nil {
		t.Errorf("after the end: %+v", in)
	}
}
