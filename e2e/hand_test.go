package e2e

import (
	"fmt"
	"image"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// A hand acts as the user of a window.
type hand struct {
	t      *testing.T
	e      *easel
	fb     *framebuffer
	window string
	at     image.Point // position of the window's content on the screen
}

func newHand(t *testing.T, e *easel) *hand {
	t.Helper()
	h := &hand{t: t, e: e, fb: openFramebuffer(t)}
	h.find()
	return h
}

// find updates the window's id and position.
func (h *hand) find() {
	h.t.Helper()
	eventually(h.t, "the window", func() bool {
		h.window = visible(h.t, h.e.Process.Pid)
		return h.window != ""
	})
	// xdotool getwindowgeometry counts the window manager's frame twice.
	out, err := exec.CommandContext(h.t.Context(), "xdotool", "mousemove", "--window", h.window, "0", "0", "getmouselocation", "--shell").Output()
	require.NoError(h.t, err)
	for line := range strings.Lines(string(out)) {
		_, _ = fmt.Sscanf(line, "X=%d", &h.at.X)
		_, _ = fmt.Sscanf(line, "Y=%d", &h.at.Y)
	}
	xdo(h.t, "windowfocus", "--sync", h.window)
}

func (h *hand) screen(r image.Rectangle) image.Rectangle { return r.Add(h.at) }

func (h *hand) click(p image.Point) {
	h.t.Helper()
	// Two steps, as a hand takes them: a press in the same moment as the movement may be taken for one at the former place.
	xdo(h.t, "mousemove", "--window", h.window, fmt.Sprint(p.X), fmt.Sprint(p.Y))
	xdo(h.t, "click", "1")
}

func (h *hand) keys(names ...string) {
	h.t.Helper()
	xdo(h.t, append([]string{"key", "--delay", "30"}, names...)...)
}

// hide presses keys until the window is hidden, because a window that was just shown may not
// have the focus yet.
func (h *hand) hide(keys string) {
	h.t.Helper()
	h.until("the hidden window", func() bool {
		if visible(h.t, h.e.Process.Pid) == "" {
			return true
		}
		h.keys(keys)
		return visible(h.t, h.e.Process.Pid) == ""
	})
}

// view returns what the window shows, according to the host.
func (h *hand) view() map[string]any {
	h.t.Helper()
	_, raw := do(h.t, h.e.request(h.t, "GET", "/api/info/get_current_folder", nil))
	return decode(h.t, raw)["view"].(map[string]any)
}

// files returns the files in view, in order.
func (h *hand) files() (files []map[string]any) {
	h.t.Helper()
	for cursor := ""; ; {
		_, raw := do(h.t, h.e.request(h.t, "GET", "/api/info/get_files_in_view?limit=200&cursor="+url.QueryEscape(cursor), nil))
		page := decode(h.t, raw)
		for _, f := range page["files"].([]any) {
			files = append(files, f.(map[string]any))
		}
		var more bool
		if cursor, more = page["next_cursor"].(string); !more {
			return files
		}
	}
}

// within reports whether ok returns true within patience.
func (h *hand) within(ok func() bool) bool { return h.before(patience, ok) }

// before reports whether ok returns true within d.
func (h *hand) before(d time.Duration, ok func() bool) bool {
	h.t.Helper()
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return false
		}
	}
	return true
}

func (h *hand) until(what string, ok func() bool) {
	h.t.Helper()
	if !h.within(ok) {
		screen(h.t, "journey-failed")
		h.t.Fatalf("%s: not within %v; the window shows %v", what, patience, h.view())
	}
}
