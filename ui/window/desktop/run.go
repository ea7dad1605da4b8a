package desktop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"easel/internal/system"
)

// ErrNoProgram is the error if no program of this desktop can do what was requested.
var ErrNoProgram = errors.New("no program of this desktop can do that")

// startupGrace is how long launch waits for a program to fail.
var startupGrace = 3 * time.Second // a variable, because tests use a longer time

// launch starts a program, which may run for long. It returns an error if the program
// cannot be started or fails within startupGrace.
func launch(name string, args ...string) error {
	// No context: the program should continue when Easel ends.
	c := exec.Command(name, args...) //nolint:gosec,noctx // names are constants
	system.HideWindow(c)
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }() // ends with the program
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(said.String()))
		}
	case <-time.After(startupGrace):
	}
	return nil
}

// feed runs a program until it ends, with data on its standard input.
func feed(ctx context.Context, data []byte, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // names are constants
	c.Stdin = bytes.NewReader(data)
	system.HideWindow(c)
	// Do not read its output: a program that stays to serve the clipboard would keep
	// the pipe open.
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Open opens an http or https address in the user's browser.
func Open(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("only http addresses are opened")
	}
	return open(u.String())
}
