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

// xPatience is how long an X server may take to answer.
const xPatience = 5 * time.Second

// reach connects to the X server of d, with the authority that this process has by now.
func reach(d Display) error {
	_, err := greet(d["DISPLAY"])
	return err
}

// greet connects to an X server, and tells whether a window manager is there: then it is
// somebody's desktop.
func greet(display string) (managed bool, err error) {
	if display == "" {
		return false, errors.New("the window needs an X display (DISPLAY), under Wayland that of Xwayland")
	}
	type answer struct {
		managed bool
		err     error
	}
	answers := make(chan answer, 1)
	go func() { // ends with the server's answer, or with the process: xgb cannot be stopped
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

// manager asks for the window by which a window manager shows that it is there (Extended
// Window Manager Hints 1.5, _NET_SUPPORTING_WM_CHECK).
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

// Find finds the desktop that the user works at, by what their other processes have in
// their environments: clients take DISPLAY out of that of the servers that they start. It
// enters the one with the most processes that has a window manager. Displays that are
// forwarded from elsewhere do not count.
func Find() (Display, bool) {
	count, whole := make(map[string]int), make(map[string]Display)
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // elsewhere there are none
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

// displayOf is the display of the process whose environment is in a file of /proc, if it is
// of the same user.
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
