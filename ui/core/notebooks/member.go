package notebooks

import (
	"bufio"
	"context"
	_ "embed" // for memberProgram
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"easel/internal/system"
)

//go:embed python/easel_room.py
var memberProgram string

// errLeft means that the process had ended before a request, so that nothing was done.
var errLeft = errors.New("the process has left the shared document")

// A member is a Python process in a room. It answers one request at a time.
type member struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *os.File
	lines *bufio.Reader // of out
	said  tail          // the end of its standard error
	turn  chan struct{} // one slot; held during a request
	ended chan struct{} // closed when the process has ended

	tabFirst bool // see Shared

	mu   sync.Mutex
	idle *time.Timer // ends the process; nil before linger
}

// startMember starts a process. The caller must call wait, on a goroutine of its own.
func startMember(python string) (*member, error) {
	// Not CommandContext: the process outlives the request that it was started for.
	m := &member{
		cmd:  exec.Command(python, "-I", "-B", "-c", memberProgram), //nolint:gosec,noctx // the managed environment's interpreter
		turn: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	system.HideWindow(m.cmd)
	m.cmd.Stderr = &m.said
	var err error
	if m.in, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe, which is closed when the process ends, although its last answer may
	// not have been read.
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	m.out, m.lines, m.cmd.Stdout = out, bufio.NewReader(out), stdout
	err = m.cmd.Start()
	_ = stdout.Close()
	if err != nil {
		_ = out.Close()
	}
	return m, err
}

// wait waits until the process has ended, and the last request has been answered.
func (m *member) wait() {
	_ = m.cmd.Wait() // the request that it answers reports why
	close(m.ended)
	m.turn <- struct{}{}
	_ = m.out.Close()
}

// kill ends the process at once.
func (m *member) kill() { _ = m.cmd.Process.Kill() }

// leave makes the process leave the room and end, after its current request.
func (m *member) leave() { _ = m.in.Close() }

// linger makes the process leave after a time without requests.
func (m *member) linger() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idle == nil {
		m.idle = time.AfterFunc(staying, m.leave)
	} else {
		m.idle.Reset(staying)
	}
}

// ask sends a request and returns the answer. If ctx ends meanwhile, it kills the process,
// whose answer would be taken for that to the next request.
func (m *member) ask(ctx context.Context, q any) (a roomAnswer, err error) {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-m.ended:
		return a, errLeft
	case <-ctx.Done():
		return a, context.Cause(ctx)
	}
	m.mu.Lock()
	if m.idle != nil {
		m.idle.Stop()
		defer m.linger()
	}
	m.mu.Unlock()
	line, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	defer context.AfterFunc(ctx, m.kill)()
	if _, err := m.in.Write(append(line, '\n')); err != nil {
		return a, errLeft
	}
	raw, err := m.lines.ReadBytes('\n')
	switch {
	case ctx.Err() != nil:
		return a, fmt.Errorf("%w: %w", ErrUnproved, context.Cause(ctx))
	case err != nil:
		<-m.ended
		return a, fmt.Errorf("%w: the process that edits shared documents has ended: %s", ErrUnproved, m.said.lastLine())
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("%w: %w", ErrUnproved, err)
	}
	switch {
	case a.Error == "":
		return a, nil
	case a.Kind == "changed":
		return a, fmt.Errorf("%w: %s", ErrChanged, a.Error)
	default:
		m.kill() // it has left the room
		<-m.ended
		return a, fmt.Errorf("%w: %s", ErrUnproved, a.Error)
	}
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how many bytes a tail keeps.
const maxTail = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
