package kernels_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// TestTheKernelsOfAnAssistantAreCounted checks whose kernels count when another is started, and that a refusal starts none.
func TestTheKernelsOfAnAssistantAreCounted(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	refusal := errors.New("no more")
	var counts []int
	reserved, limit := 0, 3
	d.starts = func(ctx context.Context, running func(string) (int, error)) (func(), error) {
		n, err := running(tool.CallerFrom(ctx).Assistant)
		require.NoError(t, err)
		if counts = append(counts, n); n >= limit {
			return nil, refusal
		}
		reserved++
		return func() { reserved-- }, nil
	}
	open := func(assistant, notebook string) error {
		t.Helper()
		ctx := tool.WithCaller(d.context(), tool.Caller{Transport: tool.MCP, Assistant: assistant})
		_, err := d.Create(ctx, kernels.NewSession{KernelName: "python3", Notebook: notebook})
		if reserved != 0 {
			t.Errorf("%d places are reserved", reserved)
		}
		return err
	}
	expect := func(what string, want ...int) {
		t.Helper()
		if len(counts) != len(want) || len(want) > 0 && counts[0] != want[0] {
			t.Errorf("%s: counted %v, want %v", what, counts, want)
		}
		counts = nil
	}
	require.NoError(t, open("cursor", ""))
	expect("the first", 0)
	require.NoError(t, open("cursor", "a.ipynb"))
	expect("the second", 1)
	require.NoError(t, open("cursor", "a.ipynb"))
	expect("one that is there")
	require.NoError(t, open("zed", ""))
	expect("another assistant's", 0)

	// An earlier run of Easel has left some, which this one has not joined yet.
	before := time.Now().Add(-time.Hour)
	for id, s := range map[string]library.Session{
		"runs": {Assistant: "cursor", Server: "test"}, "ended": {Assistant: "cursor", Server: "test", EndedAt: before},
		"elsewhere": {Assistant: "cursor", Server: "other"}, "theirs": {Assistant: "zed", Server: "test"}, "users": {Server: "test"},
	} {
		s.ID, s.KernelID, s.CreatedAt = id, id, before
		require.NoError(t, d.lib.Sessions.Put(t.Context(), s))
	}
	had := len(srv.Kernels())
	for _, notebook := range []string{"", "b.ipynb"} {
		if err := open("cursor", notebook); !errors.Is(err, refusal) {
			t.Errorf("one too many at %q: %v", notebook, err)
		}
		expect("one too many", 3)
	}
	if now := len(srv.Kernels()); now != had {
		t.Errorf("%d kernels, there were %d", now, had)
	}
}
