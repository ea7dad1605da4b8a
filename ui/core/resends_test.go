package core

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/ui/core/state"
)

// TestWhatIsSentAgainOutlivesEasel: the next start has what waits, also if the last change was right before the end.
func TestWhatIsSentAgainOutlivesEasel(t *testing.T) {
	dir, store := t.TempDir(), state.NewStore(state.Snapshot{})
	ctx, end := context.WithCancel(t.Context())
	keep, ended := keepResends(store, dir, slog.New(slog.DiscardHandler)), make(chan struct{})
	go func() { defer close(ended); keep(ctx) }()
	want := []state.Resend{{ImageID: "a", Client: "codex"}, {ImageID: "b", Client: "Cline 夜"}}
	store.Update(func(s *state.Snapshot) { s.Resends = want })
	end()
	<-ended
	if got := readResends(dir); !slices.Equal(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, resendsFile), []byte(`[{"image_id": "a"}, 1]`), 0o600))
	if got := readResends(dir); got != nil {
		t.Errorf("of a damaged file: %+v", got)
	}
}
