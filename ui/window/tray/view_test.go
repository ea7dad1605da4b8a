package tray

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

func sessionThat(status string, edit ...func(*state.Session)) state.Session {
	s := state.Session{Session: catalog.Session{SessionID: status, Status: status}}
	for _, f := range edit {
		f(&s)
	}
	return s
}

func executing(s *state.Session) {
	s.Running = &state.RunningCode{ExecutionID: "x", Since: time.Unix(0, 0)}
}

func dying(s *state.Session) { s.Died = "of a signal" }

func jupyter(is string) state.Server {
	return state.Server{ServerHealth: catalog.ServerHealth{State: is}}
}

func TestMood(t *testing.T) {
	for name, c := range map[string]struct {
		s    state.Snapshot
		mood mood
		line string
	}{
		"nothing yet":              {state.Snapshot{}, idle, "No kernel yet"},
		"the environment is made":  {state.Snapshot{Servers: []state.Server{jupyter("installing")}}, idle, "Jupyter: being installed"},
		"a server without kernels": {state.Snapshot{Servers: []state.Server{jupyter("ready")}}, idle, "No kernel yet"},
		"an idle kernel":           {state.Snapshot{Sessions: []state.Session{sessionThat("idle")}}, idle, "1 kernel, 0 busy"},
		"code runs":                {state.Snapshot{Sessions: []state.Session{sessionThat("idle"), sessionThat("busy", executing)}}, running, "2 kernels, 1 busy"},
		"busy with nobody's code":  {state.Snapshot{Sessions: []state.Session{sessionThat("busy")}}, running, "1 kernel, 1 busy"},
		"a dead kernel among live ones": {
			state.Snapshot{Sessions: []state.Session{sessionThat("busy", executing), sessionThat("dead", dying)}}, needsYou, "1 kernel died",
		},
		"the server is down, and its kernels with it": {
			state.Snapshot{Servers: []state.Server{jupyter("failed")}, Sessions: []state.Session{sessionThat("dead", dying)}},
			failing, "Jupyter: did not start",
		},
		"a question before all else": {
			state.Snapshot{Servers: []state.Server{jupyter("unreachable")}, Approvals: make([]catalog.Approval, 2)}, needsYou, "2 approval requests",
		},
		"paused": {state.Snapshot{Paused: true}, idle, "No kernel yet · AI paused"},
	} {
		v := viewOf(&c.s, i18n.New("en"), view{})
		if v.mood != c.mood || v.rows[rowStatus].label != c.line {
			t.Errorf("%s: got %d, %q; want %d, %q", name, v.mood, v.rows[rowStatus].label, c.mood, c.line)
		}
	}
}

func TestEveryRowStandsInTheMenuOnce(t *testing.T) {
	var seen [rows]int
	for _, g := range groups {
		for _, id := range g {
			seen[id]++
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("row %d is there %d times", id, n)
		}
	}
	if last := groups[len(groups)-1]; last[len(last)-1] != rowQuit {
		t.Error("Quit is not the last row")
	}
}

// TestSameLookIsTheSameView checks that a change that the tray does not show causes no
// message to the desktop.
func TestSameLookIsTheSameView(t *testing.T) {
	tr := i18n.New("ja")
	a := state.Snapshot{URL: "http://127.0.0.1:5149", Newest: "a", Sessions: []state.Session{sessionThat("busy", executing)}}
	b := a
	b.Newest, b.Unseen = "b", 3
	if diff := cmp.Diff(viewOf(&a, tr, view{}), viewOf(&b, tr, view{}), cmp.AllowUnexported(view{}, row{})); diff != "" {
		t.Errorf("(-a +b):\n%s", diff)
	}
}
