//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// xPatience is the timeout for an answer of an X server.
const xPatience = 5 * time.Second

// reach connects to the X server of d, with the process's current XAUTHORITY. It
// returns an error if that fails.
func reach(d Display) error {
	_, err := greet(d["DISPLAY"])
	return err
}

// greet connects to an X server. It reports whether a window manager runs there, which
// means that it is a user's desktop.
func greet(display string) (managed bool, err error) {
	if display == "" {
		return false, errors.New("the window needs an X display: set DISPLAY (under Wayland, to that of Xwayland)")
	}
	type answer struct {
		managed bool
		err     error
	}
	answers := make(chan answer, 1)
	go func() { // runs until the server answers or the process ends, because xgb cannot be cancelled
		managed, err := manager(display)
		answers <- answer{managed, err}
	}()
	late := time.NewTimer(xPatience)
	defer late.Stop()
	select {
	case a := <-answers:
		return a.managed, a.err
	case <-late.C:
		return false, fmt.Errorf("the display %s does not answer", display)
	}
}

// manager reports whether a window manager has announced itself (Extended Window
// Manager Hints 1.5, _NET_SUPPORTING_WM_CHECK).
func manager(display string) (bool, error) {
	xgb.Logger.SetOutput(io.Discard)
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		return false, fmt.Errorf("the display %s cannot be reached: %w", display, err)
	}
	defer conn.Close()
	const name = "_NET_SUPPORTING_WM_CHECK"
	atom, err := xproto.InternAtom(conn, true, uint16(len(name)), name).Reply()
	if err != nil || atom.Atom == xproto.AtomNone {
		return false, err //nolint:wrapcheck // nil, or what the server says
	}
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	p, err := xproto.GetProperty(conn, false, root, atom.Atom, xproto.AtomWindow, 0, 1).Reply()
	return err == nil && p.ValueLen > 0, err //nolint:wrapcheck // as above
}

// Find finds the desktop that the user works at, and enters it. Clients remove DISPLAY
// from the environment of the servers that they start, so Find reads the environments
// of the user's other processes. Among the displays that have a window manager, it
// chooses the one with the most processes. It ignores displays that are forwarded from
// another machine.
func Find() (Display, bool) {
	count, whole := make(map[string]int), make(map[string]Display)
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // other systems have no such files
	for _, file := range files {
		d := displayOf(file)
		if !strings.HasPrefix(d["DISPLAY"], ":") {
			continue
		}
		key := d["DISPLAY"] + "\x00" + d["XAUTHORITY"]
		count[key]++
		if len(d) > len(whole[key]) {
			whole[key] = d
		}
	}
	keys := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	was := Here()
	for _, key := range keys {
		d := whole[key]
		was.set(d)
		if managed, err := greet(d["DISPLAY"]); err == nil && managed {
			return d, true
		}
		d.set(was)
	}
	return nil, false
}

// displayOf returns the display of a process, given its environ file in /proc. It
// returns nil if the process belongs to another user.
func displayOf(file string) Display {
	info, err := os.Stat(filepath.Dir(file))
	if err != nil {
		return nil
	}
	if of, ok := info.Sys().(*syscall.Stat_t); !ok || int(of.Uid) != os.Getuid() {
		return nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	d := make(Display)
	for v := range bytes.SplitSeq(raw, []byte{0}) {
		name, value, _ := strings.Cut(string(v), "=")
		if slices.Contains(displayVars, name) && value != "" && len(value) <= maxVar {
			d[name] = value
		}
	}
	return d
}
