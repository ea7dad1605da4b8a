package tools_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

// TestLiveACellThatNeedsThoseAboveItSaysSo follows the hint for a cell that fails because the cells above
// it have not run, and checks that the cell then works.
func TestLiveACellThatNeedsThoseAboveItSaysSo(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "above.ipynb", "cells": [
		{"cell_type": "code", "source": "x = 1"}, {"cell_type": "markdown", "source": "# y"},
		{"cell_type": "code", "source": "y = x + 1"}, {"cell_type": "code", "source": ""},
		{"cell_type": "code", "source": "z = y + 1"}, {"cell_type": "code", "source": "later"},
		{"cell_type": "code", "source": "below = 1"}]}`)
	fails := func(source, hint string) string {
		t.Helper()
		out := must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "above.ipynb", "index": 5, "source": "`+source+`", "run": true}`)
		if out.Execution == nil || out.Execution.Error == nil || out.Execution.Error.Type == "" {
			t.Fatalf("%s: %+v", source, out.Execution)
		}
		if !strings.Contains(out.Execution.Hint, hint) || hint == "" && out.Execution.Hint != "" {
			t.Errorf("%s: the hint is %q, want %q", source, out.Execution.Hint, hint)
		}
		return out.Execution.Hint
	}
	fails("1/0", "") // not a NameError
	hint := fails("z * 10", "index 0, 2 and 4: call "+catalog.NotebookRunCell.Spec().Name+" for each")
	indexes, _, _ := strings.Cut(hint, ":")
	for _, i := range append(regexp.MustCompile(`\d+`).FindAllString(indexes, -1), "5") {
		out := must[catalog.CellChanged](b, catalog.NotebookRunCell, fmt.Sprintf(`{"path": "above.ipynb", "index": %s}`, i))
		if !out.Success || i == "5" && out.Execution.Text != "30" {
			t.Errorf("cell %s: %+v", i, out.Execution)
		}
	}
	fails("nowhere", "") // the cells above have all run

	restarted := must[catalog.SessionConnectOut](b, catalog.SessionConnect, `{"notebook_path": "above.ipynb"}`)
	must[catalog.SessionRestartOut](b, catalog.SessionRestart, `{"session_id": "`+restarted.SessionID+`"}`)
	must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "above.ipynb", "index": 0}`)
	fails("z", "index 2 and 4:")
}
