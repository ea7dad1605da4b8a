package mcphost

import (
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestACallNamesTheExecutionThatItStarts checks that a call reports its execution as
// soon as it is known, and at the end of the call. What a body reports after the end is
// dropped; otherwise the call would seem to run again.
func TestACallNamesTheExecutionThatItStarts(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "claude-code")
	for name, call := range map[string]func(){
		"MCP": func() {
			r.rpc(t, s, "tools/call", `{"name":"execute_code","arguments":{"session_id":"s1","code":"start"}}`)
		},
		"REST": func() { r.do(t, "POST", "/api/execute/execute_code", `{"session_id":"s1","code":"start"}`) },
	} {
		watch := catalog.Activities.Watch(t.Context(), r.bus, 100)
		call()
		r.lastCaller().Started("late")
		r.do(t, "POST", "/api/execute/session_create", `{"nam":1}`) // runs after all of them
		var seen []catalog.Activity
		for a, err := range watch {
			require.NoError(t, err)
			if a.Tool != "execute_code" {
				break
			}
			seen = append(seen, a)
		}
		if len(seen) != 3 {
			t.Fatalf("%s: told %d times: %+v", name, len(seen), seen)
		}
		for i, want := range []string{"", "e1", "e1"} {
			if a := seen[i]; a.ExecutionID != want || a.ID != seen[0].ID || a.Ended.IsZero() != (i < 2) || (a.Status == catalog.StatusRunning) != (i < 2) {
				t.Errorf("%s, %d: %+v", name, i, a)
			}
		}
	}
}

// TestACallNotesWhatItSaidOfTheKernel checks that the log can say when a kernel died between two calls.
func TestACallNotesWhatItSaidOfTheKernel(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "claude-code")
	for name, call := range map[string]func(){
		"MCP": func() {
			r.rpc(t, s, "tools/call", `{"name":"execute_code","arguments":{"session_id":"s1","code":"replaced itself"}}`)
		},
		"REST": func() { r.do(t, "POST", "/api/execute/execute_code", `{"session_id":"s1","code":"replaced itself"}`) },
	} {
		watch := catalog.Activities.Watch(t.Context(), r.bus, 100)
		call()
		for a, err := range watch {
			require.NoError(t, err)
			if a.Ended.IsZero() {
				continue
			}
			if k := a.KernelReplaced; k == nil || k.By != "itself" || k.Generation != 2 {
				t.Errorf("%s: %+v", name, k)
			}
			break
		}
	}
}
