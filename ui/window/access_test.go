package window

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestTheNoticeOfAPauseGoesWithIt checks that the notice "Paused" disappears when the
// pause ends.
func TestTheNoticeOfAPauseGoesWithIt(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	w.app.access.TogglePause()
	w.settled()
	notice := w.app.shell.messages.Object()
	if !notice.Visible() {
		t.Fatal("there is no notice")
	}
	w.app.access.TogglePause()
	w.settled()
	if notice.Visible() {
		t.Error("the notice is still there after the pause")
	}
	w.app.access.TogglePause()
	w.settled()
	w.works()
	if notice.Visible() {
		t.Error("the notice is still there after all code has ended")
	}
}

// TestAPauseSaysWhatStillRuns checks that the notice, the status bar and the banner say
// what is still running, until it has ended.
func TestAPauseSaysWhatStillRuns(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	asked := kernelsThat(w, map[string]string{uitest.SessionID(0): catalog.Interrupted})
	w.app.access.TogglePause()
	w.settled()
	sh := w.app.shell
	if got := w.message(); !strings.Contains(got, "analysis") {
		t.Errorf("the pause tells %q", got)
	}
	banner := sh.gallery.banners.list(w.store.Snapshot())[0]
	if status := sh.status.mode.Full(); !strings.Contains(status, "still running") || !strings.Contains(banner.text, "analysis") || len(banner.act) != 2 {
		t.Errorf("status bar %q, banner %q", status, banner.text)
	}
	w.take()
	if got := <-asked; got != uitest.SessionID(0) {
		t.Errorf("interrupted %s", got)
	}
	w.works()
	if status := sh.status.mode.Full(); status != "AI paused" || w.store.Snapshot().Hold() != state.Held {
		t.Errorf("after its end the status bar says %q", status)
	}
	w.app.access.TogglePause()
	w.settled()
	if status := sh.status.mode.Full(); status != "Full access" {
		t.Errorf("after the pause the status bar says %q", status)
	}
}
