package local

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"easel/jupyter"
	"easel/jupyter/wire"
)

// A Guest is a kernel that a program offers to Easel: it runs the cells of one notebook, and the program says what they display. It
// takes no other code. Its messages are those that a kernel would send to everybody who listens, about requests of its program.
type Guest struct {
	ID        string // a UUID
	Name      string // of the kernel, as its program calls it
	Language  string
	Program   string                      // for example Visual Studio Code
	Notebook  string                      // path on disk
	Interrupt func(context.Context) error // interrupts the cell that runs

	began   time.Time
	session string // of the requests of its program

	mu        sync.Mutex
	listeners map[*guestListener]struct{}
	running   int
	last      time.Time // when it last ran code
	gone      bool
}

// A guestListener is a client of a guest.
type guestListener struct {
	ctx  context.Context //nolint:containedctx // until the client or the guest has left
	end  context.CancelFunc
	send chan *wire.Message
}

// Admit adds a guest, until Dismiss.
func (g *Gateway) Admit(k *Guest) {
	k.began, k.session, k.listeners = time.Now(), uuid.NewString(), make(map[*guestListener]struct{})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.guests[k.ID] = k
}

// Dismiss removes a guest: for its clients, the kernel has ended.
func (g *Gateway) Dismiss(k *Guest) {
	g.mu.Lock()
	if g.guests[k.ID] == k {
		delete(g.guests, k.ID)
	}
	g.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gone = true
	for l := range k.listeners {
		l.end()
	}
}

// guest returns the guest that a request is about, or nil.
func (g *Gateway) guest(r *http.Request) *Guest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.guests[r.PathValue("id")]
}

func (k *Guest) model() jupyter.KernelModel {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := jupyter.KernelModel{
		ID: k.ID, Name: k.Name, State: wire.StateIdle, LastActivity: k.last, Connections: len(k.listeners),
		Process: &jupyter.Process{Program: k.Program, Dir: filepath.Dir(k.Notebook), Started: k.began, Guest: true},
	}
	if k.running > 0 {
		m.State = wire.StateBusy
	}
	if k.last.IsZero() {
		m.LastActivity = k.began
	}
	return m
}

// serve serves one client until it or the guest leaves.
func (k *Guest) serve(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{Subprotocols: []string{wire.V1Name}, ReadBufferSize: 32 << 10, WriteBufferSize: 32 << 10}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer ws.Close() //nolint:errcheck // it is over
	l := &guestListener{send: make(chan *wire.Message, 1024)}
	l.ctx, l.end = context.WithCancel(ctx)
	defer context.AfterFunc(l.ctx, func() { _ = ws.Close() })()
	k.mu.Lock()
	if k.listeners[l] = struct{}{}; k.gone {
		l.end()
	}
	k.mu.Unlock()
	written := make(chan struct{})
	go func() { // ends with l.ctx or the websocket
		defer close(written)
		defer ws.Close() //nolint:errcheck // it is over
		l.write(ws)
	}()
	k.receive(ws, l)
	l.end()
	<-written
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.listeners, l)
}

func (l *guestListener) write(ws *websocket.Conn) {
	for {
		select {
		case m := <-l.send:
			frame, _, err := wire.V1.Encode(m)
			if err != nil || ws.SetWriteDeadline(time.Now().Add(defaultTuning().write)) != nil {
				return
			}
			if err := ws.WriteMessage(websocket.BinaryMessage, frame); err != nil {
				return
			}
		case <-l.ctx.Done():
			return
		}
	}
}

// put queues a message. A client that does not read it is not waited for: it is disconnected.
func (l *guestListener) put(m *wire.Message) {
	select {
	case l.send <- m:
	case <-l.ctx.Done():
	case <-time.After(defaultTuning().write):
		l.end()
	}
}

// receive answers the requests of a client.
func (k *Guest) receive(ws *websocket.Conn, l *guestListener) {
	decoder := wire.Decoder{Protocol: wire.V1}
	for {
		kind, frame, err := ws.ReadMessage()
		if err != nil {
			return
		}
		m, err := decoder.Decode(frame, kind == websocket.BinaryMessage)
		if err != nil {
			continue
		}
		var reply any
		switch m.Type() {
		case "kernel_info_request":
			reply = wire.KernelInfoReply{
				Status: "ok", ProtocolVersion: wire.ProtocolVersion, Implementation: wire.CellsOnly,
				LanguageInfo: wire.LanguageInfo{Name: k.Language},
			}
		case "execute_request":
			reply = wire.ExecuteReply{
				Status: "error", Ename: "CellsOnly",
				Evalue: "this kernel belongs to " + k.Program + ", and Easel runs only the cells of its notebook in it",
			}
		default:
			continue
		}
		l.put(k.message(wire.IOPub, "status", m.Header, wire.Status{ExecutionState: wire.StateBusy}))
		l.put(k.message(m.Channel, m.Type()[:len(m.Type())-len("request")]+"reply", m.Header, reply))
		l.put(k.message(wire.IOPub, "status", m.Header, wire.Status{ExecutionState: wire.StateIdle}))
	}
}

func (k *Guest) message(channel, kind string, parent wire.Header, content any) *wire.Message {
	raw, err := json.Marshal(content)
	if err != nil {
		raw = json.RawMessage("{}") // it was JSON before
	}
	return &wire.Message{
		Channel: channel, Parent: parent, Content: raw,
		Header: wire.Header{
			MsgID: uuid.NewString(), MsgType: kind, Session: k.session, Username: "editor",
			Version: wire.ProtocolVersion, Date: time.Now(),
		},
	}
}

// A GuestRun is the run of a cell.
type GuestRun struct {
	k      *Guest
	parent wire.Header
	code   string
	ended  sync.Once
}

// Hold makes the guest busy until release is called: its program was asked to run a cell, which may not have begun yet.
func (k *Guest) Hold() (release func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running++
	return sync.OnceFunc(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running--
	})
}

// Running reports whether a cell runs, or is to run.
func (k *Guest) Running() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.running > 0
}

// Begin says that a cell with some code has begun to run.
func (k *Guest) Begin(code string) *GuestRun {
	r := &GuestRun{k: k, code: code, parent: wire.Header{
		MsgID: uuid.NewString(), MsgType: "execute_request", Session: k.session, Username: k.Program,
		Version: wire.ProtocolVersion, Date: time.Now(),
	}}
	k.mu.Lock()
	k.running++
	k.last = time.Now()
	k.mu.Unlock()
	r.Say("status", wire.Status{ExecutionState: wire.StateBusy})
	r.Count(0)
	return r
}

// Count says the execution count of the cell; 0 if it is not known yet.
func (r *GuestRun) Count(n int) {
	r.Say("execute_input", map[string]any{"code": r.code, "execution_count": n})
}

// Say passes on an output of the cell, or another message about it, of the kind that Jupyter's protocol defines.
func (r *GuestRun) Say(kind string, content any) {
	m := r.k.message(wire.IOPub, kind, r.parent, content)
	r.k.mu.Lock()
	var all []*guestListener
	for l := range r.k.listeners {
		all = append(all, l)
	}
	r.k.mu.Unlock()
	for _, l := range all {
		l.put(m)
	}
}

// End says that the cell has ended. Only the first call counts.
func (r *GuestRun) End() {
	r.ended.Do(func() {
		r.Say("status", wire.Status{ExecutionState: wire.StateIdle})
		r.k.mu.Lock()
		defer r.k.mu.Unlock()
		r.k.running--
		r.k.last = time.Now()
	})
}
