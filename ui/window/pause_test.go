package window

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestAPauseSaysWhatStillRuns checks that all places show the same until the code has
// ended.
func TestAPauseSaysWhatStillRuns(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), busy)
	asked := kernelsThat(w, map[string]string{uitest.SessionID(0): catalog.Interrupted})
	w.app.togglePause()
	w.settled()
	sh := w.app.shell
	if got := sh.toast.text.Text(); !strings.Contains(got, "analysis") {
		t.Errorf("the pause tells %q", got)
	}
	banner := sh.center.banners.list(w.store.Snapshot())[0]
	if status := sh.status.mode.Full(); !strings.Contains(status, "still running") || !strings.Contains(banner.text, "analysis") || len(banner.act) != 2 {
		t.Errorf("status bar %q, banner %q", status, banner.text)
	}
	sh.toast.offer()
	if got := <-asked; got != uitest.SessionID(0) {
		t.Errorf("interrupted %s", got)
	}
	w.works()
	if status := sh.status.mode.Full(); status != "AI paused" || w.store.Snapshot().Hold() != state.Held {
		t.Errorf("after its end the status bar says %q", status)
	}
	w.app.togglePause()
	w.settled()
	if status := sh.status.mode.Full(); status != "Full access" {
		t.Errorf("after the pause the status bar says %q", status)
	}
}
