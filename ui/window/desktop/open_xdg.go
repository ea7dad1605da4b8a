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

// busTime bounds what is asked of other programs by the session bus. One that has
// to start first takes a while.
const busTime = 5 * time.Second

func open(address string) error { return launch("xdg-open", address) }

func launchFile(path string) error { return launch("xdg-open", path) }

// Reveal shows a file in the file manager: selected in its folder where the file
// manager can be asked for that, else the folder.
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

// A Clipboard puts pictures on the clipboard of X11 or Wayland. That is not a place but a
// program, which hands a picture out for as long as nothing else is copied: here Easel
// itself, under Wayland without XWayland wl-copy. The zero Clipboard is ready. Its methods
// may be called from any goroutine.
type Clipboard struct {
	mu  sync.Mutex
	all []*selection // the last has the clipboard; the others may still answer those who asked before
}

// CopyImage puts a picture on the clipboard. Where there is no way to, the error is
// ErrNoProgram.
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

// Close takes what is on the clipboard from Easel away.
func (c *Clipboard) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all {
		s.close()
	}
	c.all = nil
}
