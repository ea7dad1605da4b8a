package activity

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

func TestTheDetailOfACallShowsItsPlots(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	im, err := w.lib.Image(t.Context(), "img00001")
	require.NoError(t, err)
	w.history.call(catalog.Activity{
		ID: 1, Began: uitest.Start, Ended: uitest.Start.Add(340 * time.Millisecond), Transport: "mcp", Client: "claude-code 2.1.0", Tool: "execute_code",
		Args: json.RawMessage(`{"code": "plot()", "session_id": "s"}`), Status: "ok", Result: json.RawMessage(`{"success": true}`), Images: []string{im.ResourceURI, "jupyter://gone"},
	})
	tab := newCallsTab(w.dock)
	tab.render(w.store.Snapshot(), true)
	tab.detail(0)
	picture := func(m *canvas.Image) bool { return m.Image != nil && m.Image.Bounds().Dx() == 264 }
	w.q.Until(t, "the plot in the detail", func() bool { _, is := seek(w, picture); return is })
	tap, is := seek(w, func(x *kit.Stop) bool {
		return slices.ContainsFunc(test.LaidOutObjects(x), func(o fyne.CanvasObject) bool { m, ok := o.(*canvas.Image); return ok && picture(m) })
	})
	if !is {
		t.Fatal("the plot can't be tapped")
	}
	test.Tap(tap)
	if !slices.Equal(w.opened, []string{im.ImageID}) || tab.open.pop.Visible() {
		t.Errorf("opened %v, the detail is in sight: %v", w.opened, tab.open.pop.Visible())
	}
}

func TestTheDetailOfACallFollowsItsRun(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	began := uitest.Start
	call := catalog.Activity{ID: 7, Began: began, Transport: "mcp", Client: "claude-code 2.1.0", Tool: "execute_code", Status: "running", Args: json.RawMessage(`{"code": "slow()", "session_id": "s"}`)}
	run := catalog.Execution{ExecutionID: "x", SessionID: "s", Code: "slow()", Status: catalog.StatusRunning, CreatedAt: began.Add(time.Millisecond), Stdout: "first words\n", Next: "1.0.0"}
	former := run
	former.ExecutionID, former.CreatedAt, former.Stdout = "w", began.Add(-time.Hour), "of an earlier call"
	w.history.run(catalog.ExecutionEnded, former)
	w.history.call(call)
	tab := newCallsTab(w.dock)
	tab.render(w.store.Snapshot(), true)
	tab.detail(0)
	says := func(word string) bool {
		_, is := seek(w, func(x *canvas.Text) bool { return strings.Contains(x.Text, word) })
		return is
	}
	show := func(x catalog.Execution) {
		w.history.run(catalog.ExecutionOutput, x)
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
	w.history.call(call)
	tab.render(w.store.Snapshot(), true)
	if !says("and then more") || !says("execution_id") {
		t.Error("its end is not shown")
	}
	tab.open.pop.Hide()
	if tab.render(w.store.Snapshot(), true); tab.open != nil {
		t.Error("a closed sheet is still followed")
	}
}

// TestTheLogHasWhatOthersRun checks that the log contains code that ran in JupyterLab,
// and that queued code is not shown as running.
func TestTheLogHasWhatOthersRun(t *testing.T) {
	lib := galleryOf(t, 1)
	for _, x := range []library.Execution{
		{ID: "r", SessionID: uitest.SessionID(0), Transport: "mcp", Client: "claude-code 2.1.0", Code: "a call's", Status: catalog.StatusOK},
		{
			ID: "q", SessionID: uitest.SessionID(0), Transport: catalog.TransportJupyter, Client: "Jupyter", Code: "df.head()", Status: catalog.StatusOK,
			CreatedAt: uitest.Start.Add(-time.Hour), EndedAt: uitest.Start.Add(-59 * time.Minute),
		},
	} {
		require.NoError(t, lib.Library.Executions.Put(t.Context(), x))
	}
	w := newWorld(t, wide, lib, func(s *state.Snapshot) {
		busy(s)
		s.Sessions[0].Queued = 1
	})
	w.q.Until(t, "what was run before", func() bool { return len(w.history.snapshot()) > 0 })
	session := w.store.Snapshot().Sessions[0].SessionID
	began := uitest.Start
	theirs := catalog.Execution{
		ExecutionID: "x", SessionID: session, Watched: "Jupyter (hanako)", Code: "df.plot()", Status: catalog.StatusRunning,
		CreatedAt: began, StartedAt: &began, Stdout: "by hand\n",
	}
	w.history.run(catalog.ExecutionStarted, theirs)
	args, err := json.Marshal(map[string]string{"code": "1+1", "session_id": session})
	require.NoError(t, err)
	w.history.call(catalog.Activity{ID: 7, Began: began.Add(time.Second), Client: "claude-code 2.1.0", Tool: "execute_code", Status: "running", Args: args})
	tab := w.dock.tabs[0].(*callsTab)
	line := func(i int) (words string) {
		tab.render(w.store.Snapshot(), true)
		for _, c := range tab.fill(i)[1:6] {
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
	want(2, "done|analysis|execute_request|df.head()|Jupyter|")
	want(1, "running|analysis|execute_request|df.plot()|Jupyter (hanako)|")
	want(0, "queued|analysis|execute_code|1+1|claude-code 2.1.0|")
	uitest.Golden(t, "activity_watched", w.win.Canvas())
	tab.detail(1)
	says := func(word string) bool {
		_, is := seek(w, func(x *canvas.Text) bool { return strings.Contains(x.Text, word) })
		return is
	}
	if !says("by hand") || says("execution_id") {
		t.Error("the detail does not show what it printed, or more than anybody sent")
	}
	tab.open.pop.Hide()

	theirs.Status, theirs.ExecutionTimeMS, theirs.Error = catalog.StatusError, 1500, &catalog.ExecutionError{Type: "KeyError", Message: "'sales'"}
	w.history.run(catalog.ExecutionEnded, theirs)
	want(1, "error|analysis|execute_request|KeyError: 'sales'|Jupyter (hanako)|")
	if n := len(tab.shown); n != 3 {
		t.Errorf("%d lines", n)
	}
	w.history.run(catalog.ExecutionStarted, catalog.Execution{
		ExecutionID: "y", SessionID: session, Code: "1+1", Status: catalog.StatusRunning, CreatedAt: began.Add(2 * time.Second),
	})
	want(0, "running|analysis|execute_code|1+1|claude-code 2.1.0|")

	w.history.past(catalog.Activity{ID: 7, Began: began, Tool: "of the library, which knows less"})
	want(0, "running|analysis|execute_code|1+1|claude-code 2.1.0|")
	w.history.call(catalog.Activity{ID: 3, Began: began.Add(-time.Minute), Ended: began, Tool: "came late", Status: catalog.StatusOK})
	want(2, "done||came late|came late||")
}

// TestTheDetailOfACallSaysWhatItsModelGot checks a call and another that asked how its execution went on.
func TestTheDetailOfACallSaysWhatItsModelGot(t *testing.T) {
	for lang, want := range map[string][3]string{
		"en": {"1 as text · 2.1 kB of 48 kB of text", "1 picture (800 × 600 px) · 1 as a link · 2.4 kB of text", "2 pictures (800 × 600 px, 30 × 20 px) · 2.5 kB of text"},
		"ja": {"テキストのみ 1 件 · テキスト 48 kB のうち 2.1 kB", "画像 1 枚（800 × 600 px） · リンク 1 件 · テキスト 2.4 kB", "画像 2 枚（800 × 600 px、30 × 20 px） · テキスト 2.5 kB"},
	} {
		w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
			busy(s)
			s.Settings.Language = lang
		})
		sent := func(id, how string, width, height int) catalog.SentImage {
			return catalog.SentImage{ImageID: id, How: how, Width: width, Height: height}
		}
		run := catalog.Activity{
			ID: 1, Began: uitest.Start, Ended: uitest.Start.Add(time.Second), Client: "codex 1", Tool: runTool, ExecutionID: "x", Status: "ok",
			Sent: []catalog.SentImage{sent("a", catalog.SentText, 0, 0)}, TextBytes: 2_100, LeftOut: 45_900,
		}
		w.history.call(run)
		tab := newCallsTab(w.dock)
		tab.render(w.store.Snapshot(), true)
		tab.detail(0)
		poll := func(id uint64, s ...catalog.SentImage) {
			w.history.call(catalog.Activity{
				ID: id, Began: run.Began.Add(time.Duration(id) * time.Second), Ended: run.Ended.Add(time.Hour), Client: "codex 1", Tool: pollTool, ExecutionID: "x",
				Status: "ok", Sent: s, TextBytes: 150 * int64(5-id),
			})
		}
		for i, say := range want {
			switch i {
			case 1:
				poll(3, sent("a", catalog.SentInline, 800, 600), sent("b", catalog.SentLink, 0, 0))
			case 2:
				poll(4, sent("a", catalog.SentLink, 0, 0), sent("b", catalog.SentPart, 30, 20))
			}
			tab.render(w.store.Snapshot(), true)
			if _, is := seek(w, func(x *canvas.Text) bool { return x.Text == say }); !is {
				t.Errorf("%s: it does not say %q; it has %q", lang, say, w.dock.sentWords(run))
			}
		}
		tab.open.pop.Hide()
	}
}
