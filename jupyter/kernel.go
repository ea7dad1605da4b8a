package jupyter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/jupyter/wire"
)

// A Kernel is a connection to a kernel. Its websocket is reopened when it is lost, until
// Close.
type Kernel struct {
	server      *Server
	id          string
	ids         messageIDs // of our messages
	info        KernelInfo
	process     string        // session id in the headers of the process that answered Follow
	clockOffset time.Duration // added to the kernel's clock to get ours
	log         *slog.Logger
	tuning      connectionParameters
	arrivals    *arrivals
	queue       *queue
	sockets     *sockets // the kernel's own; nil if its messages come over the websocket

	check wake.Signal // one slot: check soon whether the kernel still exists

	ctx    context.Context //nolint:containedctx // cancelled with the cause by Close and by the kernel's end
	cancel context.CancelCauseFunc
	tasks  sync.WaitGroup
	// listeners are the goroutines of sockets. run waits for them, so that LinkGone is
	// the last event.
	listeners sync.WaitGroup

	waiting  waitingRequests
	shell    mainShell
	subshell subshell
	late     lateOutput
	complete bool // see Complete; set by Follow

	mu        sync.Mutex
	socket    *webSocket // nil while the connection is down
	connected bool       // the websocket answers
	trouble   error      // why the last attempt to reconnect failed; nil while there is a websocket
	replay    *replay    // not nil while earlier messages are still to come
}

// ID returns the kernel's id.
func (k *Kernel) ID() string { return k.id }

// Session returns our client session id, as in the headers of our messages and in the
// parents of the messages that they cause.
func (k *Kernel) Session() string { return k.ids.session }

// Info returns what the kernel reported about itself when Follow connected.
func (k *Kernel) Info() KernelInfo { return k.info }

// JoinedProcess identifies the kernel's process that answered when Follow connected, as
// [Kernel.Process] does.
func (k *Kernel) JoinedProcess() string { return k.process }

// Complete reports whether a client that has returned, with the session id of a former one, has got all
// that the kernel has sent since. Only Easel's own servers can say so.
func (k *Kernel) Complete() bool { return k.complete }

// Clock converts a time by the kernel's clock to ours. A zero time stays zero.
func (k *Kernel) Clock(date time.Time) time.Time {
	if date.IsZero() {
		return date
	}
	return date.Add(k.clockOffset).UTC()
}

// OwnSockets reports whether the kernel's messages come over its own sockets instead of
// the server's websocket.
func (k *Kernel) OwnSockets() bool { return k.sockets != nil }

// Connected reports whether requests can be sent now.
func (k *Kernel) Connected() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.connected
}

// Trouble returns why the last attempt to reconnect failed. It is nil while there is a
// connection, and before the first attempt has failed.
func (k *Kernel) Trouble() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trouble
}

// Next waits for the next message from the kernel or event of the connection. It returns
// them in order. After Close or LinkGone, it returns what is left and then
// [io.EOF]. Next returns everything on iopub, whoever caused it, and the replies to
// Execute. It does not return the messages that Evaluate and the probes cause.
func (k *Kernel) Next(ctx context.Context) (Delivery, error) { return k.queue.next(ctx) }

// Barrier makes Next return reached after everything that has arrived so far. After the
// end of the connection it has no effect.
func (k *Kernel) Barrier(reached chan<- struct{}) {
	k.queue.put(Delivery{Barrier: reached, At: time.Now()})
}

// Close disconnects from the kernel, which keeps running, and waits for the goroutines.
// It may be called more than once and always returns nil.
func (k *Kernel) Close() error {
	k.mu.Lock()
	l := k.socket
	k.mu.Unlock()
	if k.ctx.Err() == nil && l != nil {
		k.farewell(l)
	}
	k.cancel(ErrClosed)
	k.tasks.Wait()
	k.queue.close()
	return nil
}

// farewell deletes our subshell, which nobody else can use, and closes the websocket
// properly, within the timeout.
func (k *Kernel) farewell(l *webSocket) {
	ctx, cancel := context.WithTimeout(context.Background(), k.tuning.farewell)
	defer cancel()
	if id := k.subshell.forget(); id != "" && k.Connected() {
		// Wait for the reply, because the server drops what it has not forwarded when we
		// disconnect. A missing reply does not prevent Close.
		_, _ = k.roundTrip(ctx, k.message(k.ids.next(true), wire.Control, "delete_subshell_request", map[string]string{"subshell_id": id}))
	}
	select {
	case l.out <- closing:
	case <-ctx.Done():
	}
	select {
	case <-l.done:
	case <-ctx.Done():
	}
}

// run is the goroutine that reads and reconnects.
func (k *Kernel) run(l *webSocket) {
	defer k.queue.close()
	for {
		stop := context.AfterFunc(k.ctx, func() { l.close(context.Cause(k.ctx)) })
		k.read(l)
		stop()
		k.down()
		cause := context.Cause(k.ctx)
		if l.leaving.Load() { // Close is closing it and cancels k.ctx next
			cause = ErrClosed
		}
		if cause != nil {
			k.end(cause)
			return
		}
		k.queue.put(Delivery{Event: ConnectionLost, Err: l.err, At: time.Now()})
		k.log.Info("connection to the kernel lost", "err", l.err)
		// The cause may also have broken the connections for REST. A request on a
		// silently dead connection would block for very long.
		k.server.client.CloseIdleConnections()
		k.server.doubt(ErrUnreachable)
		next, err := k.reconnect()
		if err != nil {
			k.end(err)
			return
		}
		l = next
		if l.whole {
			k.queue.put(Delivery{Event: ConnectionResumed, At: time.Now()})
		}
		k.tasks.Go(l.write)
		k.restore(l)
	}
}

// end ends the connection permanently and reports the cause.
func (k *Kernel) end(cause error) {
	k.cancel(cause)
	k.listeners.Wait()
	if !errors.Is(cause, ErrClosed) {
		k.queue.put(Delivery{Event: KernelGone, Err: cause, At: time.Now()})
	}
}

// read reads messages until the websocket ends.
func (k *Kernel) read(l *webSocket) {
	for {
		m, err := l.read()
		if m == nil && !isFormatError(err) {
			l.close(fmt.Errorf("reading: %w", err))
			return
		}
		k.take(m, err)
	}
}

// take processes what was read: a message, the headers of one that is too large, or the
// error of a frame that cannot be decoded.
func (k *Kernel) take(m *wire.Message, err error) {
	if m == nil {
		k.log.Warn("a frame from the kernel was skipped", "err", err)
		return
	}
	k.receive(m, err)
}

func isFormatError(err error) bool {
	_, ok := errors.AsType[*wire.FormatError](err)
	return ok
}

// down fails the pending requests. Their replies may have been sent while there was no
// connection.
func (k *Kernel) down() {
	k.mu.Lock()
	k.socket, k.connected = nil, false
	k.mu.Unlock()
	k.shell.lose()
	k.waiting.close(ErrDisconnected)
	k.subshell.doubt()
}

// reconnect retries until it has connected, the kernel is gone, or Close is called.
func (k *Kernel) reconnect() (*webSocket, error) {
	wait := time.Duration(0) // the first attempt is immediate: the server drops its buffer when another client connects
	var special []string
	if k.sockets != nil {
		special = []string{lifeProtocol}
	}
	for {
		select {
		case <-time.After(wait):
		case <-k.ctx.Done():
			return nil, context.Cause(k.ctx)
		}
		l, err := k.server.dial(k.ctx, k.id, k.arrivals, special, k.tuning)
		if err == nil && l.life == (k.sockets != nil) {
			return l, nil
		}
		if err == nil {
			// Each message would arrive twice. The kernel's server has been replaced, so
			// the next attempt will find that it does not know the kernel.
			err = errors.New("the server passes the kernel's messages on, which it did not before")
			l.close(err)
		}
		if k.ctx.Err() != nil {
			return nil, context.Cause(k.ctx)
		}
		if errors.Is(err, ErrNotFound) {
			if gone := k.isGone(); gone != nil {
				return nil, gone
			}
		}
		k.mu.Lock()
		k.trouble = err
		k.mu.Unlock()
		k.log.Debug("connecting again", "err", err)
		wait = min(max(2*wait, k.tuning.backoff), k.tuning.backoffTo)
	}
}

// restore marks the websocket as good once the kernel answers over it, or after a timeout.
// The server sends buffered messages before any answer.
func (k *Kernel) restore(l *webSocket) {
	k.waiting.open() // whoever gets the websocket may wait for a reply
	k.mu.Lock()
	k.socket, k.trouble = l, nil
	k.mu.Unlock()
	k.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(k.ctx, k.tuning.restore)
		defer cancel()
		_, err := k.firstAnswer(ctx)
		if err != nil && k.ctx.Err() == nil {
			k.log.Warn("the kernel does not answer after the connection was restored", "err", err)
		}
		k.up(l)
	})
}

// up reports that the connection is restored, if l is still the websocket and was not up
// before.
func (k *Kernel) up(l *webSocket) {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-l.done:
		return
	default:
	}
	if k.socket != l || k.connected {
		return
	}
	k.connected = true
	k.queue.put(Delivery{Event: ConnectionRestored, At: time.Now()})
}
