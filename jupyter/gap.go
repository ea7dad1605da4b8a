package jupyter

import (
	"context"
	"errors"
	"fmt"

	"easel/jupyter/wire"
)

// A gap is between what the kernel said before we came, and the server has kept, and
// what we hear over its sockets. Both hear of our request until: there they are joined.
type gap struct {
	until   string // msg_id; "" before it is asked
	reached bool   // by what we hear
	held    []held // of iopub, not yet taken in
	known   int    // of those, from before until: the server has them, too
}

// A held is what was heard.
type held struct {
	m   *wire.Message
	err error
}

// heard takes in what came over the kernel's sockets.
func (k *Kernel) heard(m *wire.Message, err error) {
	if m == nil || m.Channel != wire.IOPub || !k.hold(m, err) {
		k.take(m, err)
	}
}

// hold keeps m while what the kernel said before it is still to come.
func (k *Kernel) hold(m *wire.Message, err error) bool {
	inner := k.isInner(m.ParentID())
	k.mu.Lock()
	defer k.mu.Unlock()
	g := k.gap
	switch {
	case g == nil:
		return false
	case inner:
		if m.ParentID() == g.until && !g.reached {
			g.reached, g.known = true, len(g.held)
		}
		return false
	}
	g.held = append(g.held, held{m, err})
	return true
}

// catchUp takes in what the server has kept of what the kernel said while nobody was
// there. That it cannot be had is no reason not to follow the kernel.
func (k *Kernel) catchUp(ctx context.Context, l *link) {
	if k.gap == nil {
		return
	}
	whole, err := k.askKept(ctx, l)
	if err != nil {
		k.log.WarnContext(ctx, "what the kernel said before cannot be had", "err", err)
	}
	k.mu.Lock()
	if whole && k.gap.reached {
		k.gap.held = k.gap.held[k.gap.known:]
	}
	for len(k.gap.held) > 0 {
		now := k.gap.held
		k.gap.held = nil
		k.mu.Unlock()
		for _, h := range now {
			k.take(h.m, h.err)
		}
		k.mu.Lock()
	}
	k.gap = nil
	k.mu.Unlock()
}

// askKept has the server send what it has kept; whole tells that it reached to until.
func (k *Kernel) askKept(ctx context.Context, l *link) (whole bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, k.tuning.handshake, errors.New("no answer"))
	defer cancel()
	m := k.message(k.newID(true), wire.Control, "kernel_info_request", struct{}{})
	p := &pending{reply: make(chan answer, 1), heard: make(chan struct{}, 1)}
	if err := k.await(m.Header.MsgID, p); err != nil {
		return false, err
	}
	defer k.abandon(m.Header.MsgID)
	k.mu.Lock()
	k.gap.until = m.Header.MsgID
	k.mu.Unlock()
	if err := k.sockets.send(ctx, m); err != nil {
		return false, err
	}
	select {
	case <-p.heard:
	case <-ctx.Done():
		return false, fmt.Errorf("the kernel: %w", context.Cause(ctx))
	case <-k.ctx.Done():
		return false, context.Cause(k.ctx)
	}
	ask := k.message(k.newID(true), "life", "kept_request", map[string]string{"until": m.Header.MsgID})
	reply, err := k.exchange(ctx, ask, func() error { return l.send(ctx, ask) })
	if err != nil {
		return false, fmt.Errorf("the server: %w", err)
	}
	var said struct {
		Whole bool `json:"whole"`
	}
	err = reply.Decode(&said)
	return said.Whole, err
}
