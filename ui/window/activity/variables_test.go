package activity

import (
	"context"
	"slices"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestVariablesAreNarrowedSortedAndOpened(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	catalog.GetVariables.Handle(w.bus, func(context.Context, catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
		return catalog.GetVariablesOut{Variables: []catalog.Variable{
			{Name: "beta", Type: "int", Value: 3, MemoryBytes: 28},
			{Name: "Alpha", Type: "str", Value: "a\nb", MemoryBytes: 60},
			{Name: "frame", Type: "DataFrame", Size: "200 rows × 14 cols", MemoryBytes: 9000},
		}}, nil
	}, nil)
	w.dock.Open(1)
	tab := w.dock.tabs[1].(*variablesTab)
	names := func() (names []string) {
		for _, v := range tab.shown {
			names = append(names, v.Name)
		}
		return names
	}
	w.q.Until(t, "the variables", func() bool { return len(tab.shown) == 3 })
	for _, c := range []struct {
		column int
		want   string
	}{{4, "frame Alpha beta"}, {4, "beta Alpha frame"}, {3, "beta Alpha frame"}, {1, "frame beta Alpha"}, {0, "Alpha beta frame"}, {0, "frame beta Alpha"}} {
		tab.choose(c.column)
		if got := strings.Join(names(), " "); got != c.want {
			t.Errorf("by column %d: %s, want %s", c.column, got, c.want)
		}
	}
	tab.field.SetText("DATA")
	if got := names(); !slices.Equal(got, []string{"frame"}) {
		t.Fatalf("narrowed to %v", got)
	}
	tab.detail(0)
	if want := []string{uitest.SessionID(0) + " frame"}; !slices.Equal(w.opened, want) {
		t.Errorf("opened %v, want %v", w.opened, want)
	}
	tab.field.SetText("nowhere")
	if got := tab.empty.Text(); got != "No variables match the filter." {
		t.Errorf("without a match: %q", got)
	}
}

func TestTablesAreKnownByTheirTypes(t *testing.T) {
	for name, want := range map[string]bool{
		"data.frame": true, "tbl_df": true, "data.table": true, "numeric": true, "factor": true, "function": false, "environment": false,
		"DataFrame": true, "GeoDataFrame": true, "Series": true, "DatetimeIndex": true, "ndarray": true, "MaskedArray": true, "DataArray": true,
		"Dataset": true, "Table": true, "list": true, "dict": true, "int": false, "str": false, "Figure": false, "LazyFrame": false,
	} {
		if isTable(catalog.Variable{Type: name, Size: "3 items"}) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if isTable(catalog.Variable{Type: "numeric", Size: "1 item"}) {
		t.Error("a single number of R is a table")
	}
}

// A variablesQuestion is a request to a kernel. The test decides when it is answered.
type variablesQuestion struct {
	of     string
	answer chan variablesAnswer
}

type variablesAnswer struct {
	names []string
	err   error
}

// withVariables returns a window with the variables tab open. The test answers for the
// kernels.
func withVariables(t *testing.T, names ...string) (*world, *variablesTab, <-chan variablesQuestion) {
	t.Helper()
	w := newWorld(t, wide, galleryOf(t, 2), func(s *state.Snapshot) {
		busy(s)
		for i := range s.Sessions { // so that neither is preferred
			s.Sessions[i].Running, s.Sessions[i].Status = nil, "idle"
		}
	})
	asked := make(chan variablesQuestion, 64)
	catalog.GetVariables.Handle(w.bus, func(_ context.Context, in catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
		q := variablesQuestion{in.SessionID, make(chan variablesAnswer, 1)}
		asked <- q
		w.q.Do(func() {}) // wakes Until
		out, a := catalog.GetVariablesOut{}, variablesAnswer{}
		select { // end even if the test does not answer
		case a = <-q.answer:
		case <-t.Context().Done():
		}
		for _, n := range a.names {
			out.Variables = append(out.Variables, catalog.Variable{Name: n, Type: "DataFrame", Size: "1 row"})
		}
		return out, a.err
	}, nil)
	w.dock.Open(1)
	tab := w.dock.tabs[1].(*variablesTab)
	w.q.Until(t, "the session", func() bool { return tab.of.session == uitest.SessionID(0) })
	if len(names) > 0 {
		q := w.next(asked)
		q.answer <- variablesAnswer{names: names}
		w.q.Until(t, "the variables", func() bool { return len(tab.shown) == len(names) })
	}
	return w, tab, asked
}

// next waits for the next request to a kernel.
func (w *world) next(asked <-chan variablesQuestion) (q variablesQuestion) {
	w.t.Helper()
	w.q.Until(w.t, "a question to the kernel", func() bool {
		select {
		case q = <-asked:
			return true
		default:
			return false
		}
	})
	return q
}

// firstSession changes the session that is shown at the start.
func (w *world) firstSession(edit func(*state.Session)) {
	id := uitest.SessionID(0)
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = append([]state.Session{}, s.Sessions...)
		for k := range s.Sessions {
			if s.Sessions[k].SessionID == id {
				edit(&s.Sessions[k])
			}
		}
	})
}

func TestVariablesAreOfTheSessionInTheTopBar(t *testing.T) {
	w, tab, asked := withVariables(t, "of_first")
	w.pick("売上.ipynb")
	if len(tab.shown) != 0 || tab.empty.Text() != "Reading…" {
		t.Fatalf("right after the pick: %v, %q", tab.shown, tab.empty.Text())
	}
	var late []variablesQuestion
	late = append(late, w.next(asked))
	for _, name := range []string{"analysis", "売上.ipynb", "analysis", "売上.ipynb"} {
		w.pick(name)
		late = append(late, w.next(asked))
	}
	last := late[len(late)-1]
	if last.of != uitest.SessionID(1) {
		t.Fatalf("asked %s", last.of)
	}
	for i, q := range late[:len(late)-1] {
		q.answer <- variablesAnswer{names: []string{"late", "later", strings.Repeat("x", i+1)}}
	}
	last.answer <- variablesAnswer{names: []string{"of_second"}}
	w.q.Until(t, "the last one's", func() bool { return len(tab.shown) > 0 })
	w.q.Drain()
	if len(tab.shown) != 1 || tab.shown[0].Name != "of_second" || tab.of.session != uitest.SessionID(1) {
		t.Errorf("got %+v", tab.shown)
	}
	w.pick("analysis")
	w.next(asked).answer <- variablesAnswer{}
	w.q.Until(t, "none", func() bool { return tab.empty.Text() == "The session has no variables yet." })
}

// TestVariablesAreReadAgainAfterWhatRanMeanwhile checks that variables are read again
// if code has run while an answer was pending.
func TestVariablesAreReadAgainAfterWhatRanMeanwhile(t *testing.T) {
	w, tab, asked := withVariables(t)
	first := w.next(asked)
	w.history.run(catalog.ExecutionEnded, catalog.Execution{ExecutionID: "x", SessionID: uitest.SessionID(0), Status: catalog.StatusOK})
	w.history.changed()
	w.q.Drain()
	first.answer <- variablesAnswer{names: []string{"former"}}
	w.next(asked).answer <- variablesAnswer{names: []string{"now"}}
	w.q.Until(t, "the newer ones", func() bool { return len(tab.shown) == 1 && tab.shown[0].Name == "now" })
	select {
	case <-asked:
		t.Error("it was asked once too often")
	default:
	}
}

func TestVariablesGoWithTheirKernel(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*world)
		says string
		asks bool
	}{
		"restarted": {func(w *world) { w.firstSession(func(x *state.Session) { x.Generation++ }) }, "Reading…", true},
		"another kernel": {func(w *world) {
			w.firstSession(func(x *state.Session) { x.KernelID = "another" })
		}, "Reading…", true},
		"dead": {func(w *world) { w.firstSession(func(x *state.Session) { x.Status = "dead" }) }, "The kernel is dead. Its variables are lost.", false},
		"deleted": {func(w *world) {
			w.store.Update(func(s *state.Snapshot) { s.Sessions = s.Sessions[1:] })
		}, "Reading…", true},
		"all deleted": {func(w *world) { w.store.Update(func(s *state.Snapshot) { s.Sessions = nil }) }, "No session", false},
	} {
		t.Run(name, func(t *testing.T) {
			w, tab, asked := withVariables(t, "frame")
			c.edit(w)
			w.q.Until(t, "the rows to go", func() bool { return len(tab.shown) == 0 })
			if tab.empty.Text() != c.says {
				t.Errorf("it says %q", tab.empty.Text())
			}
			if c.asks {
				q := w.next(asked)
				q.answer <- variablesAnswer{names: []string{"new"}}
				w.q.Until(t, "what is there now", func() bool { return len(tab.shown) == 1 && tab.shown[0].Name == "new" })
			}
		})
	}
}

func TestVariablesSayWhyThereAreNone(t *testing.T) {
	for code, says := range map[tool.Code]string{
		tool.KernelBusy:     "The kernel is running code. Variables are updated when it is idle.",
		tool.Unsupported:    "Variables are only shown for Python kernels.",
		tool.KernelNotFound: "The session has ended.",
		tool.Timeout:        "The kernel did not respond. Variables are updated after the next run.",
	} {
		t.Run(string(code), func(t *testing.T) {
			w, tab, asked := withVariables(t)
			w.next(asked).answer <- variablesAnswer{err: tool.Errorf(code, "words for assistants")}
			w.q.Until(t, "the reason", func() bool { return tab.empty.Text() == says })
			w.firstSession(func(x *state.Session) { x.Status = "busy" })
			w.next(asked).answer <- variablesAnswer{names: []string{"x"}}
			w.q.Until(t, "the variables after all", func() bool { return len(tab.shown) == 1 && tab.empty.Text() == "" })
		})
	}
}
