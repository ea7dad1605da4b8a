package core

import (
	"context"
	"log/slog"

	"easel/ui/core/oversight"
	"easel/ui/core/roster"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// choices are what the user has chosen in earlier runs, and why some of it could not be read.
type choices struct {
	settings   state.Settings
	assistants roster.Kept
	problem    settings.Problem // of the settings
	unknown    roster.Problem   // of what assistants may do
}

// readChoices reads what the user has chosen.
func readChoices(o settings.Options, window bool) (c choices, err error) {
	if c.settings, c.problem, err = settings.Begin(o.DataDir, window); err != nil {
		return c, err
	}
	c.assistants, c.unknown = roster.Load(o.DataDir)
	if c.unknown.Reason != "" { // nobody may do more than the user has allowed, also after the next start
		c.settings.Access, c.settings.ChooseAccess = oversight.AccessReadOnly, true
		if err := settings.Save(o.DataDir, c.settings); err != nil {
			return c, err
		}
	}
	if o.Lang != "" {
		c.settings.Language = o.Lang
	}
	return c, nil
}

// keepers returns functions that save what the user chooses, and what waits to be sent, until their context ends.
func keepers(store *state.Store, dir string, log *slog.Logger) []func(context.Context) {
	return []func(context.Context){settings.Keep(store, dir, log), roster.Keep(store, dir, log), keepResends(store, dir, log)}
}
