//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"errors"
	"fmt"
	"io"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// WatchMinimized returns a function that calls changed, until ctx ends, whenever w is minimized
// or restored. It must be called on the UI goroutine after w was shown. The function is nil if
// this cannot be observed, as under Wayland.
func WatchMinimized(w fyne.Window) func(ctx context.Context, changed func(minimized bool)) error {
	native, ok := w.(driver.NativeWindow)
	if !ok {
		return nil
	}
	var window xproto.Window
	native.RunNative(func(c any) {
		if x, ok := c.(driver.X11WindowContext); ok {
			window = xproto.Window(x.WindowHandle) // X11 has ids of 29 bits
		}
	})
	if window == 0 {
		return nil
	}
	return func(ctx context.Context, changed func(bool)) error { return watchMinimized(ctx, window, changed) }
}

// watchMinimized watches the property that window managers set (ICCCM 4.1.3.1, WM_STATE).
func watchMinimized(ctx context.Context, window xproto.Window, changed func(bool)) error {
	xgb.Logger.SetOutput(io.Discard) // it writes to the terminal that a connection was closed
	conn, err := xgb.NewConn()
	if err != nil {
		return fmt.Errorf("connect to the X server: %w", err)
	}
	stop := context.AfterFunc(ctx, conn.Close)
	defer func() {
		if stop() {
			conn.Close()
		}
	}()
	const name = "WM_STATE"
	state, err := xproto.InternAtom(conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	err = xproto.ChangeWindowAttributesChecked(conn, window, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	for was := false; ; {
		event, xerr := conn.WaitForEvent()
		if event == nil && xerr == nil { // closed
			return ctx.Err()
		}
		if e, ok := event.(xproto.PropertyNotifyEvent); !ok || e.Atom != state.Atom {
			continue
		}
		p, err := xproto.GetProperty(conn, false, window, state.Atom, xproto.GetPropertyTypeAny, 0, 1).Reply()
		if err != nil || len(p.Value) < 4 {
			continue // the window is hidden
		}
		const iconic = 3
		if is := xgb.Get32(p.Value) == iconic; is != was {
			was = is
			changed(is)
		}
	}
}
