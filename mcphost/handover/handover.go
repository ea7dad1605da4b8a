// Package handover lets a second start of Easel ask the running one to show its window, on
// the display of the second start, to export or import its library, or to carry out a command of the program. Only programs of this
// user can ask: a Unix socket in the data directory, or a named pipe on Windows. Nothing that a client reaches with its token leads
// here (ADR 31).
//
// # Goroutines
//
// Serve owns one for each connection. All have ended when it returns.
package handover

import (
	"bufio"
	"cmp"
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

	progressEvery = 200 * time.Millisecond // how often a transfer says how far it is
)

// errForeign means that the other end belongs to another user, or that this is unknown.
var errForeign = errors.New("the other end belongs to another user")

// A RefusedError is the answer of an Easel that cannot show its window. Detail says why.
type RefusedError struct{ Detail string }

func (r *RefusedError) Error() string { return r.Detail }

// A Transfer asks to export the library to a file, to import one, to write the log, or for a command. Exactly one field is
// set; paths are absolute.
type Transfer struct {
	Export  string   `json:"export,omitempty"`
	Import  string   `json:"import,omitempty"`
	Log     *Log     `json:"log,omitempty"`
	Command *Command `json:"command,omitempty"`
}

// A Command is one of the program that the running Easel carries out, because it has what the command is about in memory. What it
// answers, which SendTransfer returns, is the command's own.
type Command struct {
	Name string          `json:"name"` // as in settings.Commands
	In   json.RawMessage `json:"in,omitempty"`
}

// A Log asks to write the log of calls to a file.
type Log struct {
	File       string    `json:"file"`
	Session    string    `json:"session,omitempty"`
	Since      time.Time `json:"since,omitzero"`
	Until      time.Time `json:"until,omitzero"`
	Format     string    `json:"format"`
	Language   string    `json:"language,omitempty"`
	Thumbnails bool      `json:"thumbnails,omitempty"`
}

// A request is what Send and SendTransfer send.
type request struct {
	catalog.ShowWindowIn
	Transfer
}

// An answer is what Serve sends back. Before the last one, there may be some with a progress.
type answer struct {
	Progress *[2]int64 `json:"progress,omitempty"` // done, of all
	Success  bool      `json:"success"`
	Detail   string    `json:"detail,omitempty"` // of a failure
	Done     string    `json:"done,omitempty"`   // what a transfer has done
}

// Handlers handle the requests of second starts.
type Handlers struct {
	Show func(context.Context, catalog.ShowWindowIn) error
	// Transfer exports or imports, and says what it did. Its context ends when the other end leaves.
	Transfer func(ctx context.Context, t Transfer, progress func(done, all int64)) (string, error)

	every time.Duration // how often a transfer says how far it is; 0: progressEvery
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

// Serve passes requests to their handlers until ctx ends, and answers what they return.
func (l *Listener) Serve(ctx context.Context, log *slog.Logger, handle Handlers) {
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
			if err := serve(ctx, c, handle); err != nil {
				log.WarnContext(ctx, "a second start of Easel got no answer", "cause", err)
			}
		})
	}
}

func serve(ctx context.Context, c net.Conn, handle Handlers) error {
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
	var in request
	if err = json.Unmarshal(line, &in); err != nil {
		err = &tool.Error{
			Code: tool.Validation, Err: err,
			Detail: "The request is not one that Easel understands: it must be a JSON object in one line.",
			Hint:   `"env" has the variables of the display by name, "hidden" is a boolean, and "open", "export" and "import" are paths.`,
		}
	}
	a := answer{}
	switch {
	case err != nil:
	case in.Transfer != Transfer{}:
		a.Done, err = transfer(ctx, c, in.Transfer, handle)
	default:
		ctx, cancel := context.WithTimeout(ctx, showTimeout)
		defer cancel()
		err = handle.Show(ctx, in.ShowWindowIn)
	}
	a.Success = err == nil
	if err != nil {
		a.Detail = tool.Explain(tool.AsError(err))
	}
	if err := c.SetDeadline(time.Now().Add(readTimeout)); err != nil {
		return err
	}
	return json.NewEncoder(c).Encode(a)
}

// transfer exports or imports, and sends the progress meanwhile.
func transfer(ctx context.Context, c net.Conn, t Transfer, handle Handlers) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := c.SetDeadline(time.Time{}); err != nil {
		return "", err
	}
	go func() { // ends when the connection is closed
		defer cancel()
		_, _ = c.Read(make([]byte, 1)) // nothing is sent any more: it returns when the other end leaves
	}()
	last, enc := time.Now(), json.NewEncoder(c)
	done, err := handle.Transfer(ctx, t, func(done, all int64) {
		if now := time.Now(); now.Sub(last) > cmp.Or(handle.every, progressEvery) {
			last = now
			_ = enc.Encode(answer{Progress: &[2]int64{done, all}}) // if it fails, the other end has left
		}
	})
	if err != nil { // it is for the user, whose paths are in it
		return "", &tool.Error{Code: tool.NotExecutable, Detail: err.Error(), Err: err}
	}
	return done, nil
}

// Send asks the Easel that listens at address to show its window. An Easel without a window
// opens one on the display that in names. If it refuses, the error is a RefusedError.
func Send(ctx context.Context, address string, in catalog.ShowWindowIn) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout+showTimeout)
	defer cancel()
	_, err := send(ctx, address, request{ShowWindowIn: in}, nil)
	return err
}

// SendTransfer asks the Easel that listens at address to export or import its library, and returns what
// it has done. progress may be nil. If ctx ends, so does the transfer. If Easel refuses, the error is a
// RefusedError.
func SendTransfer(ctx context.Context, address string, t Transfer, progress func(done, all int64)) (string, error) {
	done, err := send(ctx, address, request{Transfer: t}, progress)
	if err == nil && done == "" { // an older one takes it for a request to show its window
		err = errors.New("the Easel that runs is too old for that; quit it, then try again")
	}
	return done, err
}

// send sends a request and returns the answer.
func send(ctx context.Context, address string, in request, progress func(done, all int64)) (done string, err error) {
	c, err := dial(ctx, address)
	if err != nil {
		return "", fmt.Errorf("the running Easel cannot be asked: %w", err)
	}
	defer c.Close() //nolint:errcheck // everything was read
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if err := checkPeer(c, os.Geteuid()); err != nil {
		return "", fmt.Errorf("the running Easel cannot be asked: %w", err)
	}
	if err := json.NewEncoder(c).Encode(in); err != nil {
		return "", fmt.Errorf("the running Easel does not read the request: %w", err)
	}
	for dec := json.NewDecoder(c); ; {
		var a answer
		if err := dec.Decode(&a); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return "", fmt.Errorf("the running Easel does not answer: %w", err)
		}
		switch {
		case a.Progress != nil && progress != nil:
			progress(a.Progress[0], a.Progress[1])
		case a.Progress != nil:
		case !a.Success:
			return "", &RefusedError{a.Detail}
		default:
			return a.Done, nil
		}
	}
}
