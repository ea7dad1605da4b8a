package sidebar_test

import (
	"testing"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/sidebar"
)

func TestASessionKeepsItsNameWhenItEnds(t *testing.T) {
	live := state.Session{}
	live.SessionID, live.KernelID, live.NotebookPath, live.Server = "a1", "k1", "work/sales.ipynb", "lab"
	kept := library.Session{ID: "a1", KernelID: "k1", NotebookPath: "work/sales.ipynb", Server: "lab"}
	if got := sidebar.Names([]state.Session{live}, []library.Session{kept}); len(got) != 1 || got["a1"] != "sales.ipynb" {
		t.Errorf("while it lives, the names are %q", got)
	}
	kept.EndedAt = time.Now()
	other := library.Session{ID: "a2", KernelID: "k2", NotebookPath: "old/sales.ipynb", Server: "lab"} // nothing recorded its end
	if got := sidebar.Names(nil, []library.Session{kept}); got["a1"] != "sales.ipynb" {
		t.Errorf("after its end, the names are %q", got)
	}
	if got := sidebar.Names([]state.Session{live}, []library.Session{kept, other}); got["a1"] != "sales.ipynb" || got["a2"] != "old/sales.ipynb" {
		t.Errorf("beside one that has ended, the names are %q", got)
	}
}
