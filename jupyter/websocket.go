package jupyter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"easel/jupyter/wire"
)

// connectionParameters has the parameters of a connection. Tests use shorter times and smaller limits.
type connectionParameters struct {
	handshake time.Duration // to open a websocket; the server waits up to 60 s for the kernel
	write     time.Duration // to write one message
	ping      time.Duration // between our pings
	silence   time.Duration // after which a connection is considered dead
	wake      time.Duration // the same, after the machine has slept
	restore   time.Duration // for the kernel to answer after the connection is restored
	check     time.Duration // between checks whether the kernel still exists
	soon      time.Duration // before the first check after a sign of trouble; doubles
	confirm   time.Duration // between the two checks that confirm that the kernel is gone
	alive     time.Duration // between checks whether a kernel that has not answered yet still exists
	probe     time.Duration // before an unanswered probe is repeated for the first time
	sockets   time.Duration // to connect a kernel's sockets
	redial    time.Duration // before another attempt to connect a kernel's sockets
	redialTo  time.Duration // the same, after attempts have failed for longer than sockets
	backoff   time.Duration // before the second attempt to reconnect
	backoffTo time.Duration // maximum between later attempts
	farewell  time.Duration // for the last messages of a connection
	readLimit int           // of a message, in bytes
	legacy    bool          // request the old subprotocol
}

func defaultParameters() connectionParameters {
	return connectionParameters{
		handshake: 70 * time.Second, write: 20 * time.Second,
		ping: 15 * time.Second, silence: 45 * time.Second, wake: 5 * time.Second,
		restore: 10 * time.Second, check: 15 * time.Second, soon: 250 * time.Millisecond, confirm: 300 * time.Millisecond, probe: time.Second,
		alive:   time.Second,
		sockets: 10 * time.Second, redial: 20 * time.Millisecond, redialTo: 200 * time.Millisecond,
		backoff: 100 * time.Millisecond, backoffTo: 5 * time.Second,
		farewell: time.Second, readLimit: readLimit,
	}
}

// readLimit is the maximum size of a message in bytes: three times the largest picture
// that users have been known to send.
const readLimit = 128 << 20

// writeLimit is the maximum size of a request. Tornado closes the connection at 10 MiB.
const writeLimit = 10<<20 - 64<<10

// A webSocket is one websocket.
type webSocket struct {
	ws        *websocket.Conn
	life      bool // the kernel's messages do not come over it
	counted   bool // the server keeps what it has written until it knows that it arrived
	complete  bool // see Kernel.Complete
	whole     bool // what was written to earlier websockets and did not arrive comes again
	arrivals  *arrivals
	confirmed int64 // used by the writer
	returns   bool  // except for buffered messages
	decoder   wire.Decoder
	tuning    connectionParameters
	scratch   []byte // used by the reader

	out  chan socketFrame
	pong chan string   // one slot: data for the answer to a ping, or for an unsolicited pong
	done chan struct{} // closed by close
	once sync.Once
	err  error // the cause; set before done is closed

	leaving atomic.Bool // we have sent a close message
}

type socketFrame struct {
	kind int // websocket.TextMessage, BinaryMessage or CloseMessage
	data []byte
}

// dial opens a kernel's websocket. It uses one of the subprotocols in special if the
// server agrees.
func (s *Server) dial(ctx context.Context, kernelID string, a *arrivals, special []string, t connectionParameters) (*webSocket, error) {
	l := &webSocket{
		arrivals: a, tuning: t, scratch: make([]byte, 64<<10),
		out: make(chan socketFrame, 16), pong: make(chan string, 1), done: make(chan struct{}),
	}
	ctx, cancel := context.WithTimeout(ctx, t.handshake)
	defer cancel()
	dialer := websocket.Dialer{
		HandshakeTimeout: t.handshake,
		Subprotocols:     []string{wire.V1Name},
		ReadBufferSize:   32 << 10,
		WriteBufferSize:  8 << 10,
	}
	if t.legacy {
		dialer.Subprotocols = nil
	}
	dialer.Subprotocols = slices.Concat(special, dialer.Subprotocols)
	dialer.NetDialContext = func(_ context.Context, network, addr string) (net.Conn, error) {
		conn, err := s.dialer(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		// A handshake waits for the kernel. The library observes only the deadline, but
		// the caller may cancel earlier.
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		return &liveConn{Conn: conn, socket: l, handshake: stop}, nil
	}
	u := s.at("api", "kernels", kernelID, "channels")
	u.RawQuery = url.Values{"session_id": {a.session}, "easel_seen": {a.seen()}}.Encode()
	ws, head, err := s.websocket(ctx, &dialer, u, ErrKernelStart)
	if err != nil {
		return nil, err
	}
	if live, ok := ws.NetConn().(*liveConn); ok && !live.handshake() {
		_ = ws.Close()
		return nil, unreachable(ctx, "GET "+u.EscapedPath(), context.Canceled)
	}
	l.ws = ws
	l.life = slices.Contains(special, ws.Subprotocol())
	l.returns = ws.Subprotocol() == returningProtocol
	resumed := head.Get(resumeHeader)
	l.counted, l.whole, l.complete = resumed != "", resumed == resumeWhole, resumed == resumeComplete
	a.opened.Store(true)
	l.decoder.Protocol = wire.Negotiated(ws.Subprotocol())
	ws.SetPingHandler(func(data string) error {
		l.sendPong(data)
		return nil
	})
	return l, nil
}

// websocket opens the websocket at u, and returns the headers of the answer. fails is the error for status 500 and 501.
func (s *Server) websocket(ctx context.Context, dialer *websocket.Dialer, u *url.URL, fails error) (*websocket.Conn, http.Header, error) {
	ws, head, err := s.handshake(ctx, dialer, u, fails)
	s.doubt(err)
	return ws, head, err
}

func (s *Server) handshake(ctx context.Context, dialer *websocket.Dialer, u *url.URL, fails error) (*websocket.Conn, http.Header, error) {
	to, h, err := s.whereabouts(ctx, u)
	if err != nil {
		return nil, nil, fmt.Errorf("GET %s: %w", u.EscapedPath(), err)
	}
	if tr, ok := s.client.Transport.(*http.Transport); ok {
		dialer.Proxy, dialer.TLSClientConfig = tr.Proxy, tr.TLSClientConfig
	}
	socket := *to
	socket.Scheme = map[string]string{"http": "ws", "https": "wss"}[to.Scheme]
	ws, resp, err := dialer.DialContext(ctx, socket.String(), h)
	if resp != nil {
		defer resp.Body.Close() //nolint:errcheck // the library has read it
	}
	if err == nil {
		return ws, resp.Header, nil
	}
	if resp != nil && ctx.Err() == nil && errors.Is(err, websocket.ErrBadHandshake) {
		if err := statusError(http.MethodGet, to, resp, fails); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, unreachable(ctx, "GET "+u.EscapedPath(), err)
}

// A liveConn closes a connection that has been silent for too long.
//
// jupyter-server leaves Nagle's algorithm enabled for websockets: its second small frame
// waits until the first is acknowledged, and TCP delays the acknowledgement by 40 ms in
// case there is data to send with it. So liveConn sends data after each read: an
// unsolicited pong, which RFC 6455 allows and servers ignore. This removes 40 of the 48
// ms of an execution.
type liveConn struct {
	net.Conn
	socket    *webSocket
	handshake func() bool
}

// Read reads, fails after too long a silence, and triggers a pong.
func (c *liveConn) Read(p []byte) (int, error) {
	if c.socket.ws != nil { // the handshake has its own deadline
		if err := c.SetReadDeadline(time.Now().Add(c.socket.tuning.silence)); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.socket.sendPong("")
	}
	return n, err
}

// sendPong makes the writer send a pong, unless one is already queued.
func (l *webSocket) sendPong(data string) {
	select {
	case l.pong <- data:
	default:
	}
}

// close closes the websocket. The first cause is kept.
func (l *webSocket) close(err error) {
	l.once.Do(func() {
		l.err = err
		close(l.done)
		_ = l.ws.Close()
	})
}

// write is the only writer of the websocket. It ends with the websocket.
func (l *webSocket) write() {
	tick := time.NewTicker(l.tuning.ping)
	defer tick.Stop()
	last := time.Now()
	for {
		var err error
		deadline := func() time.Time { return time.Now().Add(l.tuning.write) }
		select {
		case o := <-l.out:
			if o.kind == websocket.CloseMessage {
				l.leaving.Store(true) // the peer's answer ends the reader, and the reader ends the websocket
				err = l.ws.WriteControl(o.kind, o.data, deadline())
				break
			}
			if err = l.ws.SetWriteDeadline(deadline()); err == nil {
				err = l.ws.WriteMessage(o.kind, o.data)
			}
		case data := <-l.pong:
			err = l.ws.WriteControl(websocket.PongMessage, []byte(data), deadline())
		case <-tick.C:
			now := time.Now()
			if slept(last, now) {
				// The silence during the sleep proves nothing. The peer must answer
				// soon.
				_ = l.ws.NetConn().SetReadDeadline(now.Add(l.tuning.wake))
			}
			last = now
			if err = l.confirm(deadline()); err == nil {
				err = l.ws.WriteControl(websocket.PingMessage, nil, deadline())
			}
		case <-l.done:
			return
		}
		if err != nil {
			l.close(fmt.Errorf("writing: %w", err))
			return
		}
	}
}

// slept reports whether the machine slept between two times: the wall clock advanced and
// the monotonic clock, on most systems, did not.
func slept(from, to time.Time) bool {
	return to.Round(0).Sub(from.Round(0))-to.Sub(from) > 5*time.Second
}

// send passes m to the writer.
func (l *webSocket) send(ctx context.Context, m *wire.Message) error {
	frame, isBinary, err := l.decoder.Protocol.Encode(m)
	if err != nil {
		return err
	}
	if len(frame) > writeLimit {
		return fmt.Errorf("%w: %d bytes; at most %d", ErrRequestTooLarge, len(frame), writeLimit)
	}
	o := socketFrame{websocket.TextMessage, frame}
	if isBinary {
		o.kind = websocket.BinaryMessage
	}
	select {
	case <-l.done:
		return ErrDisconnected
	default:
	}
	select {
	case l.out <- o:
		return nil
	case <-l.done:
		return ErrDisconnected
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read returns the next message. For a message that is too large, it returns the headers
// and ErrMessageTooLarge. After a *[wire.FormatError] the frame is skipped; any other
// error ends the websocket.
func (l *webSocket) read() (*wire.Message, error) {
	m, err := l.readMessage()
	if m != nil || isFormatError(err) {
		l.arrivals.count.Add(1)
	}
	return m, err
}

func (l *webSocket) readMessage() (*wire.Message, error) {
	kind, r, err := l.ws.NextReader()
	if err != nil {
		return nil, err
	}
	isBinary := kind == websocket.BinaryMessage
	frame, err := l.readFrame(r, isBinary)
	if errors.Is(err, ErrMessageTooLarge) {
		m, headErr := l.decoder.DecodeHead(frame, isBinary)
		if headErr != nil {
			return nil, headErr
		}
		return m, err
	}
	if err != nil {
		return nil, err
	}
	return l.decoder.Decode(frame, isBinary)
}

// readFrame reads one frame into a buffer of the right size. Most frames fit the scratch
// buffer, and a V1 frame contains its size. Of a frame over the limit, it returns the
// beginning.
func (l *webSocket) readFrame(r io.Reader, isBinary bool) ([]byte, error) {
	n, err := io.ReadFull(r, l.scratch)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return bytes.Clone(l.scratch[:n]), nil
	}
	if err != nil {
		return nil, err
	}
	size := uint64(4 * len(l.scratch))
	if l.decoder.Protocol == wire.V1 && isBinary {
		if said, err := wire.SizeV1(l.scratch); err == nil && said > uint64(n) {
			size = said + 1 // one more byte to detect the end
		}
		if size > uint64(l.tuning.readLimit)+1 {
			return l.skip(r, bytes.Clone(l.scratch))
		}
	}
	frame := append(make([]byte, 0, size), l.scratch...)
	for {
		if len(frame) == cap(frame) {
			frame = append(frame, 0)[:len(frame)]
		}
		n, err := r.Read(frame[len(frame):cap(frame)])
		frame = frame[:len(frame)+n]
		if err == io.EOF {
			return frame, nil
		}
		if err != nil {
			return nil, err
		}
		if len(frame) > l.tuning.readLimit {
			return l.skip(r, bytes.Clone(frame[:len(l.scratch)]))
		}
	}
}

// skip reads and discards the rest of a frame that is too large.
func (l *webSocket) skip(r io.Reader, head []byte) ([]byte, error) {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return head, fmt.Errorf("%w: over %d bytes", ErrMessageTooLarge, l.tuning.readLimit)
}
