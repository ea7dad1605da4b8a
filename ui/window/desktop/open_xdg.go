//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// busTime is the timeout for calls over the session bus. It allows for a program that
// must be started first.
const busTime = 5 * time.Second

func open(address string) error { return launch("xdg-open", address) }

func launchFile(path string) error { return launch("xdg-open", path) }

// Reveal selects a file in the file manager. If the file manager does not support that,
// it opens the file's folder.
func Reveal(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), busTime)
	defer cancel()
	if showItem(ctx, path) == nil {
		return nil
	}
	return launch("xdg-open", filepath.Dir(path))
}

func showItem(ctx context.Context, path string) error {
	conn, err := SessionBus(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing is lost with it
	file := url.URL{Scheme: "file", Path: path}
	return conn.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1").
		CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{file.String()}, "").Err
}

// A Clipboard copies pictures to the clipboard of X11 or Wayland. There, the clipboard
// is not storage: the program that copied a picture sends it to others until something
// else is copied. Here that program is Easel itself or, under Wayland, wl-copy if it is
// installed. The zero Clipboard is ready to use. Its methods may be called from any
// goroutine.
type Clipboard struct {
	mu  sync.Mutex
	all []*selection // the last one owns the clipboard; the others may still be sending their pictures
}

// CopyImage copies a picture to the clipboard. It returns an error that wraps
// ErrNoProgram if that is not possible.
func (c *Clipboard) CopyImage(ctx context.Context, mime string, picture []byte) error {
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		if _, err := exec.LookPath("wl-copy"); err == nil {
			return feed(ctx, picture, "wl-copy", "--type", mime)
		}
	}
	if os.Getenv("DISPLAY") == "" {
		return ErrNoProgram
	}
	s, err := offer(mime, picture)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(slices.DeleteFunc(c.all, (*selection).over), s)
	return nil
}

// Close removes Easel's pictures from the clipboard. It does not affect wl-copy.
func (c *Clipboard) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all {
		s.close()
	}
	c.all = nil
}
