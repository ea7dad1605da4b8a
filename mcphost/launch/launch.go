// Package launch finds the running Easel of a data directory, or starts one that
// outlives the calling process. The stdio bridge and the demo use it.
//
// # Goroutines
//
// One for each process that it started, which waits for its end.
package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"easel/internal/system"
	"easel/mcphost/instance"
)

// Config says which Easel to find, and how to start it.
type Config struct {
	DataDir string
	Program string   // to start; "": this one
	Args    []string // command line of a new process
	Env     []string // added to this process's environment, as KEY=value
	Before  func()   // prepares that environment; may be nil
}

// How long a new Easel may take to listen, and how often launch checks.
const (
	patience = 30 * time.Second
	interval = 50 * time.Millisecond
)

// Ensure finds the running Easel or starts one, and waits until it listens.
func Ensure(ctx context.Context, c Config) (instance.Runtime, error) {
	r, err := instance.Find(ctx, c.DataDir)
	if err == nil || !errors.Is(err, instance.ErrNotRunning) {
		return r, err
	}
	ended, err := start(c)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if r, err = instance.Find(ctx, c.DataDir); err == nil {
			return r, nil
		}
		select {
		case err := <-ended:
			if err != nil {
				return r, fmt.Errorf("the new Easel ended: %w", err)
			}
			ended = nil // another one is running and will become visible
		case <-tick.C:
		case <-ctx.Done():
			return r, fmt.Errorf("the Easel that was started does not answer; see the logs in %s: %w", c.DataDir, err)
		}
	}
}

// start starts the app in a separate process, which continues when the terminal closes
// or this process ends. ended receives the result if the app ends first.
func start(c Config) (ended <-chan error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	// A file, not a pipe: writing to a pipe that nobody reads would end the app.
	said, err := system.CreateUnnamed()
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	if c.Before != nil {
		c.Before()
	}
	cmd := exec.Command(cmp.Or(c.Program, self), c.Args...) //nolint:gosec,noctx // starts this program, which must outlive every context
	cmd.Env, cmd.Stderr = append(os.Environ(), c.Env...), said
	err = startDetached(cmd)
	if err != nil {
		_ = said.Close()
		return nil, fmt.Errorf("launch: %w", err)
	}
	how := make(chan error, 1)
	go func() { // ends with the app or with this process
		err := cmd.Wait()
		if err != nil {
			err = cmp.Or(lastLine(said), err)
		}
		how <- err
		_ = said.Close()
	}()
	return how, nil
}

// lastLine returns the last line of a process's output as an error, or nil if there is
// no output.
func lastLine(said *os.File) error {
	raw := make([]byte, 4096)
	n, _ := said.ReadAt(raw, 0) // io.EOF means that it is shorter
	lines := strings.Split(strings.TrimSpace(string(raw[:n])), "\n")
	line := strings.TrimPrefix(lines[len(lines)-1], "easel: ")
	if line == "" {
		return nil
	}
	return errors.New(line)
}
