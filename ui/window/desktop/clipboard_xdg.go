//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"sync"

	"easel/ui/core/picture"
	"easel/ui/window/desktop/wayland"
)

// uriList is the format in which programs exchange files.
const uriList = "text/uri-list"

// A Clipboard copies pictures to the clipboard of X11 or Wayland. There, the clipboard
// is not storage: the program that copied a picture sends it to others until something
// else is copied. The zero Clipboard is ready to use. Its methods may be called from any
// goroutine.
type Clipboard struct {
	mu  sync.Mutex
	all []heldCopy // the last one owns the clipboard; the others may still be sending their pictures
}

// A heldCopy is what was copied at one time.
type heldCopy interface {
	Over() bool // reports whether something else was copied since then, and nothing more is to be sent
	Close()
}

// CopyImage copies a picture, a PNG, to the clipboard. It also offers the file of the
// picture to programs that accept files, unless file is empty. It returns an error that
// wraps ErrNoProgram if that is not possible.
func (c *Clipboard) CopyImage(ctx context.Context, png []byte, file string) error {
	forms := []wayland.Form{{MIME: picture.PNG, Data: png}}
	if file != "" {
		address := url.URL{Scheme: "file", Path: file}
		forms = append(forms, wayland.Form{MIME: uriList, Data: []byte(address.String() + "\r\n")})
	}
	o, err := offer(ctx, forms)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	if o == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(slices.DeleteFunc(c.all, heldCopy.Over), o)
	return nil
}

// offer puts data on the clipboard: that of the Wayland compositor or, if it has no
// protocol for that, that of its X server, which the compositor shares. The last resort is
// wl-copy, which gets the first form and then serves it by itself, so offered is nil.
func offer(ctx context.Context, forms []wayland.Form) (heldCopy, error) {
	refused := errors.New("there is no display")
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		s, err := wayland.Offer(ctx, forms...)
		if err == nil {
			return s, nil
		}
		refused = err
	}
	if os.Getenv("DISPLAY") != "" {
		s, err := own(forms)
		if err == nil {
			return s, nil
		}
		refused = errors.Join(refused, err)
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		if _, err := exec.LookPath("wl-copy"); err == nil {
			return nil, feed(ctx, forms[0].Data, "wl-copy", "--type", forms[0].MIME)
		}
	}
	return nil, refused
}

// Close removes Easel's pictures from the clipboard, after a clipboard manager has stored
// the last one, if there is one. It does not affect wl-copy.
func (c *Clipboard) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.all {
		o.Close()
	}
	c.all = nil
}
