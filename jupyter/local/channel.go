package local

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"easel/internal/wake"
	"easel/jupyter/connection"
	"easel/jupyter/wire"
	"easel/jupyter/zmtp"
)

// messageLimit is the maximum size of a message from a kernel. It is above that of the
// client, which reports what is too large for it.
const messageLimit = 130 << 20

// A channel passes messages between a kernel's sockets and a websocket.
type channel struct {
	g        *Gateway
	k        Kernel
	socks    *connection.Sockets
	session  string // of the gateway's own requests
	activity activity

	out     chan *wire.Message // for the websocket; closed when the sockets have ended
	answers chan *wire.Message // to the gateway's own requests
	badKey  wake.Signal        // one slot: a message was signed with another key
	gone    chan struct{}      // closed when one of the sockets has ended
	ended   sync.Once          // closes gone
	ctx     context.Context    //nolint:containedctx // until the client or the kernel has left
	cancel  context.CancelFunc
	readers sync.WaitGroup
}

func (g *Gateway) newChannel(k Kernel, socks *connection.Sockets) *channel {
	c := &channel{
		g: g, k: k, socks: socks, session: newSession(), activity: activity{busy: make(map[string]bool), unknown: true},
		out: make(chan *wire.Message, 1024), answers: make(chan *wire.Message, 16),
		badKey: wake.New(), gone: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(g.ctx)
	return c
}

// start starts the readers of the sockets.
func (c *channel) start() {
	stop := context.AfterFunc(c.ctx, c.socks.Close)
	for name, conn := range c.socks.Channels() {
		c.readers.Go(func() {
			c.read(name, conn)
			c.ended.Do(func() { close(c.gone) })
			for _, other := range c.socks.All() { // the process closes them one after the other
				other.EndWithin(c.g.tuning.farewell)
			}
		})
	}
	c.g.tasks.Go(func() {
		c.readers.Wait()
		stop()
		c.socks.Close()
		close(c.out)
	})
}

// leave disconnects from the kernel and waits for the readers.
func (c *channel) leave() {
	c.cancel()
	c.readers.Wait()
}

// read reads one socket until it ends.
func (c *channel) read(name string, conn *zmtp.Conn) {
	signed := wire.SignedCodec{Key: []byte(c.k.conn.Key)}
	for {
		parts, err := conn.Read(messageLimit)
		if err != nil && !errors.Is(err, zmtp.ErrTooLarge) {
			return
		}
		var m *wire.Message
		if err == nil {
			m, err = signed.Decode(name, parts)
		}
		if err != nil {
			c.g.log.WarnContext(c.ctx, "a message from a kernel was skipped", "file", c.k.File, "err", err)
			if errors.Is(err, wire.ErrSignature) {
				c.badKey.Notify()
			}
			continue
		}
		c.activity.observe(m)
		if m.Parent.Session == c.session { // only the gateway asked
			if name != wire.IOPub {
				select {
				case c.answers <- m:
				default: // nobody waits for so many
				}
			}
			continue
		}
		select {
		case c.out <- m:
		case <-c.ctx.Done():
			return
		}
	}
}

// send sends a message to the kernel.
func (c *channel) send(m *wire.Message) error {
	conn := c.socks.Channels()[m.Channel]
	if conn == nil || m.Channel == wire.IOPub {
		return nil // requests of Easel need no other
	}
	signed := wire.SignedCodec{Key: []byte(c.k.conn.Key)}
	parts, err := signed.Encode(m)
	if err != nil {
		return err
	}
	return conn.Write(parts, c.g.tuning.write)
}

// serve passes messages until the client leaves or the kernel ends.
func (c *channel) serve(w http.ResponseWriter, r *http.Request) {
	defer c.leave()
	upgrader := websocket.Upgrader{Subprotocols: []string{wire.V1Name}, ReadBufferSize: 32 << 10, WriteBufferSize: 32 << 10}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer ws.Close() //nolint:errcheck // it is over
	stop := context.AfterFunc(c.ctx, func() { _ = ws.Close() })
	defer stop()
	c.register()
	defer c.unregister()
	written := make(chan struct{})
	go func() { // ends when the sockets or the websocket have
		defer close(written)
		c.write(ws)
	}()
	c.receive(ws)
	c.cancel()
	<-written
}

func (c *channel) register() {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	c.g.open[c.k.ID] = c
}

func (c *channel) unregister() {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	if c.g.open[c.k.ID] == c {
		delete(c.g.open, c.k.ID)
	}
}

// write sends the kernel's messages to the client, until one of them has left. Then the
// reader ends, too.
func (c *channel) write(ws *websocket.Conn) {
	defer ws.Close() //nolint:errcheck // it is over
	for m := range c.out {
		frame, isBinary, err := wire.V1.Encode(m)
		if err != nil {
			continue
		}
		kind := websocket.TextMessage
		if isBinary {
			kind = websocket.BinaryMessage
		}
		if err := ws.SetWriteDeadline(time.Now().Add(c.g.tuning.write)); err != nil {
			return
		}
		if err := ws.WriteMessage(kind, frame); err != nil {
			return
		}
	}
	_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, "the kernel has ended"),
		time.Now().Add(time.Second))
}

// receive passes the client's messages to the kernel until one of them has left.
func (c *channel) receive(ws *websocket.Conn) {
	decoder := wire.Decoder{Protocol: wire.V1}
	for {
		kind, frame, err := ws.ReadMessage()
		if err != nil {
			return
		}
		m, err := decoder.Decode(frame, kind == websocket.BinaryMessage)
		if err == nil {
			err = c.send(m)
		}
		if err != nil {
			c.g.log.InfoContext(c.ctx, "passing a message to a kernel", "file", c.k.File, "err", err)
			if _, format := errors.AsType[*wire.FormatError](err); !format {
				return
			}
		}
	}
}

// An activity is what a kernel does, by its messages.
type activity struct {
	mu      sync.Mutex
	busy    map[string]bool // by the request that it runs
	unknown bool            // it may run what began before we listened
	last    time.Time
}

// observe notes a message of the kernel.
func (a *activity) observe(m *wire.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.Channel == wire.Shell {
		a.unknown = false // it could not answer otherwise
	}
	if m.Channel != wire.IOPub || m.Parent.MsgType != "execute_request" {
		return
	}
	a.last = time.Now()
	var s wire.Status
	if m.Header.MsgType != "status" || m.Decode(&s) != nil {
		return
	}
	switch s.ExecutionState {
	case wire.StateBusy:
		a.busy[m.ParentID()] = true
	case wire.StateIdle:
		delete(a.busy, m.ParentID())
		a.unknown = false
	}
}

// now returns the state of the kernel, and when it last ran code.
func (a *activity) now(began time.Time) (state string, last time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	state, last = wire.StateIdle, a.last
	if a.unknown || len(a.busy) > 0 {
		state = wire.StateBusy
	}
	if last.IsZero() {
		last = began
	}
	return state, last
}
