package jupyter

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"easel/jupyter/wire"
)

// closing is the last message to write.
var closing = socketFrame{kind: websocket.CloseMessage, data: websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")}

// receive routes one message. It runs on the goroutine of a reader and does not wait.
func (k *Kernel) receive(m *wire.Message, err error) {
	inner := k.ids.isInner(m.ParentID())
	if inner && k.late.adopt(m) {
		inner = false
	}
	switch {
	case m.Channel == wire.IOPub:
		k.late.observe(m, inner)
		k.observe(m, inner)
		if inner {
			k.waiting.echo(m.ParentID())
		}
	case inner && m.Header.MsgType == "input_request":
		k.declineInput(m)
	case inner:
		k.waiting.answer(m, err)
	}
	if inner {
		return
	}
	in := Delivery{Message: m, At: time.Now()}
	if err != nil {
		in.Err = err
		k.log.Warn("a message was too large to be read", "type", m.Type(), "err", err)
	}
	k.queue.put(in)
}

// lateOutput finds out to which code the output of threads belongs that comes after the code has
// ended. A kernel ascribes it to the last request, also to one of ours. The goroutines that read the
// sockets and the websocket use it.
type lateOutput struct {
	mu     sync.Mutex  // guards the fields below
	code   wire.Header // of the last request that was not inner, in the main shell
	silent []string    // inner requests that print nothing: quiet ones, and those that have ended; the newest last
}

// mostSilent is how many of them are remembered. What is printed is sent with some delay, in which
// others may end.
const mostSilent = 32

// hush says that an inner request prints nothing from now on.
func (l *lateOutput) hush(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = append(l.silent, id)
	if len(l.silent) > mostSilent {
		l.silent = slices.Delete(l.silent, 0, 1)
	}
}

func (l *lateOutput) observe(m *wire.Message, inner bool) {
	var s wire.Status
	if m.Header.MsgType != "status" || m.Decode(&s) != nil {
		return
	}
	switch s.ExecutionState {
	case wire.StateBusy:
		if !inner && m.Parent.MsgType == "execute_request" && m.Parent.SubshellID == "" {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.code = m.Parent
		}
	case wire.StateIdle:
		if inner {
			l.hush(m.ParentID())
		}
	case wire.StateStarting, wire.StateRestarting, wire.StateAutoRestarting, wire.StateDead:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.code, l.silent = wire.Header{}, nil
	}
}

// adopt ascribes a message with an inner parent to the code, if it is late output.
func (l *lateOutput) adopt(m *wire.Message) bool {
	switch m.Header.MsgType {
	case "stream", "display_data", "update_display_data", "clear_output":
	default:
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.code.IsZero() || !slices.Contains(l.silent, m.ParentID()) {
		return false
	}
	m.Parent = l.code
	return true
}

// observe records what iopub says about the kernel itself.
func (k *Kernel) observe(m *wire.Message, inner bool) {
	switch m.Header.MsgType {
	case "shutdown_reply":
		k.restarted()
		k.check.Notify()
	case "status":
		var s wire.Status
		if m.Decode(&s) != nil {
			return
		}
		switch s.ExecutionState {
		case wire.StateBusy, wire.StateIdle:
			if !inner && m.Parent.MsgType == "execute_request" {
				k.shell.set(m.ParentID(), s.ExecutionState == wire.StateBusy)
			}
		case wire.StateStarting, wire.StateRestarting, wire.StateAutoRestarting, wire.StateDead:
			k.restarted()
			k.check.Notify()
		}
	}
}

// isBusy reports whether the kernel is running anything but inner requests of ours. For
// what began before we listened, it asks the server.
func (k *Kernel) isBusy(ctx context.Context) bool {
	busy, known := k.shell.state()
	if known {
		return busy
	}
	model, err := k.server.Kernel(ctx, k.id)
	if err != nil || model.State == wire.StateBusy {
		return true
	}
	return k.shell.learn()
}

// restarted fails or forgets what was requested from the previous process.
func (k *Kernel) restarted() {
	k.subshell.forget()
	k.shell.restart()
	k.waiting.restart(ErrKernelRestarted)
}
