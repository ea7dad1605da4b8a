package activity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestARowHasTheStatusOfItsExecution covers a call that has returned while its
// execution continues. The row and the filter show the execution's status.
func TestARowHasTheStatusOfItsExecution(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	tab := newCallsTab(w.dock)
	call := catalog.Activity{
		ID: 1, Began: uitest.Start, Ended: uitest.Start.Add(time.Second), Tool: "execute_code", Status: "ok",
		Args: json.RawMessage(`{"code": "import time\n\ni=0\nwhile True: i += 1"}`), Result: json.RawMessage(`{"execution_id": "x", "status": "running"}`),
	}
	w.history.call(call)
	run := catalog.Execution{ExecutionID: "x", SessionID: uitest.SessionID(0), Code: "i=0", CreatedAt: uitest.Start}
	marks := make(map[kit.Mark]string)
	for _, status := range []string{
		catalog.StatusQueued, catalog.StatusRunning, catalog.StatusInterrupted, catalog.StatusCancelled, catalog.StatusTimeout,
		catalog.StatusKernelDied, catalog.StatusLost, catalog.StatusError, catalog.StatusOK,
	} {
		run.Status = status
		w.history.run(catalog.ExecutionOutput, run)
		tab.filter.chosen.by[byStatus] = status
		tab.render(w.store.Snapshot(), true)
		if len(tab.shown) != 1 {
			t.Fatalf("%s: the filter leaves %d rows", status, len(tab.shown))
		}
		cell := tab.fill(0)[1]
		if cell.Text != w.k.T("status."+status) {
			t.Errorf("%s is shown as %q", status, cell.Text)
		}
		if other, taken := marks[cell.Mark]; taken {
			t.Errorf("%s and %s have one mark", status, other)
		}
		marks[cell.Mark] = status
	}
	if what := tab.fill(0)[4].Text; what != "while True: i += 1" {
		t.Errorf("it tells of %q", what)
	}
}

// TestARowOfWhatWaitsForItsTurn covers queued code, for which there are no events
// before it starts.
func TestARowOfWhatWaitsForItsTurn(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	for result, want := range map[string]string{
		`{"success": true, "execution_id": "q", "session_id": "s", "status": "queued", "code": "after = 1"}`:              catalog.StatusQueued,
		`{"path": "a.ipynb", "execution": {"success": true, "execution_id": "q", "session_id": "s", "status": "queued"}}`: catalog.StatusQueued,
		`"{\"success\":true,\"execution_id\":\"q\",\"session_id\":\"s\",\"status\":\"running\",\"code\":\"long…"`:         catalog.StatusRunning,
		`{"success": true, "execution_id": "q", "session_id": "s", "status": "awaiting_approval"}`:                        callWaits,
		`{"success": true, "session_id": "s", "status": "idle"}`:                                                          catalog.StatusOK,
	} {
		c := catalog.Activity{ID: 1, Began: uitest.Start, Ended: uitest.Start, Tool: "execute_code", Status: "ok", Result: json.RawMessage(result)}
		if got := w.dock.stateOf(w.store.Snapshot(), c); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}

// TestARowThatIsUsedAgainShowsItsOwnCall scrolls through five hundred rows and checks
// that each reused widget shows its own call.
func TestARowThatIsUsedAgainShowsItsOwnCall(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	status := func(i int) string {
		return []string{catalog.StatusOK, catalog.StatusInterrupted, catalog.StatusRunning, catalog.StatusLost, catalog.StatusTimeout}[i%5]
	}
	for i := range 500 {
		id := fmt.Sprint("x", i)
		w.history.run(catalog.ExecutionEnded, catalog.Execution{ExecutionID: id, SessionID: "s", Status: status(i)})
		w.history.call(catalog.Activity{
			ID: uint64(i + 1), Began: uitest.Start.Add(time.Duration(i) * time.Second), Ended: uitest.Start.Add(time.Hour), Tool: "execute_code", Status: "ok",
			Args: json.RawMessage(fmt.Sprintf(`{"code": "call(%d)"}`, i)), Result: json.RawMessage(`{"execution_id": "` + id + `"}`),
		})
	}
	w.dock.Open(0)
	tab := w.dock.tabs[0].(*callsTab)
	for step := range 6 {
		if step%2 == 0 {
			tab.rows.ScrollToBottom()
		} else {
			tab.rows.ScrollToTop()
		}
		if step == 2 { // they end while they are not visible
			for i := range 500 {
				w.history.run(catalog.ExecutionEnded, catalog.Execution{ExecutionID: fmt.Sprint("x", i), SessionID: "s", Status: status(i + 1)})
			}
			tab.render(w.store.Snapshot(), true)
		}
		var texts []string
		for _, o := range test.LaidOutObjects(tab.rows) {
			if x, ok := o.(*canvas.Text); ok && x.Visible() {
				texts = append(texts, x.Text)
			}
		}
		seen := 0
		for at, text := range texts {
			var i int
			if _, err := fmt.Sscanf(text, "call(%d)", &i); err != nil {
				continue
			}
			seen++
			is := status(i)
			if step >= 2 {
				is = status(i + 1)
			}
			if want := w.k.T("status." + is); texts[at-3] != want {
				t.Errorf("step %d: %s is %q, want %q", step, text, texts[at-3], want)
			}
			if (i < 250) != (step%2 == 0) {
				t.Errorf("step %d shows %s", step, text)
			}
		}
		if seen < 3 {
			t.Fatalf("step %d: %d rows are in sight: %q", step, seen, texts)
		}
	}
}

func TestTheTellingLineOfCode(t *testing.T) {
	for code, want := range map[string]string{
		"i=0\nwhile True:\n    i += 1":                               "while True:",
		"import numpy as np\nfrom x import y\n\n# fit\nmodel.fit(X)": "model.fit(X)",
		"%matplotlib inline\nimport time; time.sleep(60)":            "time.sleep(60)",
		"i=0":                "i=0",
		"# only words":       "# only words",
		"import numpy as np": "import numpy as np",
		"n = 5\nx = load(n)": "x = load(n)",
		"!pip install x":     "!pip install x",
		"":                   "",
		"売上 = 読む('表.csv')":   "売上 = 読む('表.csv')",
	} {
		if got := tellingLine(code); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// TestACallIsAboutTheExecutionThatItNames covers two clients that run the same code at
// once.
func TestACallIsAboutTheExecutionThatItNames(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	began := uitest.Start
	call := func(id uint64, execution string) catalog.Activity {
		return catalog.Activity{ID: id, Began: began, Tool: "execute_code", Status: "running", Args: json.RawMessage(`{"code": "plot()"}`), ExecutionID: execution}
	}
	for i, id := range []string{"a", "b"} {
		w.history.run(catalog.ExecutionStarted, catalog.Execution{
			ExecutionID: id, SessionID: "s", Code: "plot()", Status: catalog.StatusRunning, CreatedAt: began.Add(time.Duration(i) * time.Second),
		})
	}
	for i, id := range []string{"a", "b", "c"} {
		want := id
		if id == "c" {
			want = "" // not known yet, so it is neither of the others
		}
		if got := w.history.runOf(call(uint64(i+1), id)).ExecutionID; got != want {
			t.Errorf("the call of %q is about %q", id, got)
		}
	}
	refused := call(4, "")
	refused.Began, refused.Ended = began.Add(time.Millisecond), began.Add(2*time.Millisecond) // before b
	if got := w.history.runOf(refused).ExecutionID; got != "" {
		t.Errorf("a call that was refused is about %q, which ran later", got)
	}
	n := &state.Snapshot{Approvals: []catalog.Approval{{ExecutionID: "b", Code: "plot()", AskedAt: began.Add(time.Minute)}}}
	if awaits(n, call(1, "a")) || !awaits(n, call(2, "b")) || !awaits(n, call(3, "")) {
		t.Error("a question about one call's execution is another's, or nobody's")
	}
}

// TestACallThatWaitsForAProject is one that runs, of the client that the user is asked about.
func TestACallThatWaitsForAProject(t *testing.T) {
	n := &state.Snapshot{Approvals: []catalog.Approval{{Client: "claude 2.1", Project: &catalog.Project{Root: "/sales"}, AskedAt: uitest.Start}}}
	for name, c := range map[string]struct {
		call catalog.Activity
		want bool
	}{
		"it waits":         {catalog.Activity{Client: "claude 2.1"}, true},
		"it began later":   {catalog.Activity{Client: "claude 2.1", Began: uitest.Start.Add(time.Minute)}, true},
		"it was cancelled": {catalog.Activity{Client: "claude 2.1", Ended: uitest.Start.Add(time.Minute), Result: []byte("{}")}, false},
		"of another":       {catalog.Activity{Client: "codex 1"}, false},
		"it runs code":     {catalog.Activity{Client: "claude 2.1", ExecutionID: "x"}, false},
	} {
		if got := awaits(n, c.call); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTheListIsInTheWindowsLanguage checks the translation of errors, which tools
// report in English, and of requests that are not tools.
func TestTheListIsInTheWindowsLanguage(t *testing.T) {
	en, ja := i18n.New("en"), i18n.New("ja")
	failed := catalog.Activity{Tool: "execute_code", Status: "VALIDATION_ERROR", Detail: "Invalid parameters: session_id must not be empty."}
	if got := problem(en, failed); got != failed.Detail {
		t.Errorf("in English: %q", got)
	}
	for _, code := range tool.Codes {
		failed.Status = string(code.Code)
		if got := problem(ja, failed); got == failed.Detail || en.T("apierror."+strings.ToLower(failed.Status)) != code.Title {
			t.Errorf("%s has no words: %q", code.Code, got)
		}
	}
	failed.Status = catalog.StatusError
	if got := problem(ja, failed); got != failed.Detail {
		t.Errorf("the error of code is %q", got)
	}
	for _, name := range []string{"answer_approval"} {
		if toolName(ja, name) == name || toolName(en, name) == name {
			t.Errorf("%s is shown to the user", name)
		}
	}
	if toolName(ja, "execute_code") != "execute_code" {
		t.Error("a tool has not its own name")
	}
}
