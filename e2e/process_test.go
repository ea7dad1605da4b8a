package e2e

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
)

// A process is a process that a test has started.
type process struct {
	*exec.Cmd
	out    bytes.Buffer // its output; must be read only after its end
	exited chan struct{}
	err    error
}

// start starts a program, which is ended with the test. It does not use t.Context, which would
// kill the program instead of sending SIGTERM.
func start(t *testing.T, env []string, name string, args ...string) *process {
	t.Helper()
	p := prepare(env, name, args...)
	p.begin(t)
	return p
}

// prepare returns a process that begin starts.
func prepare(env []string, name string, args ...string) *process {
	p := &process{Cmd: exec.CommandContext(context.Background(), name, args...), exited: make(chan struct{})}
	p.Env, p.Stdout, p.Stderr = env, &p.out, &p.out
	return p
}

// begin starts the process, which is ended with the test.
func (p *process) begin(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Start())
	go func() {
		p.err = p.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		if p.alive() {
			p.stop(t)
		}
	})
}

func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// end waits for the process to end and returns its exit code.
func (p *process) end(t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.Process.Kill()
		<-p.exited
		t.Fatalf("%s did not end; it wrote:\n%s", p.Path, p.out.String())
	}
	if exit := new(exec.ExitError); p.err != nil && !errors.As(p.err, &exit) {
		t.Fatal(p.err)
	}
	return p.ProcessState.ExitCode()
}

// stop asks the process to quit and returns its exit code.
func (p *process) stop(t *testing.T) int {
	t.Helper()
	_ = p.Process.Signal(syscall.SIGTERM)
	return p.end(t)
}

// A runtimeFile is the content of easel.json.
type runtimeFile struct {
	URL     string `json:"url"`
	Port    int    `json:"port"`
	PID     int    `json:"pid"`
	Token   string `json:"token"`
	Version string `json:"version"`
}
