package tools_test

import (
	"fmt"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestLiveUsageIsSaid covers the list of sessions, and the result of code that still runs.
func TestLiveUsageIsSaid(t *testing.T) {
	b := newBench(t)
	s, err := call[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"name": "python3"}`)
	require.NoError(t, err)
	x, err := call[catalog.Execution](b, catalog.ExecuteCode,
		fmt.Sprintf(`{"session_id": %q, "code": "x = bytearray(200_000_000)\nwhile True: pass", "wait": 3}`, s.SessionID))
	if u := x.Usage; err != nil || x.Status != catalog.StatusRunning || u == nil || u.MemoryBytes < 200_000_000 || u.CPUPercent == 0 {
		t.Errorf("%s, %+v, %v", x.Status, u, err)
	}
	all, err := call[catalog.SessionListOut](b, catalog.SessionList, `{}`)
	if err != nil || len(all.Sessions) != 1 || all.Sessions[0].MemoryBytes < 200_000_000 || all.Sessions[0].CPUPercent == 0 {
		t.Errorf("%+v, %v", all.Sessions, err)
	}
	_, err = call[catalog.SessionRestartOut](b, catalog.SessionRestart, fmt.Sprintf(`{"session_id": %q}`, s.SessionID))
	require.NoError(t, err)
}
