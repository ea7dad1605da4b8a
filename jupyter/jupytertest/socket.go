package jupytertest

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"easel/internal/wake"
	"easel/jupyter/wire"
)

// A socket is one client's websocket.
type socket struct {
	k       *Kernel
	ws      *websocket.Conn
	session string
	decoder wire.Decoder
	pongs   atomic.Int64
	frozen  atomic.Bool

	mu   sync.Mutex
	out  []any       // *wire.Message or []byte
	wake wake.Signal // one slot

	once sync.Once
	done chan struct{}
}

func newSocket(k *Kernel, ws *websocket.Conn, session string) *socket {
	c := &socket{k: k, ws: ws, session: session, wake: wake.New(), done: make(chan struct{})}
	c.decoder.Protocol = wire.Negotiated(ws.Subprotocol())
	ws.SetPongHandler(func(string) error {
		c.pongs.Add(1)
		return nil
	})
	ping := ws.PingHandler()
	ws.SetPingHandler(func(data string) error {
		if c.frozen.Load() {
			return nil
		}
		return ping(data)
	})
	return c
}

// put queues m for writing. It never blocks.
func (c *socket) put(m *wire.Message) { c.enqueue(m) }

// putFrame queues a frame, which is written unchanged.
func (c *socket) putFrame(frame []byte) { c.enqueue(frame) }

func (c *socket) enqueue(what any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(c.out, what)
	c.wake.Notify()
}

// write is the socket's writer.
func (c *socket) write() {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		c.mu.Lock()
		out := c.out
		c.out = nil
		c.mu.Unlock()
		for _, what := range out {
			if !c.frozen.Load() && c.writeOne(what) != nil {
				return // the client is gone
			}
		}
	}
}

func (c *socket) writeOne(what any) error {
	m, ok := what.(*wire.Message)
	if !ok {
		return c.ws.WriteMessage(websocket.BinaryMessage, what.([]byte))
	}
	frame, isBinary, err := c.decoder.Protocol.Encode(m)
	if err != nil {
		c.k.t.Errorf("fake kernel: %v", err)
		return err
	}
	if isBinary {
		return c.ws.WriteMessage(websocket.BinaryMessage, frame)
	}
	return c.ws.WriteMessage(websocket.TextMessage, frame)
}

// read is the socket's reader.
func (c *socket) read() {
	for {
		kind, frame, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		if c.frozen.Load() {
			continue
		}
		m, err := c.decoder.Decode(frame, kind == websocket.BinaryMessage)
		if err != nil {
			c.k.t.Errorf("fake kernel: %v", err)
			return
		}
		c.k.receive(m)
	}
}

func (c *socket) freeze() { c.frozen.Store(true) }

// abort breaks the connection. The client gets no close frame.
func (c *socket) abort() {
	c.once.Do(func() {
		close(c.done)
		if tcp, ok := c.ws.NetConn().(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.ws.SetReadDeadline(time.Now())
		_ = c.ws.Close()
	})
}

func marshal(content any) json.RawMessage {
	data, err := json.Marshal(content)
	if err != nil {
		panic("jupytertest: " + err.Error()) // a test passed something that cannot be marshalled
	}
	return data
}

// serve opens a websocket.
func (k *Kernel) serve(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{WriteBufferSize: 64 << 10}
	if !k.server.legacy {
		up.Subprotocols = []string{wire.V1Name}
	}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	c := newSocket(k, ws, r.URL.Query().Get("session_id"))
	k.mu.Lock()
	if b := k.buffer; b != nil && b.session == c.session {
		for _, m := range b.messages {
			c.put(m)
		}
	}
	k.buffer = nil
	k.sockets = append(k.sockets, c)
	k.changed()
	begun := k.task(c.write)
	k.mu.Unlock()
	if begun {
		c.read()
	}
	k.mu.Lock()
	k.leave(c)
	k.mu.Unlock()
	c.abort()
}

// leave removes a socket. The last one leaves a buffer. k.mu must be held.
func (k *Kernel) leave(c *socket) {
	i := slices.Index(k.sockets, c)
	if i < 0 {
		return
	}
	k.sockets = slices.Delete(k.sockets, i, i+1)
	if len(k.sockets) == 0 {
		k.buffer = &buffer{session: c.session}
	}
	k.changed()
}
