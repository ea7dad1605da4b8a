package activity

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestTheConsoleShowsWhatRanAndPrinted(t *testing.T) {
	w := newWorld(t, wide, galleryOf(2), func(s *state.Snapshot) {
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
	} {
		x.SessionID = uitest.SessionID(0)
		w.history.run(catalog.ExecutionEnded, x)
	}
	w.dock.Open(2)
	tab := w.dock.tabs[2].(*consoleTab)
	w.q.Until(t, "the lines", func() bool { return len(tab.lines) > 0 })
	var got []string
	for _, l := range tab.lines {
		got = append(got, l.mark+"|"+l.text)
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
|キャンセル: It did not run: the user said no.
|`
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
	uitest.Golden(t, "console_ja", w.win.Canvas())
}
