package activity

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestTheConsoleShowsWhatRanAndPrinted(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 2), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Language = "ja"
	})
	for _, x := range []catalog.Execution{
		{
			ExecutionID: "e1", Status: catalog.StatusOK, ExecutionCount: 1, Code: "for n in fit(気温):\n\tprint(n)",
			Stdout: "10 %\r55 %\r100 %\n気温の学習が終わりました\n", Stderr: "warning: few samples\n", Images: make([]catalog.Image, 2),
		},
		{ExecutionID: "e2", Status: catalog.StatusOK, ExecutionCount: 2, Code: "6 * 7", Text: "42"},
		{
			ExecutionID: "e3", Status: catalog.StatusError, ExecutionCount: 3, Code: "1 / 0",
			Error: &catalog.ExecutionError{Type: "ZeroDivisionError", Message: "division by zero", Traceback: "Traceback (most recent call last)\nZeroDivisionError: division by zero"},
		},
		{
			ExecutionID: "e4", Status: catalog.StatusCancelled, Code: "import shutil",
			Error: &catalog.ExecutionError{Code: catalog.CodeCancelled, Message: "It did not run: the user said no."},
		},
		{
			ExecutionID: "e5", Status: catalog.StatusError, ExecutionCount: 5, Code: "show(都市)",
			Stdout: "before\nafter\n", Text: "3", Images: make([]catalog.Image, 2),
			Outputs: []catalog.Output{
				{Type: "stdout", Text: "before\n"},
				{Type: "image", ImageID: "i1"},
				{Type: "image", ImageID: "i2"},
				{Type: "display", MIMEType: "text/plain", Text: "    都市\n0  札幌"},
				{Type: "stderr", Text: "\x1b[33m 10 %\r100 %\x1b[0m\n"},
				{Type: "stdout", Text: "after\n"},
				{Type: "result", Text: "3"},
				{Type: "error", Text: "KeyError: '東京'"},
			},
			Error: &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "KeyError", Message: "'東京'", Traceback: "Traceback …\nKeyError: '東京'"},
		},
	} {
		x.SessionID = uitest.SessionID(0)
		w.history.run(catalog.ExecutionEnded, x)
	}
	w.dock.Open(2)
	tab := w.dock.tabs[2].(*consoleTab)
	w.q.Until(t, "the lines", func() bool { return len(tab.print.Lines()) > 0 })
	var got []string
	for _, l := range tab.print.Lines() {
		got = append(got, l.Mark+"|"+l.Text)
	}
	want := `In [1]|for n in fit(気温):
|    print(n)
|100 %
|気温の学習が終わりました
|warning: few samples
|` + w.k.Tr.N("console.images", 2) + `
|
In [2]|6 * 7
Out|42
|
In [3]|1 / 0
|Traceback (most recent call last)
|ZeroDivisionError: division by zero
|
In [ ]|import shutil
|キャンセル：It did not run: the user said no.
|
In [5]|show(都市)
|before
|` + w.k.Tr.N("console.images", 2) + `
|    都市
|0  札幌
|100 %
|after
Out|3
|Traceback …
|KeyError: '東京'
|`
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
	uitest.Golden(t, "console_ja", w.win.Canvas())
}

// TestTheConsolesEndStaysVisible: a question takes room from the dock, and then more is printed.
func TestTheConsolesEndStaysVisible(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	x := catalog.Execution{ExecutionID: "e1", SessionID: uitest.SessionID(0), Status: catalog.StatusRunning, Code: "fit()"}
	tab := w.dock.tabs[2].(*consoleTab)
	prints := func(n int) {
		t.Helper()
		x.Stdout = strings.Repeat("a line\n", n)
		w.history.run(catalog.ExecutionOutput, x)
		w.q.Until(t, "the lines", func() bool { w.render(); return len(tab.print.Lines()) == n+2 })
	}
	w.dock.Open(2)
	prints(50)
	if !tab.print.AtBottom() {
		t.Fatal("the console does not show its end")
	}
	w.win.Resize(fyne.NewSize(wide.Width, wide.Height/2))
	if !tab.print.AtBottom() {
		t.Error("a smaller console does not show its end")
	}
	prints(60)
	if !tab.print.AtBottom() {
		t.Error("it does not show what was printed then")
	}
	tab.print.ScrollToTop()
	w.win.Resize(wide)
	if tab.print.AtBottom() {
		t.Error("the user had scrolled to the beginning")
	}
}

// An empty console was blank until a session began.
func TestTheConsoleWithoutASessionSaysWhatItShows(t *testing.T) {
	w := newWorld(t, wide, uitest.NewLibrary(t), func(*state.Snapshot) {})
	w.dock.Open(2)
	w.render()
	if got, want := w.dock.tabs[2].(*consoleTab).empty.Text(), w.k.T("console.none"); got != want {
		t.Errorf("the console shows %q, want %q", got, want)
	}
}
