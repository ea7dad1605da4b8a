package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"easel/jupyter"
)

// Schemas of the events of jupyterlab-commands-toolkit.
const (
	schemaCommand = "https://events.jupyter.org/jupyterlab_command_toolkit/lab_command/v1"
	schemaAck     = "https://events.jupyter.org/jupyterlab_command_toolkit/lab_command_ack/v1"
	schemaResult  = "https://events.jupyter.org/jupyterlab_command_toolkit/lab_command_result/v1"
)

// How long tabs have. A tab answers within milliseconds, unless the browser is busy: to save
// a notebook with many outputs takes it seconds.
const (
	ackTime    = 2 * time.Second         // to acknowledge a command, if the tab may be gone
	busyTime   = 12 * time.Second        // likewise, if it answered just before
	gatherTime = 150 * time.Millisecond  // for further tabs to answer after one, at least
	seekTime   = 1500 * time.Millisecond // likewise, if a tab is expected that has not answered
	doneTime   = 20 * time.Second        // to run a command other than cmdRun
)

// errNoTab means that no tab has acknowledged a command.
var errNoTab error = &OpenError{
	Reason: "JupyterLab's tab does not answer", Remedy: "ask the user to reload the page in JupyterLab",
	Shown: nobody,
}

// A TabServer is a Jupyter server with an event bus. A [jupyter.Server] is one.
type TabServer interface {
	Emit(ctx context.Context, schema, version string, data any) error
	Subscribe(ctx context.Context) (*jupyter.Events, error)
}

// A bus sends commands to JupyterLab tabs. It is not safe for concurrent use.
type bus struct {
	server TabServer
	events *jupyter.Events
	ack    time.Duration // how long a tab has to acknowledge a command
	in     chan answer
	stop   context.CancelFunc
	ended  chan struct{} // closed when the goroutine that receives has ended
}

// An answer is an acknowledgement or a result of a tab.
type answer struct {
	err       error
	schema    string
	RequestID string          `json:"requestId"`
	ClientID  string          `json:"client_id"`
	Success   bool            `json:"success"`
	Result    json.RawMessage `json:"result"`
	Error     string          `json:"error"`
}

// openBus subscribes to the answers of tabs. The caller must call close.
func openBus(ctx context.Context, s TabServer) (*bus, error) {
	ctx, stop := context.WithCancel(ctx)
	events, err := s.Subscribe(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	b := &bus{s, events, busyTime, make(chan answer), stop, make(chan struct{})}
	go b.receive(ctx)
	return b, nil
}

// receive passes answers on until close.
func (b *bus) receive(ctx context.Context) {
	defer close(b.ended)
	for {
		e, err := b.events.Next()
		a := answer{schema: e.Schema}
		switch {
		case err != nil:
			a.err = err
		case e.Schema != schemaAck && e.Schema != schemaResult:
			continue
		default:
			if json.Unmarshal(e.Data, &a) != nil {
				continue
			}
		}
		select {
		case b.in <- a:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (b *bus) close() {
	b.stop()
	b.events.Close()
	<-b.ended
}

// send sends a command to one tab, or to all if client is "".
func (b *bus) send(ctx context.Context, client, name string, a args) (request string, err error) {
	request = uuid.NewString()
	if a == nil {
		a = args{}
	}
	data := map[string]any{"name": name, "args": a, "requestId": request}
	if client != "" {
		data["client_id"] = client
	}
	err = b.server.Emit(ctx, schemaCommand, "1", data)
	if e, ok := errors.AsType[*jupyter.StatusError](err); ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound) {
		err = &OpenError{Reason: "its Jupyter server cannot reach JupyterLab's tabs", Remedy: TabRemedy, Shown: nobody}
	}
	return request, err
}

// any returns the next answer. It returns errNoTab after patience.
func (b *bus) any(ctx context.Context, patience time.Duration) (answer, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case a := <-b.in:
		return a, a.err
	case <-limit.C:
		return answer{}, errNoTab
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}

// next returns the next answer to a request. It returns errNoTab after limit.
func (b *bus) next(ctx context.Context, request string, limit <-chan time.Time) (answer, error) {
	for {
		select {
		case a := <-b.in:
			if a.err != nil {
				return a, a.err
			}
			if a.RequestID == request {
				return a, nil
			}
		case <-limit:
			return answer{}, errNoTab
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		}
	}
}

// run runs a command in a tab, waits for its result and decodes it to out, unless that is
// nil.
func (b *bus) run(ctx context.Context, client, name string, a args, out any) error {
	request, err := b.send(ctx, client, name, a)
	if err != nil {
		return err
	}
	limit := time.NewTimer(b.ack)
	defer limit.Stop()
	for {
		r, err := b.next(ctx, request, limit.C)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case r.schema == schemaAck && name == cmdRun:
			limit.Stop() // code may run for long; ctx ends the waiting
		case r.schema == schemaAck:
			limit.Reset(doneTime)
		case !r.Success && strings.Contains(r.Error, "not found"):
			return fmt.Errorf("%w: the cell was removed", ErrChanged)
		case !r.Success:
			return &OpenError{
				Reason: fmt.Sprintf("JupyterLab reports %q for %s", r.Error, name),
				Remedy: "ask the user to reload the page in JupyterLab",
			}
		case out == nil:
			return nil
		default:
			return json.Unmarshal(r.Result, out)
		}
	}
}
