// Package handover lets a second start of Easel ask the running one to show its window, on
// the display of the second start. Only programs of this user can ask: a Unix socket in the
// data directory, or a named pipe on Windows. Nothing that a client reaches with its token
// leads here (ADR 31).
//
// # Goroutines
//
// Serve owns one for each connection. All have ended when it returns.
package handover

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Limits.
const (
	maxRequest  = 64 << 10         // bytes; a display is described by a few variables
	readTimeout = 10 * time.Second // for a request to arrive
	showTimeout = 30 * time.Second // the window may have to be created
)

// errForeign means that the other end belongs to another user, or that this is unknown.
var errForeign = errors.New("the other end belongs to another user")

// A RefusedError is the answer of an Easel that cannot show its window. Detail says why.
type RefusedError struct{ Detail string }

func (r *RefusedError) Error() string { return r.Detail }

// An answer is what Serve sends back.
type answer struct {
	Success bool   `json:"success"`
	Detail  string `json:"detail,omitempty"`
}

// A Listener receives the requests of second starts.
type Listener struct {
	Address string // for Send
	net     net.Listener
	cleanup func() // removes what closing leaves; may be nil
	closing sync.Once
}

// Close stops listening. Serve also does that.
func (l *Listener) Close() {
	l.closing.Do(func() {
		_ = l.net.Close() // the only error is that it is closed
		if l.cleanup != nil {
			l.cleanup()
		}
	})
}

// Serve passes requests to show until ctx ends, and answers what it returns.
func (l *Listener) Serve(ctx context.Context, log *slog.Logger, show func(context.Context, catalog.ShowWindowIn) error) {
	stop := context.AfterFunc(ctx, l.Close)
	defer stop()
	defer l.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		c, err := l.net.Accept()
		if err != nil {
			if ctx.Err() == nil {
				log.ErrorContext(ctx, "second starts of Easel cannot show the window any more", "cause", err)
			}
			return
		}
		wg.Go(func() {
			defer c.Close() //nolint:errcheck // the answer was written, or nobody reads it
			end := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Now()) })
			defer end()
			if err := serve(ctx, c, show); err != nil {
				log.WarnContext(ctx, "a second start of Easel got no answer", "cause", err)
			}
		})
	}
}

func serve(ctx context.Context, c net.Conn, show func(context.Context, catalog.ShowWindowIn) error) error {
	if err := checkPeer(c, os.Geteuid()); err != nil {
		return err
	}
	if err := c.SetDeadline(time.Now().Add(readTimeout)); err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(c, maxRequest)).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the request is incomplete: %w", err)
	}
	var in catalog.ShowWindowIn
	if err = json.Unmarshal(line, &in); err != nil {
		err = &tool.Error{
			Code: tool.Validation, Err: err,
			Detail: "The request is not one that Easel understands: it must be a JSON object in one line.",
			Hint:   `"env" has the variables of the display by name, and "hidden" is a boolean.`,
		}
	} else {
		ctx, cancel := context.WithTimeout(ctx, showTimeout)
		defer cancel()
		err = show(ctx, in)
	}
	a := answer{Success: err == nil}
	if err != nil {
		a.Detail = tool.Explain(tool.AsError(err))
	}
	if err := c.SetDeadline(time.Now().Add(readTimeout)); err != nil {
		return err
	}
	return json.NewEncoder(c).Encode(a)
}

// Send asks the Easel that listens at address to show its window. An Easel without a window
// opens one on the display that in names. If it refuses, the error is a RefusedError.
func Send(ctx context.Context, address string, in catalog.ShowWindowIn) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout+showTimeout)
	defer cancel()
	c, err := dial(ctx, address)
	if err != nil {
		return fmt.Errorf("the running Easel cannot be asked for its window: %w", err)
	}
	defer c.Close() //nolint:errcheck // everything was read
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if err := checkPeer(c, os.Geteuid()); err != nil {
		return fmt.Errorf("the running Easel cannot be asked for its window: %w", err)
	}
	if err := json.NewEncoder(c).Encode(in); err != nil {
		return fmt.Errorf("the running Easel does not read the request for its window: %w", err)
	}
	var a answer
	if err := json.NewDecoder(io.LimitReader(c, maxRequest)).Decode(&a); err != nil {
		return fmt.Errorf("the running Easel does not answer whether it shows its window: %w", err)
	}
	if !a.Success {
		return &RefusedError{a.Detail}
	}
	return nil
}
