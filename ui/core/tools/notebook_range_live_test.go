package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestLiveRangesRunUpToTheFirstError(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "range.ipynb", "cells": [
		{"cell_type": "markdown", "source": "# Start"}, {"cell_type": "code", "source": "import os, time\nwhile os.path.exists('hold'): time.sleep(0.01)\nx = 1"}, {"cell_type": "code", "source": " "},
		{"cell_type": "code", "source": "x += 1; print('x' * 30000)"}, {"cell_type": "code", "source": "x"}, {"cell_type": "code", "source": "1/0"},
		{"cell_type": "code", "source": "never = 1"}]}`)
	part := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "range.ipynb", "index": 1, "through": 4}`)
	saved := part.Saved != nil && *part.Saved
	if diff := cmp.Diff([]any{true, "2", 4, 0, catalog.ViaFile, true}, []any{part.Success, part.Execution.Text, part.Index, part.Left, part.Via, saved}); diff != "" {
		t.Errorf("range %+v (-want +got):\n%s", part.Execution, diff)
	}
	if got := indexes(part.Ran); got != "1 ok, 3 ok, 4 ok" {
		t.Errorf("ran %s", got)
	}
	if len(part.Ran[0].Outputs) != 0 || len(part.Ran[2].Outputs) != 0 || part.Ran[0].Cut {
		t.Errorf("outputs of a cell without, and of the last one: %+v", part.Ran)
	}
	if o := part.Ran[1].Outputs; len(o) != 1 || o[0].Type != "stdout" || len(o[0].Text) > 21_000 || !strings.HasPrefix(o[0].Text, "xxx") || !part.Ran[1].Cut {
		t.Errorf("outputs of an earlier cell: %.200v, cut %v", o, part.Ran[1].Cut)
	}
	all := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "range.ipynb", "index": 0, "through": -1}`)
	if all.Success || all.Execution.Error.Type != "ZeroDivisionError" || all.Left != 1 || indexes(all.Ran) != "1 ok, 3 ok, 4 ok, 5 error" {
		t.Errorf("all %+v %+v", all, all.Execution)
	}
	if part.Reason != "" || all.Reason != "the last cell failed" {
		t.Errorf("reasons %q, %q", part.Reason, all.Reason)
	}
	b.refused(catalog.NotebookRunCell, `{"path": "range.ipynb", "index": 4, "through": 3}`, tool.Validation)
	b.refused(catalog.NotebookRunCell, `{"path": "range.ipynb", "index": 0, "through": 0}`, tool.NotExecutable)

	outline := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "range.ipynb", "view": "outline"}`)
	if len(outline.Cells) != 2 || outline.Cells[0].Source != "# Start" || outline.Cells[1].Outputs[0].Ename != "ZeroDivisionError" {
		t.Errorf("outline %+v", outline.Cells)
	}
	found := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "range.ipynb", "find": "X ="}`)
	if len(found.Cells) != 1 || found.Cells[0].Index != 1 {
		t.Errorf("found %+v", found.Cells)
	}
	none := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "range.ipynb", "find": "nowhere"}`)
	if len(none.Cells) != 0 || len(none.Notes) != 1 || !strings.Contains(none.Notes[0], `no cell contains "nowhere"`) {
		t.Errorf("found nothing: %+v", none)
	}

	// What cannot be done is said before anything is changed.
	id := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "range.ipynb", "start": 4, "limit": 1}`).Cells[0].CellID
	other := b.refusal(catalog.NotebookEditCell, fmt.Sprintf(`{"path": "range.ipynb", "cell_id": %q, "index": 3, "source": "y"}`, id), tool.CellNotFound)
	if want := fmt.Sprintf("the cell %q has the index 4, not 3", id); !strings.Contains(other.Detail, want) {
		t.Errorf("%q does not say %q", other.Detail, want)
	}
	e := b.refusal(catalog.NotebookEditCell, `{"path": "range.ipynb", "index": 0, "source": "# New", "run": true}`, tool.NotExecutable)
	head := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "range.ipynb", "limit": 1}`).Cells[0]
	if !strings.Contains(e.Detail, "its text was not changed") || head.Source != "# Start" {
		t.Errorf("%s; the text is %q", e.Detail, head.Source)
	}
	beyond := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "range.ipynb", "cell_type": "code", "source": "never = 2", "position": 99}`)
	if beyond.Index != 7 || !strings.Contains(beyond.Note, "position 99 is beyond the end") {
		t.Errorf("added %+v", beyond)
	}
	if atEnd := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "range.ipynb", "cell_type": "code", "source": "never = 3", "position": 8}`); atEnd.Index != 8 || atEnd.Note != "" {
		t.Errorf("added %+v", atEnd)
	}

	// A range goes on after the call has returned. Its first cell ends when the file is gone.
	b.write("hold", "")
	first := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "range.ipynb", "index": 1, "through": 4, "wait": 0}`)
	if first.Index != 1 || first.Left != 2 || first.Ran != nil {
		t.Errorf("returned at once: %+v", first)
	}
	require.NoError(t, os.Remove(filepath.Join(b.real.Root, "hold")))
	at, seen := first.Execution.ExecutionID, []string(nil)
	for next := regexp.MustCompile(`execution_id (\S+) follows (.+), at index (\d)\.$`); ; {
		x := must[catalog.Execution](b, catalog.GetExecution, fmt.Sprintf(`{"execution_id": %q, "wait": 50}`, at))
		m := next.FindStringSubmatch(x.Hint)
		if m == nil {
			if x.Status != catalog.StatusOK || x.Hint != "" || x.Text != "2" {
				t.Errorf("the last cell of the range: %+v", x)
			}
			break
		}
		at, seen = m[1], append(seen, m[3]+" "+m[2])
	}
	if got := strings.Join(seen, ", "); got != "3 the next cell (1 more after it), 4 the last cell" {
		t.Errorf("the range went on with %s", got)
	}
	failed := must[catalog.Execution](b, catalog.GetExecution, fmt.Sprintf(`{"execution_id": %q}`, all.Execution.ExecutionID))
	if want := "The range ended here: the last cell failed. Cells that were not run: 1."; failed.Hint != want {
		t.Errorf("hint %q, want %q", failed.Hint, want)
	}
	moved := must[catalog.CellChanged](b, catalog.NotebookMoveCell, `{"path": "range.ipynb", "index": 7, "to": 50}`)
	if moved.Index != 8 || moved.Note != "50 is beyond the end, so the cell was moved to the end" {
		t.Errorf("moved %+v", moved)
	}
	past := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "range.ipynb", "start": 9}`)
	if len(past.Cells) != 0 || len(past.Notes) != 1 || past.Notes[0] != "start is 9, but the notebook has 9 cells" {
		t.Errorf("read beyond the end: %+v", past)
	}
	b.valid("range.ipynb")
}

// TestLiveRangesSayWhyTheyEnd covers ranges that end early although no cell failed.
func TestLiveRangesSayWhyTheyEnd(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "ends.ipynb", "cells": [
		{"cell_type": "code", "source": "import os, time\nopen('begun', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)"},
		{"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": "y = 1"}]}`)
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"notebook_path": "ends.ipynb"}`)
	// during runs a range, and acts while its first cell runs, which ends when the file go exists.
	during := func(act func()) catalog.CellChanged {
		t.Helper()
		for _, f := range []string{"begun", "go"} {
			_ = os.Remove(filepath.Join(b.real.Root, f))
		}
		result := make(chan catalog.CellChanged, 1)
		go func() {
			defer close(result)
			out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "ends.ipynb", "index": 0, "through": -1}`)
			if err != nil {
				t.Error(err)
			}
			result <- out
		}()
		for {
			if _, err := os.Stat(filepath.Join(b.real.Root, "begun")); err == nil {
				break
			}
			select {
			case out := <-result:
				return out
			case <-time.After(10 * time.Millisecond):
			}
		}
		act()
		return <-result
	}
	check := func(got catalog.CellChanged, reason string) {
		t.Helper()
		if got.Left != 2 || !strings.Contains(got.Reason, reason) {
			t.Errorf("left %d, reason %q, want %q; execution %+v", got.Left, got.Reason, reason, got.Execution)
		}
	}
	interrupted := during(func() {
		must[catalog.SessionInterruptOut](b, catalog.SessionInterrupt, fmt.Sprintf(`{"session_id": %q}`, session.SessionID))
	})
	check(interrupted, "the last cell was interrupted")
	restarted := during(func() {
		must[catalog.SessionRestartOut](b, catalog.SessionRestart, fmt.Sprintf(`{"session_id": %q}`, session.SessionID))
	})
	check(restarted, "restarted")
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "raises.ipynb", "cells": [
		{"cell_type": "code", "source": "raise KeyboardInterrupt"},
		{"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": "y = 1"}]}`)
	check(must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "raises.ipynb", "index": 0, "through": -1}`),
		"the last cell ended with KeyboardInterrupt")
	var tab *jupyter.Kernel
	opened := during(func() {
		var err error
		if tab, err = b.client.Follow(b.context(), session.KernelID, jupyter.FollowOptions{}); err != nil {
			t.Fatal(err)
		}
		b.connected(session.KernelID, func(n int) bool { return n >= 2 })
		b.write("go", "")
	})
	check(opened, "is open in another program")
	if opened.Execution.Status != catalog.StatusOK {
		t.Errorf("execution %+v", opened.Execution)
	}
	if err := tab.Close(); err != nil {
		t.Error(err)
	}
}

func indexes(ran []catalog.RanCell) string {
	words := make([]string, len(ran))
	for i, c := range ran {
		words[i] = fmt.Sprintf("%d %s", c.Index, c.Status)
	}
	return strings.Join(words, ", ")
}

func TestLiveStaleEditsReturnTheNewSource(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "stale.ipynb", "cells": [{"cell_type": "code", "source": "a = 1"}, {"cell_type": "code", "source": "b = 2"}]}`)
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "stale.ipynb"}`)
	if read.Via != catalog.ViaFile {
		t.Errorf("via %q", read.Via)
	}
	b.write("stale.ipynb", strings.Replace(string(b.file("stale.ipynb")), "b = 2", "b = 22 # typed by the user", 1))
	edit := `{"path": "stale.ipynb", "cell_id": "` + read.Cells[1].CellID + `", "source": "b = 3"}`
	before := string(b.file("stale.ipynb"))
	e := b.refusal(catalog.NotebookEditCell, edit, tool.NotExecutable)
	if !strings.Contains(e.Detail, "b = 22 # typed by the user") {
		t.Errorf("the new source is not in %q", e.Detail)
	}
	if after := string(b.file("stale.ipynb")); after != before {
		t.Errorf("it was written:\n%s", after)
	}
	if again := must[catalog.CellChanged](b, catalog.NotebookEditCell, edit); again.Via != catalog.ViaFile {
		t.Errorf("again, after the new source was returned: %+v", again)
	}
	b.write("stale.ipynb", strings.Replace(string(b.file("stale.ipynb")), "a = 1", "a = 11", 1))
	e = b.refusal(catalog.NotebookRunCell, `{"path": "stale.ipynb", "index": 0}`, tool.NotExecutable)
	if !strings.Contains(e.Detail, "a = 11") {
		t.Errorf("running what the model does not know: %q", e.Detail)
	}
	changes := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "stale.ipynb", "view": "changes"}`)
	if len(changes.Cells) != 0 || len(changes.Notes) != 1 {
		t.Errorf("the error has already told the change: %+v", changes.Cells)
	}
	b.write("stale.ipynb", strings.Replace(string(b.file("stale.ipynb")), "a = 11", "a = 111", 1))
	changes = must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "stale.ipynb", "view": "changes"}`)
	if len(changes.Cells) != 1 || changes.Cells[0].Source != "a = 111" || changes.Total != 2 {
		t.Errorf("changes %+v", changes.Cells)
	}
}

func TestLiveLargeOutputsAreReadInPages(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "pages.ipynb", "cells": [{"cell_type": "code", "source": "print('日' * 100000)\n'end'"}]}`)
	must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "pages.ipynb", "index": 0}`)
	var text strings.Builder
	for offset, pages := 0, 0; ; pages++ {
		read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, fmt.Sprintf(`{"path": "pages.ipynb", "outputs": "full", "limit": 1, "offset": %d}`, offset))
		for _, o := range read.Cells[0].Outputs {
			text.WriteString(o.Text)
		}
		if read.Cells[0].Cut == nil {
			break
		}
		if offset = read.Cells[0].Cut.NextOffset; pages > 5 {
			t.Fatal("the pages do not end")
		}
	}
	if want := strings.Repeat("日", 100_000) + "\n'end'"; text.String() != want {
		t.Errorf("the pages have %d bytes, want %d", text.Len(), len(want))
	}
}
