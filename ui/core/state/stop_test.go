package state_test

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

func session(id, status string, edit ...func(*state.Session)) state.Session {
	x := state.Session{Session: catalog.Session{SessionID: id, KernelName: "python3", Status: status}}
	if status == "busy" {
		x.Running = &state.RunningCode{ExecutionID: "x" + id}
	}
	for _, f := range edit {
		f(&x)
	}
	return x
}

func theirs(x *state.Session)  { x.Running = &state.RunningCode{Theirs: true} }
func unknown(x *state.Session) { x.Running = nil }
func died(x *state.Session)    { x.Died = "killed" }

// TestWhatAnInterruptActsOn checks that an interrupt acts on the session that runs, and asks
// the user before it acts on a session other than the picked one.
func TestWhatAnInterruptActsOn(t *testing.T) {
	idle := func(id string) state.Session { return session(id, "idle") }
	busy := func(id string, edit ...func(*state.Session)) state.Session { return session(id, "busy", edit...) }
	for name, c := range map[string]struct {
		picked   string // the picked session, then a slash and the session whose folder is open
		sessions []state.Session
		among    string
		sure     bool
		shown    string // the result of Shown("a")
	}{
		"no session":                        {"", nil, "", false, ""},
		"nothing runs":                      {"", []state.Session{idle("b"), idle("a")}, "", false, "a"},
		"one runs, another was shown":       {"", []state.Session{busy("b"), idle("a")}, "b", true, "b"},
		"several run":                       {"", []state.Session{busy("b"), busy("a"), idle("c")}, "ba", false, "a"},
		"the picked one among several":      {"a", []state.Session{busy("b"), busy("a")}, "a", true, "a"},
		"the picked one is idle, one runs":  {"a", []state.Session{busy("b"), idle("a")}, "b", false, "a"},
		"the picked one is idle, two run":   {"a", []state.Session{busy("b"), idle("a"), busy("c")}, "bc", false, "a"},
		"the picked one is idle, none runs": {"b", []state.Session{idle("b"), idle("a")}, "", false, "b"},
		"the picked one is gone":            {"z", []state.Session{busy("b"), idle("a")}, "b", true, "b"},
		"the picked one has died":           {"a", []state.Session{busy("b"), session("a", "dead", died)}, "b", true, "a"},
		"somebody else's code alone":        {"", []state.Session{busy("b", theirs)}, "b", false, "b"},
		"somebody else's, picked":           {"b", []state.Session{busy("b", theirs)}, "b", true, "b"},
		"busy with what nobody told of":     {"", []state.Session{busy("b", unknown)}, "b", true, "b"},
		"the folder's is idle, one runs":    {"/c", []state.Session{busy("b"), idle("c"), idle("a")}, "b", true, "c"},
		"the folder's is the one that runs": {"/b", []state.Session{busy("b"), idle("a")}, "b", true, "b"},
		"the folder's has died":             {"/c", []state.Session{busy("b"), session("c", "dead", died)}, "b", true, "c"},
		"picked one runs, folder's runs":    {"a/c", []state.Session{busy("b"), busy("c"), busy("a")}, "a", true, "a"},
		"picked one runs, folder's is idle": {"b/a", []state.Session{busy("b"), idle("a")}, "b", true, "b"},
		"picked one idle, folder's runs":    {"a/b", []state.Session{busy("b"), idle("a")}, "b", false, "a"},
		"a kernel that died at work":        {"", []state.Session{busy("b", died), idle("a")}, "", false, "a"},
	} {
		picked, folder, open := strings.Cut(c.picked, "/")
		s := &state.Snapshot{Sessions: c.sessions, Picked: picked}
		if open {
			s.Folder = state.Folder{Kind: state.OneSession, ID: folder}
		}
		among, sure := s.Stops()
		ids := ""
		for _, x := range among {
			ids += x.SessionID
		}
		if ids != c.among || sure != c.sure {
			t.Errorf("%s: %q, sure %v; want %q, %v", name, ids, sure, c.among, c.sure)
		}
		if x, ok := s.Shown("a"); x.SessionID != c.shown || ok != (c.shown != "") {
			t.Errorf("%s: %q is shown, want %q", name, x.SessionID, c.shown)
		}
	}
}
