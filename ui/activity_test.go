package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/state"
	"easel/ui/uitest"
)

func TestTheDetailOfACallShowsItsPlots(t *testing.T) {
	w := newWorld(t, wide, galleryOf(3), busy)
	im := w.first()
	c := catalog.Activity{
		ID: 1, Began: uitest.Start, Ended: uitest.Start.Add(340 * time.Millisecond), Transport: "mcp", Client: "claude-code 2.1.0", Tool: "execute_code",
		Args: json.RawMessage(`{"code": "plot()", "session_id": "s"}`), Status: "ok", Result: json.RawMessage(`{"success": true}`), Images: []string{im.ResourceURI, "jupyter://gone"},
	}
	w.app.journal.call(c)
	tab := newActivityTab(w.app.shell)
	tab.render(w.store.Snapshot(), true)
	tab.detail(0)
	picture := func(m *canvas.Image) bool { return m.Image != nil && m.Image.Bounds().Dx() == 264 }
	w.q.Until(t, "the plot in the detail", func() bool { _, is := seek(w, picture); return is })
	uitest.Golden(t, "activity_detail", w.app.win.Canvas())
	w.app.shell.popup.Hide()
	w.app.openViewer(im.ImageID)
	w.settled()
	if got := w.store.Snapshot(); got.Mode != state.Viewer {
		t.Error("the plot did not open")
	}
}

func TestTheDetailOfACallFollowsItsRun(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), busy)
	began := uitest.Start
	call := catalog.Activity{ID: 7, Began: began, Transport: "mcp", Client: "claude-code 2.1.0", Tool: "execute_code", Status: "running", Args: json.RawMessage(`{"code": "slow()", "session_id": "s"}`)}
	run := catalog.Execution{ExecutionID: "x", SessionID: "s", Code: "slow()", Status: catalog.StatusRunning, CreatedAt: began.Add(time.Millisecond), Stdout: "first words\n", Next: "1.0.0"}
	former := run
	former.ExecutionID, former.CreatedAt, former.Stdout = "w", began.Add(-time.Hour), "of an earlier call"
	w.app.journal.run(catalog.ExecutionEnded, former)
	w.app.journal.call(call)
	tab := newActivityTab(w.app.shell)
	tab.render(w.store.Snapshot(), true)
	tab.detail(0)
	says := func(word string) bool {
		_, is := seek(w, func(x *canvas.Text) bool { return strings.Contains(x.Text, word) })
		return is
	}
	show := func(x catalog.Execution) {
		w.app.journal.run(catalog.ExecutionOutput, x)
		tab.render(w.store.Snapshot(), true)
	}
	if says("earlier") || says("first words") {
		t.Error("it shows what is not of this call")
	}
	show(run)
	if !says("first words") {
		t.Error("what came is not shown")
	}
	run.Stdout, run.Next = run.Stdout+"and then more\n", "2.0.0"
	show(run)
	if !says("first words") || !says("and then more") {
		t.Error("what came next is not shown")
	}
	call.Ended, call.Status, call.Result = began.Add(time.Second), "ok", json.RawMessage(`{"execution_id": "x", "stdout": "…"}`)
	w.app.journal.call(call)
	tab.render(w.store.Snapshot(), true)
	if !says("and then more") || !says("execution_id") {
		t.Error("its end is not shown")
	}
	w.app.shell.popup.Hide()
	if tab.render(w.store.Snapshot(), true); tab.open != nil {
		t.Error("a closed sheet is still followed")
	}
}
