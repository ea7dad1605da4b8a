package activity

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// callOf returns a call of a tool that began n seconds after the start and took one.
func callOf(n int, name, args, result string) catalog.Activity {
	began := uitest.Start.Add(time.Duration(n) * time.Second)
	return catalog.Activity{
		ID: uint64(n), Began: began, Ended: began.Add(time.Second), Transport: "mcp", Client: "Cursor 1.9", Tool: name, Status: "ok",
		Args: json.RawMessage(args), Result: json.RawMessage(result),
	}
}

// aWeek puts what two assistants did into a window's list: runs that drew, failed and printed, and the polls of a
// long one.
func aWeek(t *testing.T, edit func(*state.Snapshot)) (*world, *callsTab) {
	t.Helper()
	w := newWorld(t, allColumns, galleryOf(t, 1), func(s *state.Snapshot) {
		busy(s)
		if edit != nil {
			edit(s)
		}
	})
	a, b := uitest.SessionID(0), uitest.SessionID(1)
	run := func(n int, session, id, code string, x catalog.Execution) {
		raw, err := json.Marshal(map[string]string{"session_id": session, "code": code})
		require.NoError(t, err)
		c := callOf(n, "execute_code", string(raw), `{"execution_id": "`+id+`", "session_id": "`+session+`"}`)
		w.history.call(c)
		x.ExecutionID, x.SessionID, x.Code, x.CreatedAt = id, session, code, c.Began
		w.history.run(catalog.ExecutionEnded, x)
	}
	w.history.call(callOf(1, "session_create", `{"title": "Churn study"}`, `{"session_id": "`+a+`"}`))
	loop := "for j in range(25):\n    plot(j)"
	run(2, a, "e1", loop, catalog.Execution{Status: catalog.StatusOK, ExecutionTimeMS: 83_000, Images: []catalog.Image{{Title: "Revenue by region"}}})
	run(3, b, "e2", loop, catalog.Execution{Status: catalog.StatusOK, Images: []catalog.Image{{Title: "上"}, {Title: "下"}, {Title: "上"}}})
	run(4, a, "e3", loop, catalog.Execution{Status: catalog.StatusOK, Images: make([]catalog.Image, 2)})
	run(5, a, "e4", loop, catalog.Execution{
		Status: catalog.StatusError, Images: make([]catalog.Image, 1),
		Error: &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "KeyError", Message: "'月'\nmore", Traceback: "…"},
	})
	run(6, b, "e5", "# Clean the survey\nimport pandas as pd\n"+loop, catalog.Execution{Status: catalog.StatusOK})
	for i := range 3 {
		w.history.call(callOf(7+i, "get_execution", `{"execution_id": "e1", "wait": 30}`, `{"execution_id": "e1", "session_id": "`+a+`"}`))
	}
	w.history.call(callOf(10, "get_execution", `{"execution_id": "before"}`, `{}`))
	w.history.call(callOf(11, "get_execution", `{"execution_id": "before"}`, `{}`))
	tab := w.dock.tabs[0].(*callsTab)
	w.render()
	return w, tab
}

// allColumns is a dock at which all columns are shown.
var allColumns = fyne.NewSize(1064, 260)

func TestARowSaysWhatARunDidAndInWhichSession(t *testing.T) {
	w, tab := aWeek(t, nil)
	var got [][]string
	for i := range tab.shown {
		cells := tab.fill(i)
		got = append(got, []string{cells[2].Text, cells[3].Text, cells[4].Text, cells[6].Text})
	}
	want := [][]string{
		{"", "get_execution +1", "", "1.0 s"},
		{"売上.ipynb", "execute_code", "Clean the survey", "1.0 s"},
		{"analysis", "execute_code", "KeyError: '月'", "1.0 s"},
		{"analysis", "execute_code", "2 plots", "1.0 s"},
		{"売上.ipynb", "execute_code", "3 plots: 上, 下", "1.0 s"},
		{"analysis", "execute_code +3", "Revenue by region", "1:23"},
		{"analysis", "session_create", "Churn study", "1.0 s"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if cell := tab.fill(2)[4]; cell.Ink != w.k.P.Bad || tab.fill(2)[1].Mark != kit.MarkBad {
		t.Error("the run that failed looks like the others")
	}
	uitest.Golden(t, "activity_runs", w.win.Canvas())

	w.win.Resize(wide) // without a column of tools
	got = nil
	for i := range tab.shown {
		got = append(got, []string{tab.fill(i)[4].Text})
	}
	want = [][]string{
		{"get_execution +1"},
		{"Clean the survey"},
		{"KeyError: '月'"},
		{"2 plots"},
		{"3 plots: 上, 下"},
		{"Revenue by region +3"},
		{"session_create  Churn study"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in a narrow list: got\n%q\nwant\n%q", got, want)
	}
}

func TestTheListOfRunsInJapaneseAndDark(t *testing.T) {
	w, _ := aWeek(t, func(s *state.Snapshot) { s.Settings.Language, s.Settings.Theme = "ja", "dark" })
	uitest.Golden(t, "activity_runs_ja_dark", w.win.Canvas())
}

// TestTheListIsFilteredBySession checks the menu, and that a dock that replaces this one keeps the filter.
func TestTheListIsFilteredBySession(t *testing.T) {
	w, tab := aWeek(t, nil)
	items := tab.filter.items(bySession)
	var labels []string
	for _, m := range items {
		labels = append(labels, m.Label)
	}
	if want := []string{"All sessions", "", "analysis", "売上.ipynb"}; !slices.Equal(labels, want) {
		t.Fatalf("the menu has %q, want %q", labels, want)
	}
	items[3].Action()
	if got := ids(tab.shown); !slices.Equal(got, []uint64{6, 3}) {
		t.Errorf("it shows %v", got)
	}
	if got := tab.filter.by[bySession].Text(); got != "売上.ipynb" {
		t.Errorf("the button says %q", got)
	}
	again := New(w.k, w.history, w.lib, w.dock.port)
	defer again.Close()
	tab = again.tabs[0].(*callsTab)
	again.Render(w.store.Snapshot())
	if got := ids(tab.shown); !slices.Equal(got, []uint64{6, 3}) {
		t.Errorf("in another language it shows %v", got)
	}
	test.Tap(tab.filter.clear)
	if len(tab.shown) != 7 {
		t.Errorf("without the filter it shows %v", ids(tab.shown))
	}
}

// TestALogOfEntriesHasAllCalls checks that polls are saved, too.
func TestALogOfEntriesHasAllCalls(t *testing.T) {
	w, tab := aWeek(t, nil)
	w.saveAs = t.TempDir()
	test.Tap(tab.filter.save)
	w.choose("Save the listed calls (JSON Lines)…")
	w.hasSaid("Saved")
	lines := 0
	for _, r := range readLog(t, w.saveAs) {
		if r == '\n' {
			lines++
		}
	}
	if lines != 11 {
		t.Errorf("the log has %d calls, want 11", lines)
	}
}

// TestAFailureOutOfSightLeavesASign until the user has looked, at the list or at its session's console.
func TestAFailureOutOfSightLeavesASign(t *testing.T) {
	w, tab := aWeek(t, nil)
	fails := func(n int, status string) {
		id := fmt.Sprint("f", n)
		c := callOf(20+n, "execute_code", `{"code": "1/0"}`, `{"execution_id": "`+id+`"}`)
		w.history.call(c)
		w.history.run(catalog.ExecutionEnded, catalog.Execution{ExecutionID: id, SessionID: uitest.SessionID(0), Status: status, CreatedAt: c.Began})
		w.render()
	}
	if fails(0, catalog.StatusError); w.dock.Failures() != 0 {
		t.Error("the list is in sight")
	}
	w.dock.Object().Hide()
	for n, status := range []string{catalog.StatusError, catalog.StatusOK, catalog.StatusInterrupted, catalog.StatusKernelDied} {
		fails(1+n, status)
	}
	if got := w.dock.Failures(); got != 2 {
		t.Errorf("%d failures, want 2", got)
	}
	w.dock.Object().Show()
	tab.filter.items(byClient)[0].Action()
	tab.filter.chosen.by[byTool] = "session_create" // hides them
	tab.rows.ScrollToBottom()
	w.dock.OpenFailures()
	if w.dock.Failures() != 0 || tab.filter.on() {
		t.Errorf("%d failures after the user looked, filtered: %v", w.dock.Failures(), tab.filter.on())
	}
	var marked []uint64
	for i, e := range tab.shown {
		if tab.fill(i)[1].Bar != nil {
			marked = append(marked, e.ID)
		}
	}
	if !slices.Equal(marked, []uint64{24, 21}) {
		t.Errorf("marked are %v", marked)
	}
	uitest.Golden(t, "activity_marked", w.win.Canvas())
	w.dock.Open(1)
	fails(5, catalog.StatusError)
	if w.dock.Failures() != 1 {
		t.Error("the variables say nothing of a failure")
	}
	w.pick("analysis")
	w.dock.Open(2)
	if w.dock.Failures() != 0 {
		t.Error("its session's console shows a failure")
	}
}

// The names of what was hidden from the model are in the row, also of later results about a run; the sheet counts.
func TestARowSaysWhatWasMasked(t *testing.T) {
	w := newWorld(t, allColumns, galleryOf(t, 1), busy)
	c := callOf(1, "execute_code", `{"code": "plot()"}`, `{"execution_id": "e1"}`)
	c.ExecutionID, c.Masked = "e1", map[string]int{"GitHub token": 1}
	w.history.call(c)
	poll := callOf(2, "get_execution", `{"execution_id": "e1"}`, `{"execution_id": "e1"}`)
	poll.ExecutionID, poll.Masked = "e1", map[string]int{"GitHub token": 1, "DB_PASSWORD": 1}
	w.history.call(poll)
	w.history.call(callOf(3, "session_list", `{}`, `{}`))
	tab := w.dock.tabs[0].(*callsTab)
	w.render()
	if got := tab.fill(1)[4].Text; got != "masked: DB_PASSWORD, GitHub token  plot()" {
		t.Errorf("the row: %s", got)
	}
	if got := tab.fill(0)[4].Text; strings.Contains(got, "masked") {
		t.Errorf("the row of another call: %s", got)
	}
	tab.detail(1)
	if _, is := seek(w, func(x *canvas.Text) bool { return x.Text == "DB_PASSWORD (1), GitHub token (2)" }); !is {
		t.Errorf("the sheet has %q", uitest.Texts(w.win.Canvas()))
	}
}
