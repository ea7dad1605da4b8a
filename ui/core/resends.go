package core

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/ui/core/state"
)

// resendsFile has the plots that wait to be sent to clients once more.
const resendsFile = "resends.json"

// readResends reads the plots that waited when Easel ended. If it cannot, the user can send them once more.
func readResends(dir string) (all []state.Resend) {
	raw, err := system.ReadRegular(filepath.Join(dir, resendsFile), 1<<20)
	if err == nil && json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// keepResends returns a function that saves them until its context is done.
func keepResends(store *state.Store, dir string, log *slog.Logger) func(context.Context) {
	return state.Keep(store, state.Part[[]state.Resend]{
		Of:      func(s *state.Snapshot) []state.Resend { return s.Resends },
		Changed: func(was, is []state.Resend) (time.Duration, bool) { return 0, !slices.Equal(was, is) },
		Save: func(now []state.Resend) error {
			raw, err := json.Marshal(now)
			if err == nil {
				err = atomicfile.Write(filepath.Join(dir, resendsFile), raw, 0o600)
			}
			if err != nil {
				log.Error("saving the plots that are sent again", "err", err)
			}
			return err
		},
	})
}
