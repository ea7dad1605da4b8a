// Package launch finds the running Easel of a data directory, or starts one that
// outlives the process that asked for it: for the stdio bridge and the demo.
//
// # Goroutines
//
// None of its own.
package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"easel/mcphost/instance"
)

// Config says which Easel to find, and how to start it.
type Config struct {
	DataDir string
	Args    []string // of the command line of a new one
	Env     []string // beside this process's environment, as KEY=value
	Before  func()   // prepares that environment; nil if there is nothing to
}

// How long a new Easel may take to listen, and how often it is looked for.
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
	if err := Start(c); err != nil {
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
		case <-tick.C:
		case <-ctx.Done():
			return r, fmt.Errorf("the Easel that was started does not answer; see the logs in %s: %w", c.DataDir, err)
		}
	}
}

// Start starts the app in a process of its own, which neither a closed terminal
// nor the end of this process ends.
func Start(c Config) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	if c.Before != nil {
		c.Before()
	}
	cmd := exec.Command(self, c.Args...) //nolint:gosec,noctx // ourselves; it is to outlive every context of ours
	cmd.Env = append(os.Environ(), c.Env...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	return cmd.Process.Release()
}
