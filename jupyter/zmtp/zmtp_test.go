package zmtp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

const patience = time.Minute

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// peer listens, sends says to a client, and records what it receives.
func peer(t *testing.T, says ...[]byte) (address string, heard func() []byte) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	all := make(chan []byte, 1)
	go func() { // ends with the connection
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = conn.Write(bytes.Join(says, nil))
		data, _ := io.ReadAll(conn) // until we close
		all <- data
	}()
	return l.Addr().String(), func() []byte {
		select {
		case data := <-all:
			return data
		case <-time.After(patience):
			t.Fatal("the peer heard no end")
			return nil
		}
	}
}

var ready = appendFrame(nil, flagCommand, []byte("\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER"))

func dial(t *testing.T, address string, kind Kind) *Conn {
	t.Helper()
	c, err := Dial(within(t), "tcp", address, kind, "me", 4096)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestTheHandshake(t *testing.T) {
	for kind, then := range map[Kind]string{Dealer: "", Sub: "\x00\x01\x01"} {
		t.Run(string(kind), func(t *testing.T) {
			address, heard := peer(t, greeting(), ready)
			_ = dial(t, address, kind).Close()
			got := heard()
			if len(got) < greetingSize || !bytes.Equal(got[:16], []byte("\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL")) {
				t.Fatalf("greeting: got %q", got)
			}
			said := "\x05READY\x0bSocket-Type\x00\x00\x00" + string(rune(len(kind))) + string(kind) + "\x08Identity\x00\x00\x00\x02me"
			want := "\x04" + string(rune(len(said))) + said + then
			if diff := cmp.Diff(want, string(got[greetingSize:])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func changed(g []byte, at int, to string) []byte {
	copy(g[at:], to)
	return g
}

func TestWhoDoesNotSpeakZMTPIsRefused(t *testing.T) {
	for name, says := range map[string][][]byte{
		"a web server":           {[]byte("HTTP/1.1 400 Bad Request\r\n\r\n" + strings.Repeat(" ", greetingSize))},
		"an old version":         {changed(greeting(), 10, "\x01")},
		"one that encrypts":      {changed(greeting(), 12, "CURVE")},
		"one that says an error": {greeting(), appendFrame(nil, flagCommand, []byte("\x05ERROR\x02no"))},
		"a message at once":      {greeting(), appendFrame(nil, 0, []byte("\x05READY"))},
		"a long command":         {greeting(), appendFrame(nil, flagCommand, make([]byte, maxCommand+1))},
		"strange flags":          {greeting(), {0x80, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := peer(t, says...)
			if c, err := Dial(within(t), "tcp", address, Dealer, "", 4096); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v, %v", c, err)
			}
		})
	}
	t.Run("who says nothing is left when the context ends", func(t *testing.T) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { _ = l.Close() }()
		ctx, cancel := context.WithCancelCause(within(t))
		enough, accepted := errors.New("enough"), make(chan net.Conn, 1)
		go func() { // ends with the listener
			if conn, err := l.Accept(); err == nil {
				_, _ = io.ReadFull(conn, make([]byte, greetingSize)) // then it waits for the client's greeting
				accepted <- conn
			}
			cancel(enough)
		}()
		if c, err := Dial(ctx, "tcp", l.Addr().String(), Dealer, "", 4096); !errors.Is(err, enough) {
			t.Errorf("got %v, %v", c, err)
		}
		_ = (<-accepted).Close()
	})
}

func message(parts ...string) (frames []byte) {
	for i, part := range parts {
		flags := byte(flagMore)
		if i == len(parts)-1 {
			flags = 0
		}
		frames = appendFrame(frames, flags, []byte(part))
	}
	return frames
}

func texts(parts [][]byte) (texts []string) {
	for _, part := range parts {
		if part == nil {
			texts = append(texts, "nil")
			continue
		}
		texts = append(texts, string(part))
	}
	return texts
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 5000) // more than the buffer, with a size of eight bytes
	address, heard := peer(t, greeting(), ready,
		message("one"), message("a", "", long), appendFrame(nil, flagCommand, []byte("\x04PING\x00\x00ctx")),
		appendFrame(nil, flagCommand, []byte("\x04PONG")), message("topic", long, "after"), message("head", long+long, "tail"),
		message("all", long, long), message("last"))
	c := dial(t, address, Dealer)
	_ = c.conn.SetWriteDeadline(time.Now().Add(-time.Second)) // as after a Write long ago
	for _, want := range []struct {
		parts []string
		err   error
	}{
		{[]string{"one"}, nil},
		{[]string{"a", "", long}, nil},
		{[]string{"topic", long, "after"}, nil},
		{[]string{"head", "nil", "tail"}, ErrTooLarge},
		{[]string{"all", long, "nil"}, ErrTooLarge},
		{[]string{"last"}, nil},
	} {
		parts, err := c.Read(6000)
		if diff := cmp.Diff(want.parts, texts(parts)); diff != "" || !errors.Is(err, want.err) {
			t.Errorf("error %v, want %v; parts (-want +got):\n%s", err, want.err, diff)
		}
	}
	_ = c.Close()
	if pong := []byte("\x04\x08\x04PONGctx"); !bytes.HasSuffix(heard(), pong) {
		t.Errorf("the ping is not answered")
	}
}

func TestReadEndsWhere(t *testing.T) {
	huge := binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<63)
	for name, c := range map[string]struct {
		says []byte
		want error
	}{
		"the peer writes nonsense":      {[]byte{0xF0, 1, 1}, ErrProtocol},
		"a command is too large":        {appendFrame(nil, flagCommand, make([]byte, maxCommand+1)), ErrProtocol},
		"a part has no size that is so": {huge, ErrProtocol},
		"there are too many parts":      {bytes.Repeat([]byte{flagMore, 0}, maxParts+1), ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := peer(t, greeting(), ready, c.says)
			if parts, err := dial(t, address, Dealer).Read(1 << 20); !errors.Is(err, c.want) {
				t.Errorf("got %d parts, %v", len(parts), err)
			}
		})
	}
	t.Run("it is told to", func(t *testing.T) {
		address, _ := peer(t, greeting(), ready)
		c := dial(t, address, Dealer)
		c.EndWithin(time.Millisecond)
		if parts, err := c.Read(1); err == nil {
			t.Errorf("got %q", parts)
		}
	})
}

func TestWrite(t *testing.T) {
	long := strings.Repeat("y", 100_000)
	address, heard := peer(t, greeting(), ready)
	c := dial(t, address, Dealer)
	for _, parts := range [][]string{{"first"}, {"a", "", long}, {"b"}} {
		var raw [][]byte
		for _, part := range parts {
			raw = append(raw, []byte(part))
		}
		require.NoError(t, c.Write(raw, patience))
	}
	_ = c.Close()
	want := string(message("first")) + string(message("a", "", long)) + string(message("b"))
	if _, got, _ := strings.Cut(string(heard()), "\x02me"); got != want { // after the handshake
		t.Errorf("%d bytes were heard, not these %d", len(got), len(want))
	}
	if err := c.Write([][]byte{nil}, patience); err == nil {
		t.Error("a closed connection takes messages")
	}
}

// TestWriteGivesUp checks that Write fails after patience if the peer does not read.
func TestWriteGivesUp(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		if conn, err := l.Accept(); err == nil {
			_, _ = conn.Write(append(greeting(), ready...))
			accepted <- conn
		}
	}()
	c := dial(t, l.Addr().String(), Dealer)
	defer func() { _ = (<-accepted).Close() }()
	if err := c.Write([][]byte{make([]byte, 16<<20)}, 50*time.Millisecond); err == nil {
		t.Error("16 MB went somewhere")
	}
}

// FuzzRead passes arbitrary input to a connection. It must not panic or use more memory
// than allowed.
func FuzzRead(f *testing.F) {
	f.Add(message("one", "two"))
	f.Add(appendFrame(nil, flagCommand, []byte("\x04PING\x00\x00ctx")))
	f.Add(binary.BigEndian.AppendUint64([]byte{flagLong | flagMore}, 1<<40))
	f.Fuzz(func(t *testing.T, says []byte) {
		address, _ := peer(t, greeting(), ready, says)
		c := dial(t, address, Sub)
		c.EndWithin(5 * time.Millisecond)
		for {
			parts, err := c.Read(1000)
			size := 0
			for _, part := range parts {
				size += len(part)
			}
			if size > 1000 {
				t.Fatalf("%d bytes", size)
			}
			if err != nil && !errors.Is(err, ErrTooLarge) {
				return
			}
		}
	})
}
