package core

import (
	"log/slog"
	"testing"

	"easel/internal/require"
	"easel/ui/core/library"
)

// A plot that was deleted is not shown any more.
func TestADeletedPlotIsNotTheNewest(t *testing.T) {
	lib, err := library.Open(t.Context(), t.TempDir(), library.Options{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lib.Close()) })
	p := &newestPlot{images: lib.Images, id: "was", address: "/api/resources/was", title: "Was"}
	for id, want := range map[string]string{"was": "/api/resources/was", "": "", "deleted": ""} {
		if got, _ := p.get(t.Context(), id); got != want {
			t.Errorf("%q: got %q", id, got)
		}
	}
}
