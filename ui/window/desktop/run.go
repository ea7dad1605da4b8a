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
)

// ErrNoProgram tells that no program of this desktop can do what was asked.
var ErrNoProgram = errors.New("no program of this desktop can do that")

// startupGrace is how long a program that was started may take to fail.
var startupGrace = 3 * time.Second // tests are more patient

// launch starts a program that may go on for long. It fails if the program does,
// soon.
func launch(name string, args ...string) error {
	// No context: what the user has opened outlives the one who opened it.
	c := exec.Command(name, args...) //nolint:gosec,noctx // names are constants
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

// feed runs a program to its end, with data on its standard input.
func feed(ctx context.Context, data []byte, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // names are constants
	c.Stdin = bytes.NewReader(data)
	// Its output is not read: one that stays, to serve the clipboard, would keep a
	// pipe open.
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Open opens an http address in the user's browser.
func Open(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("only http addresses are opened")
	}
	return open(u.String())
}
