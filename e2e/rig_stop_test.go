package e2e

import (
	"fmt"
	"net/http"
	"time"

	"easel/internal/require"
)

// Endless code. The second one catches the first interrupt.
var loops = []string{
	"import time\nwhile True: time.sleep(0.01)",
	"import time\nfor left in (1, 0):\n  try:\n    while True: time.sleep(0.01)\n  except KeyboardInterrupt:\n    if not left: raise",
}

// stopTime is the timeout for a kernel to stop. A kernel that catches the first interrupt
// receives another one after two seconds.
const stopTime = time.Minute

// halt runs endless code in one or two sessions, and stops it with the button or its shortcut.
// A kernel has stopped if its server says that it is idle, and if it runs the next code.
func (r *rig) halt(a, b int) {
	r.t.Helper()
	which := []int{a % 3}
	if b%3 == 0 {
		which = append(which, (a+1)%3)
	}
	runs := make(map[int]string) // ids of executions, by numbers of sessions
	for _, n := range which {
		r.execute(n, "pass")
		runs[n] = r.e.call(r.t, "execute_code", map[string]any{"session_id": r.sessions[n], "code": loops[b%2], "wait": 0})["execution_id"].(string)
	}
	for _, n := range which {
		r.until("the kernel at work", func() bool { return r.works(n) })
	}
	stopped := func() (n int) {
		for _, i := range which {
			if !r.works(i) {
				n++
			}
		}
		return n
	}
	for done := range which {
		r.until("the button to know what runs", func() bool { return r.ask().Stops == len(which)-done })
		if r.size == windowSizes[0] && a%2 == 0 {
			r.click(interruptAt)
		} else {
			r.keys("ctrl+period")
		}
		if left := len(which) - done; left > 1 { // it asks which one to stop
			r.until("the question which one", func() bool { return r.ask().Covered })
			if n := stopped(); n > done {
				r.wrong = append(r.wrong, fmt.Sprintf("%d of %d kernels stopped before one was chosen", n, len(which)))
			}
			r.keys("Down", "Return")
		}
		if !r.before(stopTime, func() bool { return stopped() > done }) {
			r.wrong = append(r.wrong, fmt.Sprintf("%d of %d kernels have stopped, and %d were interrupted", stopped(), len(which), done+1))
		}
		if n := stopped(); n > done+1 {
			r.wrong = append(r.wrong, fmt.Sprintf("%d kernels have stopped, and %d were interrupted", n, done+1))
		}
	}
	for _, n := range which {
		if len(r.wrong) > 0 { // so that the next steps can be played
			r.e.call(r.t, "session_restart", map[string]any{"session_id": r.sessions[n]})
			continue
		}
		r.execute(n, "pass")
		x := r.e.call(r.t, "get_execution", map[string]any{"execution_id": runs[n]})
		if x["status"] != "interrupted" {
			r.wrong = append(r.wrong, fmt.Sprintf("the kernel has stopped, and the execution is told as %v", x["status"]))
		}
	}
}

// works reports whether a session's kernel is busy, according to its Jupyter server.
func (r *rig) works(n int) bool {
	r.t.Helper()
	for _, s := range r.e.call(r.t, "session_list", nil)["sessions"].([]any) {
		s := s.(map[string]any)
		if s["session_id"] != r.sessions[n] {
			continue
		}
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, fmt.Sprintf("%s/api/kernels/%v", r.j.url, s["kernel_id"]), nil)
		require.NoError(r.t, err)
		req.Header.Set("Authorization", "token "+r.j.token)
		_, raw := do(r.t, req)
		return decode(r.t, raw)["execution_state"] == "busy"
	}
	r.t.Fatalf("session %d is not listed", n)
	return false
}
