package window

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/requests"
	"easel/ui/window/uitest"
)

// TestAFailedToggleIsNotStored checks that after an error done does not run and finally
// runs.
func TestAFailedToggleIsNotStored(t *testing.T) {
	w := newWorld(t, wide, galleryOf(3), nil)
	if err := w.bus.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	done, finally := false, false
	w.app.togglePanel()
	requests.AskFinally(w.app.requests, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(catalog.ViewOut) { done = true }, func() { finally = true })
	w.settled()
	if s := w.store.Snapshot(); s.Settings.Layout.Props != "" || !s.PropertiesPanel {
		t.Errorf("stored %q, the panel is shown: %v", s.Settings.Layout.Props, s.PropertiesPanel)
	}
	if done || !finally {
		t.Errorf("done ran: %v, finally ran: %v", done, finally)
	}
	if !w.app.shell.toast.root.Visible() {
		t.Error("the error isn't shown")
	}
}

// TestAFailedSelectionEnds checks that the state's selection replaces the grid's own
// after the request to select has failed.
func TestAFailedSelectionEnds(t *testing.T) {
	w := newWorld(t, wide, galleryOf(3), func(s *state.Snapshot) { s.FollowLatest = false })
	if err := w.bus.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.app.shell.center.selected([]string{"img00001"}, "")
	w.settled()
	if got := w.app.shell.center.acting; got != 0 {
		t.Errorf("%d selections are still on their way", got)
	}
}

// TestTheNoticeOfAPauseGoesWithIt: it says "Paused", which must not outlive the pause.
func TestTheNoticeOfAPauseGoesWithIt(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), busy)
	w.app.togglePause()
	w.settled()
	notice := w.app.shell.toast.root
	if !notice.Visible() {
		t.Fatal("there is no notice")
	}
	w.app.togglePause()
	w.settled()
	if notice.Visible() {
		t.Error("the notice is still there after the pause")
	}
	w.app.togglePause()
	w.settled()
	w.works()
	if notice.Visible() {
		t.Error("the notice is still there after all code has ended")
	}
}

// TestAPauseSaysWhatStillRuns: everywhere the same, until that has ended.
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
