package jupyter

import (
	"context"
	"errors"
	"fmt"

	"easel/internal/wake"
	"easel/jupyter/wire"
)

// A replay joins two streams of iopub messages without a gap or a duplicate: what the
// server buffered before we connected, and what we receive over the kernel's sockets.
// Both contain the messages about our request until, which marks the join. Later
// messages of the kernel are held until the buffered ones have arrived.
type replay struct {
	until    string        // msg_id; "" before the request is sent
	reached  bool          // until has arrived over the sockets
	held     []heldMessage // of iopub, not yet processed
	buffered int           // how many of held came before until: the server has buffered them, too
}

// A heldMessage is a message, or the error of one, that waits for the buffered ones.
type heldMessage struct {
	m   *wire.Message
	err error
}

// receiveFromSockets receives a message from the kernel's sockets. During a replay, it
// holds messages of iopub.
func (k *Kernel) receiveFromSockets(m *wire.Message, err error) {
	if m == nil || m.Channel != wire.IOPub || !k.hold(m, err) {
		k.take(m, err)
	}
}

// hold keeps m during a replay. It returns false if there is none, or if m belongs to
// an inner request of ours.
func (k *Kernel) hold(m *wire.Message, err error) bool {
	inner := k.ids.isInner(m.ParentID())
	k.mu.Lock()
	defer k.mu.Unlock()
	g := k.replay
	switch {
	case g == nil:
		return false
	case inner:
		if m.ParentID() == g.until && !g.reached {
			g.reached, g.buffered = true, len(g.held)
		}
		return false
	}
	g.held = append(g.held, heldMessage{m, err})
	return true
}

// catchUp replays what the server has buffered while no client was connected. If that
// fails, the kernel is followed anyway.
func (k *Kernel) catchUp(ctx context.Context, l *webSocket) {
	if k.replay == nil {
		return
	}
	said, err := k.requestBuffered(ctx, l)
	if err != nil {
		k.log.WarnContext(ctx, "what the kernel said before cannot be had", "err", err)
	}
	k.mu.Lock()
	if said.Whole && k.replay.reached {
		k.complete = said.Quiet
		k.replay.held = k.replay.held[k.replay.buffered:]
	}
	for len(k.replay.held) > 0 {
		now := k.replay.held
		k.replay.held = nil
		k.mu.Unlock()
		for _, h := range now {
			k.take(h.m, h.err)
		}
		k.mu.Lock()
	}
	k.replay = nil
	k.mu.Unlock()
}

// A keptReply is what the server says after what it has buffered.
type keptReply struct {
	Whole bool `json:"whole"` // that was everything up to until
	Quiet bool `json:"quiet"` // right before, the kernel said nothing that the former client may have lost
}

// requestBuffered makes the server send what it has buffered.
func (k *Kernel) requestBuffered(ctx context.Context, l *webSocket) (said keptReply, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, k.tuning.handshake, errors.New("no answer"))
	defer cancel()
	m := k.message(k.ids.next(true), wire.Control, "kernel_info_request", struct{}{})
	p := &waitingRequest{reply: make(chan answer, 1), echoed: wake.New()}
	if err := k.await(m.Header.MsgID, p); err != nil {
		return said, err
	}
	defer k.waiting.drop(m.Header.MsgID)
	k.mu.Lock()
	k.replay.until = m.Header.MsgID
	k.mu.Unlock()
	if err := k.sockets.send(ctx, m); err != nil {
		return said, err
	}
	select {
	case <-p.echoed:
	case <-ctx.Done():
		return said, fmt.Errorf("the kernel: %w", context.Cause(ctx))
	case <-k.ctx.Done():
		return said, context.Cause(k.ctx)
	}
	ask := k.message(k.ids.next(true), "life", "kept_request", map[string]string{"until": m.Header.MsgID})
	reply, err := k.exchange(ctx, ask, func() error { return l.send(ctx, ask) })
	if err != nil {
		return said, fmt.Errorf("the server: %w", err)
	}
	err = reply.Decode(&said)
	return said, err
}
