package jupytertest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"easel/jupyter/wire"
)

// A Kernel is a fake kernel. It does what its script says.
type Kernel struct {
	ID   string
	Name string // of its kernelspec

	server *Server
	t      testing.TB
	ctx    context.Context //nolint:containedctx // the kernel's life
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	work   chan func() // the main shell: what is asked of it, in order

	mu         sync.Mutex
	session    string // changes with a restart, as a new process would
	state      string
	active     time.Time
	execute    func(*Execution)
	evaluate   func(wire.ExecuteRequest) wire.ExecuteReply
	life       context.Context //nolint:containedctx // of what runs, until restart or death
	endLife    context.CancelFunc
	interrupts chan struct{} // closed by the next interrupt
	count      int
	nSubshells bool // no subshells
	subshells  []string
	swallow    map[string]int // by message type, how many more are lost
	hushed     int            // how many more messages on iopub are lost
	sockets    []*socket
	buffer     *buffer
	received   []*wire.Message
	arrived    chan struct{} // closed when received or sockets change
}

// A buffer is what the server keeps for the last client that went.
type buffer struct {
	session  string
	messages []*wire.Message
}

func newKernel(s *Server, name string) *Kernel {
	k := &Kernel{
		ID: uuid.NewString(), Name: name, server: s, t: s.t,
		work:    make(chan func(), 1024),
		session: uuid.NewString(), state: wire.StateIdle, active: time.Now(), swallow: map[string]int{},
		interrupts: make(chan struct{}), arrived: make(chan struct{}),
	}
	// The test's context ends before its cleanups: the kernel ends in one.
	k.ctx, k.cancel = context.WithCancel(context.WithoutCancel(s.t.Context()))
	k.life, k.endLife = context.WithCancel(k.ctx)
	k.tasks.Go(func() {
		for {
			select {
			case f := <-k.work:
				f()
			case <-k.ctx.Done():
				return
			}
		}
	})
	return k
}

// end ends the kernel's goroutines.
func (k *Kernel) end() {
	k.mu.Lock()
	k.cancel()
	k.mu.Unlock()
	k.Drop()
	k.tasks.Wait()
}

// task runs f beside, unless the kernel has ended, which waits for no new ones; k.mu is held.
func (k *Kernel) task(f func()) bool {
	if k.ctx.Err() != nil {
		return false
	}
	k.tasks.Go(f)
	return true
}

// OnExecute sets the script: f runs for each execute_request of the main shell,
// one at a time. It must end when the context of x does.
func (k *Kernel) OnExecute(f func(x *Execution)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.execute = f
}

// OnEvaluate sets what is answered to silent requests with expressions.
func (k *Kernel) OnEvaluate(f func(wire.ExecuteRequest) wire.ExecuteReply) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.evaluate = f
}

// WithoutSubshells makes the kernel an older one, which has none.
func (k *Kernel) WithoutSubshells() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nSubshells = true
}

// Status sends a status without a parent, as restarting or dead, and has REST
// tell it.
func (k *Kernel) Status(state string) {
	k.setState(state)
	k.Send(wire.IOPub, "status", wire.Header{}, wire.Status{ExecutionState: state})
}

func (k *Kernel) setState(state string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state, k.active = state, time.Now()
	k.changed()
}

// Send sends any message to all clients; what is not iopub goes to the client
// that made the parent.
func (k *Kernel) Send(channel, kind string, parent wire.Header, content any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.send(&wire.Message{
		Channel: channel,
		Header: wire.Header{
			MsgID: uuid.NewString(), MsgType: kind, Session: k.session,
			Username: "fake", Version: "5.3", Date: time.Now(),
		},
		Parent: parent, Content: marshal(content),
	})
}

// send delivers m, or keeps it for the last client; k.mu is held.
func (k *Kernel) send(m *wire.Message) {
	if m.Channel == wire.IOPub && k.hushed > 0 {
		k.hushed--
		return
	}
	for _, c := range k.sockets {
		if m.Channel == wire.IOPub || m.Parent.Session == c.session {
			c.put(m)
		}
	}
	if len(k.sockets) == 0 && k.buffer != nil {
		k.buffer.messages = append(k.buffer.messages, m)
	}
}

// Restart is a restart over REST: no "restarting", what ran ends without a
// reply, what waited is lost.
func (k *Kernel) Restart() {
	k.Send(wire.IOPub, "shutdown_reply", wire.Header{}, wire.ShutdownReply{Restart: true})
	k.renew()
	k.Send(wire.IOPub, "iopub_welcome", wire.Header{}, map[string]string{"subscription": ""})
	k.Status(wire.StateStarting)
}

// Die is the death of the process, and what the server makes of it: restarting,
// then a new one. What ran ends without a word.
func (k *Kernel) Die() {
	k.renew()
	k.Status(wire.StateRestarting)
	k.Status(wire.StateStarting)
}

// DieAtWork is Die of a kernel that works, of whose new process the server hears
// nothing: it goes on to call it busy.
func (k *Kernel) DieAtWork() {
	k.renew()
	k.setState(wire.StateBusy)
	k.Send(wire.IOPub, "status", wire.Header{}, wire.Status{ExecutionState: wire.StateRestarting})
}

// renew makes the kernel a new process.
func (k *Kernel) renew() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.endLife()
	k.life, k.endLife = context.WithCancel(k.ctx)
	k.session, k.count, k.subshells = uuid.NewString(), 0, nil
}

// Delete is what a DELETE by somebody else looks like: a shutdown_reply, then
// 404 over REST, and websockets that stay open and silent.
//
// They are one step: who asks after the word gets the 404, however slow the machine.
func (k *Kernel) Delete() {
	k.mu.Lock()
	k.endLife()
	k.mu.Unlock()
	k.server.remove(k.ID, func() { k.Send(wire.IOPub, "shutdown_reply", wire.Header{}, wire.ShutdownReply{}) })
}

// Vanish is Delete without a word, as a culled kernel or one of a server that was
// started anew.
func (k *Kernel) Vanish() {
	k.mu.Lock()
	k.endLife()
	k.mu.Unlock()
	k.server.remove(k.ID, func() {})
}

// Interrupt interrupts what runs.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.interrupts)
	k.interrupts = make(chan struct{})
}

// Swallow loses the next n requests of a kind without a trace, as happens right
// after a restart. A client asks a kernel that it joins on two channels at once
// and goes on with the first answer, so which request is next is no certain
// thing unless the kind is named.
func (k *Kernel) Swallow(kind string, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.swallow[kind] = n
}

// Hush loses the next n messages on iopub, as happens to a client that the server
// has not yet connected to it.
func (k *Kernel) Hush(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hushed = n
}

// Drop breaks all websockets without a close frame. What is sent before the
// client is back is kept for it, if it was the last.
func (k *Kernel) Drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range slices.Clone(k.sockets) {
		k.leave(c)
		c.abort()
	}
}

// Forget drops what is kept for a client that went, as the server does when
// another one comes.
func (k *Kernel) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.buffer = nil
}

// Freeze makes the open websockets dead without a sign: nothing is read,
// answered or sent any more.
func (k *Kernel) Freeze() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.sockets {
		c.freeze()
	}
}

// Await waits for the n-th request of that type (from 1), whoever sent it, and
// gives it. The test fails after a while.
func (k *Kernel) Await(kind string, n int) *wire.Message {
	k.t.Helper()
	var found *wire.Message
	k.await(kind, func() bool {
		seen := 0
		for _, m := range k.received {
			if m.Header.MsgType == kind {
				if seen++; seen == n {
					found = m
					return true
				}
			}
		}
		return false
	})
	return found
}

// AwaitConnections waits until n websockets are open.
func (k *Kernel) AwaitConnections(n int) {
	k.t.Helper()
	k.await("connections", func() bool { return len(k.sockets) == n })
}

// AwaitState waits until REST tells that state.
func (k *Kernel) AwaitState(state string) {
	k.t.Helper()
	k.await("state "+state, func() bool { return k.state == state })
}

// Settle waits until the main shell has done all that was asked of it so far.
func (k *Kernel) Settle(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case k.work <- func() { close(done) }:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// SendFrame sends a binary frame as it is to all clients.
func (k *Kernel) SendFrame(frame []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.sockets {
		c.putFrame(frame)
	}
}

// Pongs is how many pongs the open websockets got.
func (k *Kernel) Pongs() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, c := range k.sockets {
		n += int(c.pongs.Load())
	}
	return n
}

// await waits for a condition, which is looked at with k.mu held.
func (k *Kernel) await(what string, ok func() bool) {
	k.t.Helper()
	deadline := time.After(patience)
	for {
		k.mu.Lock()
		met, arrived := ok(), k.arrived
		k.mu.Unlock()
		if met {
			return
		}
		select {
		case <-arrived:
		case <-deadline:
			k.t.Fatalf("fake kernel: waited in vain for %s", what)
		}
	}
}

// patience is how long a test waits for what must come.
const patience = time.Minute

// changed tells those who await something; k.mu is held.
func (k *Kernel) changed() {
	close(k.arrived)
	k.arrived = make(chan struct{})
}
