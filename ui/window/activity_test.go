package window

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
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

// What somebody runs in JupyterLab stands in the log beside the calls, and what waits for
// it is not called running.
func TestTheLogHasWhatOthersRun(t *testing.T) {
	lib := galleryOf(1)
	lib.Ran = []library.Execution{
		{ID: "r", Transport: "mcp", Client: "claude-code 2.1.0", Code: "a call's", Status: catalog.StatusOK},
		{
			ID: "q", Transport: catalog.TransportJupyter, Client: "Jupyter", Code: "df.head()", Status: catalog.StatusOK,
			CreatedAt: uitest.Start.Add(-time.Hour), EndedAt: uitest.Start.Add(-59 * time.Minute),
		},
	}
	w := newWorld(t, wide, lib, func(s *state.Snapshot) {
		busy(s)
		s.Settings.Layout.Dock = state.Chosen(true)
		s.Sessions[0].Queued = 1
	})
	w.q.Until(t, "what was run before", func() bool { return len(w.app.journal.snapshot()) > 0 })
	session := w.store.Snapshot().Sessions[0].SessionID
	began := uitest.Start
	theirs := catalog.Execution{
		ExecutionID: "x", SessionID: session, Watched: "Jupyter (hanako)", Code: "df.plot()", Status: catalog.StatusRunning,
		CreatedAt: began, StartedAt: &began, Stdout: "by hand\n",
	}
	w.app.journal.run(catalog.ExecutionStarted, theirs)
	args, err := json.Marshal(map[string]string{"code": "1+1", "session_id": session})
	if err != nil {
		t.Fatal(err)
	}
	w.app.journal.call(catalog.Activity{ID: 7, Began: began.Add(time.Second), Client: "claude-code 2.1.0", Tool: "execute_code", Status: "running", Args: args})
	tab := w.app.shell.dock.tabs[0].(*activityTab)
	line := func(i int) (words string) {
		tab.render(w.store.Snapshot(), true)
		for _, c := range tab.fill(i)[1:5] {
			words += c.Text + "|"
		}
		return words
	}
	want := func(i int, words string) {
		t.Helper()
		if got := line(i); got != words {
			t.Errorf("line %d is %q, want %q", i, got, words)
		}
	}
	want(2, "done|execute_request|df.head()|Jupyter|")
	want(1, "running|execute_request|df.plot()|Jupyter (hanako)|")
	want(0, "queued|execute_code|1+1|claude-code 2.1.0|")
	uitest.Golden(t, "activity_watched", w.app.win.Canvas())
	tab.detail(1)
	says := func(word string) bool {
		_, is := seek(w, func(x *canvas.Text) bool { return strings.Contains(x.Text, word) })
		return is
	}
	if !says("by hand") || says("execution_id") {
		t.Error("the detail does not show what it printed, or more than anybody sent")
	}
	w.app.shell.popup.Hide()

	theirs.Status, theirs.ExecutionTimeMS, theirs.Error = catalog.StatusError, 1500, &catalog.ExecutionError{Type: "KeyError", Message: "'sales'"}
	w.app.journal.run(catalog.ExecutionEnded, theirs)
	want(1, "error|execute_request|KeyError: 'sales'|Jupyter (hanako)|")
	if n := len(tab.shown); n != 3 {
		t.Errorf("%d lines", n)
	}
	w.app.journal.run(catalog.ExecutionStarted, catalog.Execution{
		ExecutionID: "y", SessionID: session, Code: "1+1", Status: catalog.StatusRunning, CreatedAt: began.Add(2 * time.Second),
	})
	want(0, "running|execute_code|1+1|claude-code 2.1.0|")

	w.app.journal.past(catalog.Activity{ID: 7, Began: began, Tool: "of the library, which knows less"})
	want(0, "running|execute_code|1+1|claude-code 2.1.0|")
	w.app.journal.call(catalog.Activity{ID: 3, Began: began.Add(-time.Minute), Ended: began, Tool: "came late", Status: catalog.StatusOK})
	want(2, "done|came late|||")
}
