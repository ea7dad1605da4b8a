package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"easel/jupyter/connection"
	"easel/jupyter/wire"
	"easel/jupyter/zmtp"
)

// Errors of reach.
var (
	errNobody   = errors.New("nothing accepts connections at the kernel's ports; it has probably ended")
	errWrongKey = errors.New("the key in its connection file is not the kernel's; another kernel has probably taken its ports, and this one has ended")
	errSilent   = errors.New("it does not answer; it may be busy with code that lets it answer nothing else, or the key in its connection file is not its own; " +
		"try again when it is idle")
)

// reach connects to the sockets of a kernel and waits for its first answer. It asks on
// control, where most kernels answer while they run code, and on shell, where only an idle
// one does.
func (g *Gateway) reach(ctx context.Context, k Kernel) (*channel, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.tuning.answer, errSilent)
	defer cancel()
	socks, err := connection.Dial(ctx, k.conn)
	if err != nil {
		g.log.InfoContext(ctx, "connecting to a kernel's sockets", "file", k.File, "err", err)
		if errors.Is(context.Cause(ctx), errSilent) || errors.Is(err, zmtp.ErrProtocol) {
			return nil, fmt.Errorf("what listens at the kernel's ports is no kernel: %w", err)
		}
		return nil, errNobody
	}
	c := g.newChannel(k, socks)
	c.start()
	if err := c.greet(ctx); err != nil {
		c.leave()
		return nil, err
	}
	return c, nil
}

// greet waits for the first answer.
func (c *channel) greet(ctx context.Context) error {
	for _, name := range []string{wire.Control, wire.Shell} {
		if err := c.ask(name, "kernel_info_request"); err != nil {
			return errNobody
		}
	}
	var idle <-chan time.Time // set after the first answer
	for {
		select {
		case m := <-c.answers:
			if m.Channel == wire.Shell {
				return nil
			}
			idle = time.After(c.g.tuning.idle)
		case <-idle:
			return nil // it is busy
		case <-c.badKey:
			return errWrongKey
		case <-c.gone:
			return errNobody
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// interrupt asks the kernel to interrupt itself, and waits for its answer.
func (c *channel) interrupt(ctx context.Context) error {
	if err := c.ask(wire.Control, "interrupt_request"); err != nil {
		return err
	}
	for {
		select {
		case m := <-c.answers:
			if m.Type() == "interrupt_reply" {
				return nil
			}
		case <-c.gone:
			return errNobody
		case <-ctx.Done():
			return errors.New("it does not answer")
		}
	}
}

// ask sends a request of the gateway's own, without content.
func (c *channel) ask(name, kind string) error {
	id := uuid.NewString()
	return c.send(&wire.Message{
		Channel: name, Content: json.RawMessage("{}"),
		Header: wire.Header{
			MsgID: id, MsgType: kind, Session: c.session, Username: "easel",
			Version: wire.ProtocolVersion, Date: time.Now(),
		},
	})
}

// newSession returns the session id of the gateway's own requests on a connection.
func newSession() string { return "easel-" + rand.Text() }
