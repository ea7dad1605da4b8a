package jupyter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"easel/jupyter/wire"
)

// A Kernel is a connection to a kernel. Its websocket is kept open, and reopened when
// it is lost, until Close.
type Kernel struct {
	server      *Server
	id          string
	session     string
	nonce       string // keeps our msg_ids unique when a session is reused
	info        KernelInfo
	process     string        // session id in the headers of the process that was joined
	clockOffset time.Duration // what to add to the kernel's clock to get ours
	log         *slog.Logger
	tuning      tuning
	queue       *queue
	sockets     *sockets // the kernel's own; nil if its messages come over the websocket

	seq   atomic.Uint64
	check chan struct{} // one slot: check soon whether the kernel still exists

	ctx    context.Context //nolint:containedctx // its life; Close and the kernel's end cancel it, with the cause
	cancel context.CancelCauseFunc
	tasks  sync.WaitGroup
	// listeners are the goroutines of sockets. run waits for them, so that LinkGone comes last.
	listeners sync.WaitGroup

	subshell subshell

	mu        sync.Mutex
	link      *link // nil while the connection is down
	connected bool  // the link answers
	trouble   error // why the last try to connect again failed; nil while there is a link
	pending   map[string]*pending
	echoes    map[string]*pending // that wait for a word on iopub, too
	replay    *replay             // what came before is still to come; nil else
	// busy holds the parents of each busy that has no idle yet, except of our inner
	// requests. It holds "" while the state before we connected is unknown.
	busy map[string]bool
}

// A pending is a request of ours that waits for its reply.
type pending struct {
	reply chan answer // one slot for each message it was sent as
	// echoed gets a value when iopub has mentioned the request; nil if nobody waits for that.
	echoed chan struct{}
	// survivesRestart tells that a restart does not fail the request: it is sent again.
	survivesRestart bool
}

type answer struct {
	m   *wire.Message
	err error
}

// ID is the kernel's id.
func (k *Kernel) ID() string { return k.id }

// Session is our client session id, as in the headers of our messages and in the
// parents of what they cause.
func (k *Kernel) Session() string { return k.session }

// Info is what the kernel said of itself when it was joined.
func (k *Kernel) Info() KernelInfo { return k.info }

// JoinedProcess tells which process of the kernel answered when it was joined, as
// [Kernel.Process] does.
func (k *Kernel) JoinedProcess() string { return k.process }

// Clock is our time of what the kernel dates; zero if it does not.
func (k *Kernel) Clock(date time.Time) time.Time {
	if date.IsZero() {
		return date
	}
	return date.Add(k.clockOffset).UTC()
}

// OwnSockets tells whether the kernel's messages come over its own sockets, and not
// through the server.
func (k *Kernel) OwnSockets() bool { return k.sockets != nil }

// Connected tells whether requests can be sent now.
func (k *Kernel) Connected() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.connected
}

// Trouble is why a lost connection could not be made again so far; nil while there
// is one, and before the first try has failed.
func (k *Kernel) Trouble() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trouble
}

// Next gives what the kernel sent and what befell the connection, in order,
// waiting for it. After Close or LinkGone what is left comes first, then
// [io.EOF]. Everything on iopub is given, whoever caused it, and the replies to
// Execute; what Evaluate and the probes cause is not.
func (k *Kernel) Next(ctx context.Context) (Incoming, error) { return k.queue.next(ctx) }

// Barrier has Next return reached behind all that has come so far. After the end it is
// dropped.
func (k *Kernel) Barrier(reached chan<- struct{}) {
	k.queue.put(Incoming{Barrier: reached, At: time.Now()})
}

// Close leaves the kernel, which goes on, and waits for the goroutines. It may be
// called more than once and always gives nil.
func (k *Kernel) Close() error {
	k.mu.Lock()
	l := k.link
	k.mu.Unlock()
	if k.ctx.Err() == nil && l != nil {
		k.farewell(l)
	}
	k.cancel(ErrClosed)
	k.tasks.Wait()
	k.queue.close()
	return nil
}

// farewell deletes our subshell, which nobody else can use, and closes the
// websocket in the proper way, within the time allowed.
func (k *Kernel) farewell(l *link) {
	ctx, cancel := context.WithTimeout(context.Background(), k.tuning.farewell)
	defer cancel()
	if id := k.subshell.forget(); id != "" && k.Connected() {
		// The answer is waited for: the server forgets what it has not passed on
		// when we go. That it does not come is no reason to stay.
		_, _ = k.roundTrip(ctx, k.message(k.newID(true), wire.Control, "delete_subshell_request", map[string]string{"subshell_id": id}))
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

// run is the goroutine that reads, and connects again.
func (k *Kernel) run(l *link) {
	defer k.queue.close()
	for {
		stop := context.AfterFunc(k.ctx, func() { l.close(context.Cause(k.ctx)) })
		k.read(l)
		stop()
		k.down()
		cause := context.Cause(k.ctx)
		if l.leaving.Load() { // the farewell of Close, which cancels next
			cause = ErrClosed
		}
		if cause != nil {
			k.end(cause)
			return
		}
		k.queue.put(Incoming{Link: LinkLost, Err: l.err, At: time.Now()})
		k.log.Info("connection to the kernel lost", "err", l.err)
		// What lost this one may have lost those for REST, too: a request on one that
		// is dead without a sign would wait for very long.
		k.server.client.CloseIdleConnections()
		next, err := k.reconnect()
		if err != nil {
			k.end(err)
			return
		}
		l = next
		k.tasks.Go(l.write)
		k.restore(l)
	}
}

// end ends the connection for good, and reports why.
func (k *Kernel) end(cause error) {
	k.cancel(cause)
	k.listeners.Wait()
	if !errors.Is(cause, ErrClosed) {
		k.queue.put(Incoming{Link: LinkGone, Err: cause, At: time.Now()})
	}
}

// read takes in messages until the link ends.
func (k *Kernel) read(l *link) {
	for {
		m, err := l.read()
		if m == nil && !isFormatError(err) {
			l.close(fmt.Errorf("reading: %w", err))
			return
		}
		k.take(m, err)
	}
}

// take takes in what was read: a message, a part of one that is too large, or an
// error of one that cannot be understood.
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

// down fails what waits for a reply: that may have come while there was no connection.
func (k *Kernel) down() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.link, k.connected = nil, false
	clear(k.busy)
	k.busy[""] = true
	k.fail(ErrDisconnected, func(*pending) bool { return true })
	k.subshell.doubt()
}

// fail answers the chosen pending requests with err; k.mu is held.
func (k *Kernel) fail(err error, which func(*pending) bool) {
	for id, p := range k.pending {
		if which(p) {
			delete(k.pending, id)
			p.reply <- answer{err: err}
		}
	}
}

// reconnect tries until there is a connection, the kernel is gone or Close.
func (k *Kernel) reconnect() (*link, error) {
	wait := time.Duration(0) // the first try is at once: the server forgets when others come
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
		l, err := k.server.dial(k.ctx, k.id, k.session, special, k.tuning)
		if err == nil && l.life == (k.sockets != nil) {
			return l, nil
		}
		if err == nil {
			// Each message would come twice. The kernel's server is another now, so the next
			// answer will be that it has no such kernel.
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

// restore has the link declared good once the kernel answers through it, or soon
// after if it does not. The server sends what it kept before any answer.
func (k *Kernel) restore(l *link) {
	k.mu.Lock()
	k.link, k.trouble = l, nil
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

// up reports that the connection is restored, if l is still the link and was not up before.
func (k *Kernel) up(l *link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-l.done:
		return
	default:
	}
	if k.link != l || k.connected {
		return
	}
	k.connected = true
	k.queue.put(Incoming{Link: LinkRestored, At: time.Now()})
}

// newID is a msg_id for a request of ours. Those of inner ones can be told from
// others, also when their last words come long after.
func (k *Kernel) newID(inner bool) string {
	kind := "x"
	if inner {
		kind = innerPrefix
	}
	return fmt.Sprintf("%s_%s_%s_%d", k.session, kind, k.nonce, k.seq.Add(1))
}

const innerPrefix = "inner"

// isInner tells whether id is of a request of ours that Next does not show.
func (k *Kernel) isInner(id string) bool {
	rest, ours := strings.CutPrefix(id, k.session+"_")
	return ours && strings.HasPrefix(rest, innerPrefix+"_")
}
