package jupyter

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"easel/internal/wake"
	"easel/jupyter/wire"
)

// FollowOptions configure [Server.Follow]. The zero value is valid.
type FollowOptions struct {
	// Session is our client session id. The server keeps undelivered messages only for
	// the same id. "" generates a new one.
	Session string
	// QueueBytes is how many bytes of stream text are kept for a slow reader of Next.
	// Further text is dropped and counted. 0 means 64 MiB.
	QueueBytes int64
	// CheckEvery is how often to ask the server whether the kernel still exists. 0 means
	// 15 s. After a sign of trouble, the server is asked sooner.
	CheckEvery time.Duration
	// Silence is how long a connection may leave pings unanswered before it is
	// considered dead. 0 means 45 s.
	Silence time.Duration
	// Log is the logger; nil means the server's.
	Log *slog.Logger
}

// A KernelInfo is what a kernel reports about itself.
type KernelInfo struct {
	Name            string // of its kernelspec
	Language        string // for example "python"
	LanguageVersion string
	Banner          string
	ProtocolVersion string
	Subshells       bool   // it can answer while code is running
	InterruptMode   string // signal or message; "" if the server does not report it
	// CellsOnly means that it runs only the cells of a notebook, at the request of the notebook's editor: it takes no
	// other code, and nothing can be asked of it.
	CellsOnly bool
}

// Answers reports whether the kernel evaluates expressions in Python.
func (i KernelInfo) Answers() bool { return i.Python() && !i.CellsOnly }

// Python reports whether the language of the kernel is Python or unknown.
func (i KernelInfo) Python() bool { return i.Language == "" || strings.EqualFold(i.Language, "python") }

// Follow connects to a kernel: it opens the websocket, requests the kernel's info, and
// keeps the connection until Close. The kernel may be busy. ctx applies only to
// connecting. Errors: ErrNotFound, ErrUnauthorized, ErrUnreachable, and ErrKernelStart
// if the kernel died before it was ready.
func (s *Server) Follow(ctx context.Context, kernelID string, opts FollowOptions) (*Kernel, error) {
	t := defaultParameters()
	if opts.CheckEvery > 0 {
		t.check = opts.CheckEvery
	}
	if opts.Silence > 0 {
		t.silence, t.ping = opts.Silence, opts.Silence/3
	}
	return s.follow(ctx, kernelID, opts, t)
}

func (s *Server) follow(ctx context.Context, kernelID string, opts FollowOptions, t connectionParameters) (*Kernel, error) {
	model, err := s.Kernel(ctx, kernelID)
	if err != nil {
		return nil, startError(err, err)
	}
	return earlyWatch{s, model, t.alive}.connect(ctx, func(ctx context.Context) (*Kernel, error) {
		k, err := s.join(ctx, model, opts, s.connectionFile(kernelID), t)
		if errors.Is(err, errNoSockets) {
			s.log.WarnContext(ctx, "the server passes a kernel's messages on", "kernel", kernelID, "err", err)
			return s.join(ctx, model, opts, "", t)
		}
		return k, err
	})
}

// protocols returns the subprotocols to ask for, given a kernel's connection file, or "".
func (o FollowOptions) protocols(file string) []string {
	switch {
	case file == "":
		return nil
	case o.Session == "":
		return []string{lifeProtocol}
	default:
		return []string{returningProtocol, lifeProtocol}
	}
}

// join follows the kernel of model. It uses the kernel's own sockets if there is a
// connection file and the server agrees.
func (s *Server) join(ctx context.Context, model KernelModel, opts FollowOptions, file string, t connectionParameters) (*Kernel, error) {
	kernelID, special := model.ID, opts.protocols(file)
	if opts.Session == "" {
		opts.Session = uuid.NewString()
	}
	if opts.QueueBytes <= 0 {
		opts.QueueBytes = 64 << 20
	}
	opts.Log = cmp.Or(opts.Log, s.log)
	a := &arrivals{session: opts.Session}
	l, err := s.dial(ctx, kernelID, a, special, t)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, 4)
	_, _ = rand.Read(nonce) // never fails
	k := &Kernel{
		server: s, id: kernelID, arrivals: a,
		log: opts.Log.With("kernel", kernelID), tuning: t, queue: newQueue(opts.QueueBytes),
		check: wake.New(),
	}
	k.ids.session, k.ids.nonce = opts.Session, hex.EncodeToString(nonce)
	k.shell.lose() // what runs is not known yet
	k.subshell.lock = make(chan struct{}, 1)
	k.ctx, k.cancel = context.WithCancelCause(context.Background())
	k.socket, k.complete = l, l.complete
	if l.life {
		if l.returns {
			k.replay = new(replay)
		}
		k.sockets = newSockets(file, t, k.receiveFromSockets, k.check.Notify)
		k.listeners.Go(func() { k.sockets.run(k.ctx) })
	}
	k.tasks.Go(l.write)
	k.tasks.Go(func() { k.run(l) })
	reply, err := k.firstAnswerOfAny(ctx)
	if err != nil {
		_ = k.Close()
		return nil, fmt.Errorf("kernel %s: no answer: %w", kernelID, err)
	}
	if reply.Header.Session != k.ids.session {
		k.process = reply.Header.Session
	}
	if date := reply.Header.Date; !date.IsZero() {
		// The time that a message takes is not a difference between the clocks.
		if behind := time.Since(date); behind < 0 || behind > sameClock {
			k.clockOffset = behind
		}
	}
	k.catchUp(ctx, l)
	k.info = kernelInfo(reply, model.Name, s.spec(ctx, model.Name))
	k.mu.Lock()
	if k.socket == l { // otherwise it is already lost, and restore says when it is back, or has said so
		k.connected = true
	}
	k.mu.Unlock()
	k.tasks.Go(k.watch)
	return k, nil
}

// sameClock is the maximum age of a reply from a kernel that uses this machine's clock.
const sameClock = 2 * time.Second

// firstAnswerOfAny is firstAnswer that asks again over the next websocket if one is lost while
// it waits. A busy server closes one when the kernel takes longer to start than it waits.
func (k *Kernel) firstAnswerOfAny(ctx context.Context) (*wire.Message, error) {
	for {
		reply, err := k.firstAnswer(ctx)
		if !errors.Is(err, ErrDisconnected) {
			return reply, err
		}
		if trouble := k.Trouble(); trouble != nil {
			return nil, trouble
		}
		select {
		case <-time.After(k.tuning.backoff): // until it is open
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-k.ctx.Done():
			return nil, context.Cause(k.ctx)
		}
	}
}

// firstAnswer returns the kernel's first reply, from the sockets or the websocket.
func (k *Kernel) firstAnswer(ctx context.Context) (*wire.Message, error) {
	if k.sockets != nil {
		if err := k.sockets.await(ctx); err != nil {
			return nil, err
		}
	}
	return k.ask(ctx, question{channels: []string{wire.Control, wire.Shell}, joining: true, echo: k.sockets != nil})
}

func kernelInfo(reply *wire.Message, name string, spec KernelSpec) KernelInfo {
	var r wire.KernelInfoReply
	if err := reply.Decode(&r); err != nil {
		r = wire.KernelInfoReply{} // it answered, and only that matters
	}
	return KernelInfo{
		Name: name, Language: r.LanguageInfo.Name, LanguageVersion: r.LanguageInfo.Version,
		Banner: r.Banner, ProtocolVersion: r.ProtocolVersion,
		Subshells:     slices.Contains(r.SupportedFeatures, "kernel subshells"),
		InterruptMode: spec.InterruptMode, CellsOnly: r.Implementation == wire.CellsOnly,
	}
}
