package activity

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// theCalls returns five calls of two clients, newest first.
func theCalls() []catalog.Activity {
	at := func(i int) time.Time { return uitest.Start.Add(time.Duration(i) * time.Second) }
	return []catalog.Activity{
		{ID: 5, Began: at(5), Transport: "mcp", Client: "claude-code 2.1.0", Tool: "execute_code", Status: "running", Args: json.RawMessage(`{"code": "fit()"}`)},
		{ID: 4, Began: at(4), Transport: "mcp", Client: "Cursor 1.9", Tool: "execute_code", Status: "running", Args: json.RawMessage(`{"code": "remove()"}`)},
		{ID: 3, Began: at(3), Ended: at(4), Transport: "mcp", Client: "Cursor 1.9", Tool: "set_rating", Status: "NOT_FOUND", Detail: "No such plot at http://h/?token=s3cr3t&x=1 0123456789abcdef"},
		{ID: 2, Began: at(2), Ended: at(2).Add(1500 * time.Microsecond), Transport: "mcp", Client: "claude-code 2.1.0", Tool: "list_images", Status: "ok", Images: []string{"jupyter://sessions/s/images/a.png"}},
		{ID: 1, Began: at(1), Ended: at(2), Transport: "rest", Client: "claude-code 2.1.0", Tool: "execute_code", Status: "failed", Args: json.RawMessage(`{"code": "1/0", "note": "0123456789abcdef"}`)},
	}
}

// withCalls returns a window whose dock shows these calls. One of them waits for
// approval.
func withCalls(t *testing.T, size fyne.Size, edits ...func(*state.Snapshot)) (*world, *callsTab) {
	t.Helper()
	w := newWorld(t, size, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Approvals = []catalog.Approval{{
			ApprovalID: "q", ExecutionID: "e", SessionID: uitest.SessionID(1), Client: "Cursor 1.9", Holder: "process", Code: "remove()",
			AskedAt: uitest.Start.Add(4*time.Second + time.Millisecond), Deadline: uitest.Start.Add(3 * time.Hour),
		}}
		for _, e := range edits {
			e(s)
		}
	})
	for _, c := range slices.Backward(theCalls()) {
		w.history.call(c)
	}
	tab := w.dock.tabs[0].(*callsTab)
	tab.render(w.store.Snapshot(), true)
	return w, tab
}

func ids(list []entry) (ids []uint64) {
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestTheLogIsNarrowedByStatusClientAndTool(t *testing.T) {
	_, tab := withCalls(t, wide)
	choose := func(i int, text string) {
		t.Helper()
		for _, m := range tab.filter.items(i) {
			if m.Label == text {
				m.Action()
				return
			}
		}
		t.Fatalf("menu %d has no %q", i, text)
	}
	for _, c := range []struct {
		menu int
		item string
		want []uint64
	}{
		{0, "running", []uint64{5}},
		{0, "needs approval", []uint64{4}},
		{0, "done", []uint64{2}},
		{0, "failed", []uint64{3, 1}},
		{byClient, "claude-code 2.1.0", []uint64{1}}, // and failed
		{byTool, "set_rating", nil},                  // and by the other client
		{byClient, "All", []uint64{3}},
		{0, "All", []uint64{3}},
		{byTool, "execute_code", []uint64{5, 4, 1}},
	} {
		choose(c.menu, c.item)
		if got := ids(tab.shown); !slices.Equal(got, c.want) {
			t.Errorf("after %s it shows %v, want %v", c.item, got, c.want)
		}
	}
	tab.field.SetText("remove")
	if got := ids(tab.shown); !slices.Equal(got, []uint64{4}) {
		t.Errorf("with a text too it shows %v", got)
	}
	tab.field.SetText("")
	test.Tap(tab.filter.clear)
	if len(tab.shown) != 5 || tab.filter.clear.Visible() {
		t.Errorf("after the button that clears it shows %v", ids(tab.shown))
	}
}

func TestTheLogsChoicesFitWhereThereIsLittleRoom(t *testing.T) {
	japanese := func(s *state.Snapshot) { s.Settings.Language = "ja" }
	dark := func(s *state.Snapshot) { s.Settings.Theme = "dark" }
	none := func(s *state.Snapshot) { s.Approvals = nil }
	for name, c := range map[string]struct {
		size  fyne.Size
		edits []func(*state.Snapshot)
		apart bool
	}{
		"activity_filtered":           {fyne.NewSize(820, 190), []func(*state.Snapshot){none}, true},
		"activity_filtered_ja_narrow": {narrowed, []func(*state.Snapshot){none, japanese, dark}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, tab := withCalls(t, c.size, c.edits...)
			tab.filter.chosen.by[byStatus], tab.filter.chosen.by[byClient] = callFailed, "Cursor 1.9"
			w.store.Update(func(s *state.Snapshot) { s.FollowLatest = false })
			w.q.Drain()
			tab.update()
			if apart := tab.filter.by[byClient].Visible(); apart != c.apart || tab.filter.one.Visible() == apart {
				t.Errorf("the choices stand apart: %v", apart)
			}
			last := float32(0)
			for _, o := range tab.filter.root.Objects {
				if !o.Visible() {
					continue
				}
				if o.Position().X < last || o.Position().X+o.Size().Width > tab.filter.root.Size().Width+0.5 {
					t.Errorf("%T stands at %v, %v wide", o, o.Position(), o.Size())
				}
				last = o.Position().X + o.Size().Width
			}
			uitest.Golden(t, name, w.win.Canvas())
		})
	}
}

func TestTheLogIsSaved(t *testing.T) {
	w, tab := withCalls(t, wide)
	w.saveAs = t.TempDir()
	tab.field.SetText("o") // all but none
	tab.update()
	test.Tap(tab.filter.save)
	w.choose("Save the listed calls (JSON Lines)…")
	name := "easel-activity-" + w.k.Now().Local().Format("20060102-1504") + ".jsonl"
	w.hasSaid("Saved " + name)
	raw := readLog(t, w.saveAs) // and there is no other file
	var got []loggedCall
	for line := range strings.Lines(raw) {
		var l loggedCall
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, l)
	}
	if len(got) != 5 || got[0].Status != "failed" || got[4].Status != "running" || got[4].Duration != nil {
		t.Fatalf("the log: %s", raw)
	}
	ok := got[1]
	if ok.Tool != "list_images" || ok.Client != "claude-code 2.1.0" || !ok.Time.Equal(uitest.Start.Add(2*time.Second)) || *ok.Duration != 1.5 || !slices.Equal(ok.Images, theCalls()[3].Images) {
		t.Errorf("a call: %+v", ok)
	}
	if got[2].Error != "No such plot at http://h/?token=…&x=1 …" {
		t.Errorf("an error: %q", got[2].Error)
	}
	for _, secret := range []string{"0123456789abcdef", "s3cr3t"} {
		if strings.Contains(raw, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestAnEndedSessionKeepsItsName checks the rows and the filter.
func TestAnEndedSessionKeepsItsName(t *testing.T) {
	w, tab := withCalls(t, wide)
	w.ended[uitest.SessionID(7)] = "churn study"
	w.history.call(catalog.Activity{
		ID: 6, Began: uitest.Start.Add(6 * time.Second), Ended: uitest.Start.Add(7 * time.Second), Transport: "mcp", Client: "Cursor 1.9",
		Tool: "session_delete", Status: "ok", Args: json.RawMessage(`{"session_id": "` + uitest.SessionID(7) + `"}`),
	})
	w.history.changed()
	what := func() string { return tab.fill(0)[2].Text }
	w.q.Until(t, "the session's name", func() bool { return len(tab.shown) == 6 && what() == "churn study" })
	tab.field.SetText("churn")
	if got := ids(tab.shown); !slices.Equal(got, []uint64{6}) {
		t.Errorf("filtered by the name: %v", got)
	}
	tab.field.SetText("")

	// A session that was joined by its kernel is named, too.
	w.history.call(catalog.Activity{
		ID: 7, Began: uitest.Start.Add(7 * time.Second), Ended: uitest.Start.Add(8 * time.Second), Transport: "mcp", Client: "Cursor 1.9",
		Tool: "session_connect", Status: "ok", Args: json.RawMessage(`{"kernel_id": "k"}`),
		Result: json.RawMessage(`{"success": true, "session_id": "` + uitest.SessionID(7) + `"}`),
	})
	w.history.changed()
	w.q.Until(t, "the joined session's name", func() bool { return len(tab.shown) == 7 && what() == "churn study" })
}
