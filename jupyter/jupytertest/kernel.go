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

// A Kernel is a fake kernel that follows its script.
type Kernel struct {
	ID   string
	Name string // of its kernelspec

	server *Server
	t      testing.TB
	ctx    context.Context //nolint:containedctx // ends with the kernel
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	work   chan func() // the requests of the main shell, in order
	inputs chan *wire.Message

	mu         sync.Mutex
	session    string // changes with a restart, as for a new process
	state      string
	active     time.Time
	execute    func(*Execution)
	evaluate   func(wire.ExecuteRequest) wire.ExecuteReply
	life       context.Context //nolint:containedctx // of running code, until a restart or death
	endLife    context.CancelFunc
	interrupts chan struct{} // closed by the next interrupt
	count      int
	nSubshells bool // no subshells
	subshells  []string
	swallow    map[string]int // by message type, how many more requests are lost
	hushed     int            // how many more messages on iopub are lost
	sockets    []*socket
	buffer     *buffer
	received   []*wire.Message
	arrived    chan struct{} // closed when received or sockets change
}

// A buffer is what the server keeps for the last client that disconnected.
type buffer struct {
	session  string
	messages []*wire.Message
}

func newKernel(s *Server, name string) *Kernel {
	k := &Kernel{
		ID: uuid.NewString(), Name: name, server: s, t: s.t,
		work:    make(chan func(), 1024),
		inputs:  make(chan *wire.Message, 16),
		session: uuid.NewString(), state: wire.StateIdle, active: time.Now(), swallow: map[string]int{},
		interrupts: make(chan struct{}), arrived: make(chan struct{}),
	}
	// The test's context ends before its cleanups, and the kernel ends in one of them.
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

// task runs f on a new goroutine, unless the kernel has ended and no longer waits for
// new ones. k.mu must be held.
func (k *Kernel) task(f func()) bool {
	if k.ctx.Err() != nil {
		return false
	}
	k.tasks.Go(f)
	return true
}

// OnExecute sets the script: f runs for each execute_request of the main shell, one at a
// time. It must end when the context of x does.
func (k *Kernel) OnExecute(f func(x *Execution)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.execute = f
}

// OnEvaluate sets the answer to silent requests with expressions.
func (k *Kernel) OnEvaluate(f func(wire.ExecuteRequest) wire.ExecuteReply) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.evaluate = f
}

// WithoutSubshells makes the kernel an older one without subshells.
func (k *Kernel) WithoutSubshells() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nSubshells = true
}

// Status sends a status without a parent, for example restarting or dead, and makes REST
// report it.
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

// Send sends any message: on iopub to all clients, otherwise to the client that sent the
// parent.
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

// send delivers m, or keeps it for the last client. k.mu must be held.
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

// SimulateRestart behaves like a restart over REST: there is no "restarting", running code ends
// without a reply, and queued requests are lost.
func (k *Kernel) SimulateRestart() {
	k.Send(wire.IOPub, "shutdown_reply", wire.Header{}, wire.ShutdownReply{Restart: true})
	k.renew()
	k.Send(wire.IOPub, "iopub_welcome", wire.Header{}, map[string]string{"subscription": ""})
	k.Status(wire.StateStarting)
}

// Die behaves like the death of the process, after which the server sends restarting and
// starts a new process. Running code ends without a message.
func (k *Kernel) Die() {
	k.renew()
	k.Status(wire.StateRestarting)
	k.Status(wire.StateStarting)
}

// DieOf is Die with how the process ended, as Easel's own server says it.
func (k *Kernel) DieOf(end wire.ProcessEnd) {
	k.renew()
	k.Send(wire.IOPub, "status", wire.Header{}, wire.Status{ExecutionState: wire.StateRestarting, End: &end})
	k.Status(wire.StateStarting)
}

// DieAtWork is Die for a busy kernel whose new process the server does not notice, so
// that it still reports the kernel as busy.
func (k *Kernel) DieAtWork() {
	k.renew()
	k.setState(wire.StateBusy)
	k.Send(wire.IOPub, "status", wire.Header{}, wire.Status{ExecutionState: wire.StateRestarting})
}

// renew gives the kernel a new process.
func (k *Kernel) renew() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.endLife()
	k.life, k.endLife = context.WithCancel(k.ctx)
	k.session, k.count, k.subshells = uuid.NewString(), 0, nil
}

// Delete behaves like a DELETE by another client: a shutdown_reply, then 404 over REST,
// and websockets that stay open and silent.
//
// These are one step: a client that asks after the message gets the 404, however slow
// the machine is.
func (k *Kernel) Delete() {
	k.mu.Lock()
	k.endLife()
	k.mu.Unlock()
	k.server.remove(k.ID, func() { k.Send(wire.IOPub, "shutdown_reply", wire.Header{}, wire.ShutdownReply{}) })
}

// Vanish is Delete without a message, as for a kernel that was culled or whose server
// was restarted.
func (k *Kernel) Vanish() {
	k.mu.Lock()
	k.endLife()
	k.mu.Unlock()
	k.server.remove(k.ID, func() {})
}

// Interrupt interrupts running code.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.interrupts)
	k.interrupts = make(chan struct{})
}

// Swallow silently loses the next n requests of a kind, as happens right after a
// restart. The kind must be given, because a client sends requests on two channels at
// the same time when it connects and continues after the first answer, so the order of
// requests is not deterministic.
func (k *Kernel) Swallow(kind string, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.swallow[kind] = n
}

// Hush loses the next n messages on iopub, as for a client that the server has not
// connected to iopub yet.
func (k *Kernel) Hush(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hushed = n
}

// Drop breaks all websockets without a close frame. What is sent before the client
// returns is kept for it, if it was the last.
func (k *Kernel) Drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range slices.Clone(k.sockets) {
		k.leave(c)
		c.abort()
	}
}

// Forget drops what is kept for a disconnected client, as the server does when another
// client connects.
func (k *Kernel) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.buffer = nil
}

// Freeze makes the open websockets silently dead: nothing is read, answered or sent
// anymore.
func (k *Kernel) Freeze() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.sockets {
		c.freeze()
	}
}

// Await waits for the n-th request of that type (from 1), whoever sent it, and returns
// it. The test fails after a timeout.
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

// AwaitState waits until REST reports that state.
func (k *Kernel) AwaitState(state string) {
	k.t.Helper()
	k.await("state "+state, func() bool { return k.state == state })
}

// Settle waits until the main shell has handled all requests so far.
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

// SendFrame sends a binary frame unchanged to all clients.
func (k *Kernel) SendFrame(frame []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.sockets {
		c.putFrame(frame)
	}
}

// Pongs returns how many pongs the open websockets have received.
func (k *Kernel) Pongs() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, c := range k.sockets {
		n += int(c.pongs.Load())
	}
	return n
}

// await waits for a condition, which is checked with k.mu held.
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

// patience is how long a test waits for something that must happen.
const patience = time.Minute

// changed wakes those who await something. k.mu must be held.
func (k *Kernel) changed() {
	close(k.arrived)
	k.arrived = make(chan struct{})
}
