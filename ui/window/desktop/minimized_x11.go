//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// WatchMinimized calls changed, until ctx ends, whenever the window with this X11 id is
// minimized or restored. It watches the property that window managers set (ICCCM 4.1.3.1,
// WM_STATE).
func WatchMinimized(ctx context.Context, id uintptr, changed func(minimized bool)) error {
	window := xproto.Window(id)      // X11 has ids of 29 bits
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
