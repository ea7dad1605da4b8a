//go:build linux || freebsd || openbsd || netbsd

package desktop

import "context"

// KeepAwake keeps the screen on until ctx ends. It returns an error at once if the desktop
// does not support that (org.freedesktop.ScreenSaver).
func KeepAwake(ctx context.Context, why string) error {
	// A request that was sent is also released, even if ctx ends meanwhile.
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), busTime)
	defer cancel()
	conn, err := SessionBus(call)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it ends the request, too
	const name = "org.freedesktop.ScreenSaver"
	saver := conn.Object(name, "/org/freedesktop/ScreenSaver")
	var cookie uint32
	if err := saver.CallWithContext(call, name+".Inhibit", 0, "Easel", why).Store(&cookie); err != nil {
		return err
	}
	<-ctx.Done()
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), busTime)
	defer cancel()
	return saver.CallWithContext(release, name+".UnInhibit", 0, cookie).Err
}
