// Package demo runs the short session of `easel demo`. It speaks MCP to a running Easel
// over Streamable HTTP, as an assistant would, and prints what it does. It uses no
// interface that other clients do not have.
//
// # Goroutines
//
// Run runs on the caller's goroutine and returns when the session has ended. The MCP
// client's goroutines end with it.
package demo

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

//go:embed cells/*.py
var cells embed.FS

// A Config says which Easel to draw in.
type Config struct {
	URL   string    // of the host, for example http://127.0.0.1:5149
	Token string    // the host's bearer token
	Out   io.Writer // receives a line for each step
}

// A step is one cell and its expected outcome.
type step struct {
	say    string
	cell   string // file in cells/
	status string // the expected status of the execution
	images int    // the expected number of pictures
}

var steps = []step{
	{"A damped oscillation, with its envelope", "oscillation.py", catalog.StatusOK, 1},
	{"A vector field around two vortices", "vortices.py", catalog.StatusOK, 1},
	{"A year of temperatures, labelled in Japanese", "temperatures.py", catalog.StatusOK, 1},
	{"Four distributions, drawn with seaborn", "distributions.py", catalog.StatusOK, 1},
	{"A table", "table.py", catalog.StatusOK, 0},
	{"A plot, and then a mistake: the plot is kept", "mistake.py", catalog.StatusError, 1},
}

// bestCell draws the plot that is selected at the end.
const bestCell = "vortices.py"

// longWait is how long the demo waits, in seconds, before it interrupts the long cell.
// By then the cell has printed something.
const longWait = 2

// Run runs the session. It returns an error if the outcome is not as expected. While the
// managed Jupyter is being installed, it waits until ctx ends.
func Run(ctx context.Context, c Config) error {
	s, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer s.client.Close() //nolint:errcheck // nothing is written; the session has ended
	var created catalog.SessionCreateOut
	if err := s.untilReady(ctx, &created); err != nil {
		return err
	}
	s.id = created.SessionID
	s.say("Session %s: a new %s kernel", s.id, created.KernelName)
	for _, st := range steps {
		if err := s.draw(ctx, st); err != nil {
			return err
		}
	}
	if err := s.interrupt(ctx); err != nil {
		return err
	}
	if err := s.lookBack(ctx); err != nil {
		return err
	}
	// The last plot is that of the cell with the error. Select the best plot instead.
	return s.call(ctx, catalog.SelectFile, map[string]any{"path": s.best}, &catalog.SelectFileOut{})
}

// A session is the demo's MCP client and its Jupyter session.
type session struct {
	client *client.Client
	out    io.Writer
	id     string
	best   string // URI of the plot to select at the end
}

func connect(ctx context.Context, c Config) (*session, error) {
	cl, err := client.NewStreamableHttpClient(strings.TrimSuffix(c.URL, "/")+"/mcp",
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + c.Token}))
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if err := cl.Start(ctx); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "easel-demo", Version: "1"}
	welcome, err := cl.Initialize(ctx, hello)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("demo: %s does not speak MCP with us: %w", c.URL, err), cl.Close())
	}
	tools, err := cl.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("demo: list tools: %w", err), cl.Close())
	}
	s := &session{client: cl, out: c.Out}
	s.say("Connected to %s %s at %s: %d tools", welcome.ServerInfo.Name, welcome.ServerInfo.Version, c.URL, len(tools.Tools))
	return s, nil
}

// untilReady creates the session and retries while Easel reports that its Jupyter is
// starting. session_create itself waits before it reports that, so this is not a busy
// loop. The timer covers a host that answers immediately.
func (s *session) untilReady(ctx context.Context, created *catalog.SessionCreateOut) error {
	for {
		err := s.call(ctx, catalog.SessionCreate, map[string]any{}, created)
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.JupyterStarting {
			return err
		}
		s.say("Jupyter is not ready yet: %v", err)
		again := time.NewTimer(time.Second)
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("demo: Jupyter did not get ready: %w", context.Cause(ctx))
		}
	}
}

// draw runs one cell to its end and prints the outcome.
func (s *session) draw(ctx context.Context, st step) error {
	code, err := cells.ReadFile("cells/" + st.cell)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	s.say("%s …", st.say)
	e, err := s.execute(ctx, string(code), nil)
	for err == nil && !catalog.Ended(e.Status) {
		e, err = s.follow(ctx, e.ExecutionID)
	}
	if err != nil {
		return err
	}
	s.show(e)
	switch {
	case e.Status != st.status:
		return fmt.Errorf("demo: %s ended as %s, not %s: %s", st.cell, e.Status, st.status, e.Stderr)
	case len(e.Images) != st.images:
		return fmt.Errorf("demo: %s drew %d pictures, not %d", st.cell, len(e.Images), st.images)
	}
	if st.cell == bestCell {
		s.best = e.Images[0].ResourceURI
	}
	return nil
}

// interrupt starts a cell that would run for ten minutes, shows its output so far, and
// interrupts it.
func (s *session) interrupt(ctx context.Context) error {
	code, err := cells.ReadFile("cells/long.py")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	s.say("A cell that would run for ten minutes …")
	e, err := s.execute(ctx, string(code), map[string]any{"wait": longWait})
	if err != nil {
		return err
	}
	s.show(e)
	s.say("… is interrupted")
	if err := s.call(ctx, catalog.SessionInterrupt, map[string]any{"session_id": s.id}, &catalog.SessionInterruptOut{}); err != nil {
		return err
	}
	if e, err = s.follow(ctx, e.ExecutionID); err != nil {
		return err
	}
	s.show(e)
	if e.Status != catalog.StatusInterrupted {
		return fmt.Errorf("demo: the interrupted cell ended as %s", e.Status)
	}
	return nil
}

// lookBack reads the session's variables and images.
func (s *session) lookBack(ctx context.Context) error {
	var vars catalog.GetVariablesOut
	if err := s.call(ctx, catalog.GetVariables, map[string]any{"session_id": s.id}, &vars); err != nil {
		return err
	}
	for _, v := range vars.Variables {
		if v.Size != "" {
			s.say("  variable %s: %s, %s", v.Name, v.Type, v.Size)
		}
	}
	var images catalog.ListSessionImagesOut
	if err := s.call(ctx, catalog.ListSessionImages, map[string]any{"session_id": s.id}, &images); err != nil {
		return err
	}
	s.say("Done: %d pictures, newest first, in the gallery and here:", len(images.Images))
	for _, im := range images.Images {
		s.say("  %s: %s", im.Title, im.Handle())
	}
	return nil
}

func (s *session) execute(ctx context.Context, code string, more map[string]any) (catalog.Execution, error) {
	args := map[string]any{"session_id": s.id, "code": code, "images": catalog.ImagesInline}
	maps.Copy(args, more)
	var e catalog.Execution
	return e, s.call(ctx, catalog.ExecuteCode, args, &e)
}

// follow waits for the end of an execution, for as long as one call allows.
func (s *session) follow(ctx context.Context, id string) (catalog.Execution, error) {
	var e catalog.Execution
	return e, s.call(ctx, catalog.GetExecution, map[string]any{"execution_id": id, "wait": 45}, &e)
}

// call calls a tool and decodes the JSON in the first text, which a model would read,
// into out. An error from Easel is a *tool.Error. A failed execution is a result, not an
// error.
func (s *session) call(ctx context.Context, t tool.Any, args map[string]any, out any) error {
	name := t.Spec().Name
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, args
	result, err := s.client.CallTool(ctx, r)
	if err != nil {
		return fmt.Errorf("demo: %s: %w", name, err)
	}
	text := ""
	if len(result.Content) > 0 {
		if t, ok := result.Content[0].(mcp.TextContent); ok {
			text = t.Text
		}
	}
	var refused struct {
		Status string // of an execution, which may contain an error itself
		Error  struct {
			Code          tool.Code
			Message, Hint string
		}
	}
	raw := []byte(text)
	if err := json.Unmarshal(raw, &refused); err != nil {
		return fmt.Errorf("demo: %s answered %q: %w", name, text, err)
	}
	if e := refused.Error; e.Code != "" && refused.Status == "" {
		return fmt.Errorf("demo: %s: %w", name, &tool.Error{Code: e.Code, Detail: e.Message, Hint: e.Hint})
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("demo: %s answered what we do not understand: %w", name, err)
	}
	return nil
}

// show prints an execution for people.
func (s *session) show(e catalog.Execution) {
	s.say("  %s", e.Status)
	s.indent(e.Stdout)
	s.indent(e.Text)
	for _, im := range e.Images {
		s.say("  picture %s: %s", im.Title, im.ResourceURI)
	}
	if e.Error != nil {
		s.say("  %s: %s", strings.TrimSpace(e.Error.Code+" "+e.Error.Type), e.Error.Message)
	}
}

func (s *session) indent(text string) {
	for line := range strings.Lines(text) {
		s.say("    %s", strings.TrimRight(line, "\n"))
	}
}

// say prints a line. It ignores errors, so that a closed output does not stop the demo.
func (s *session) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}
