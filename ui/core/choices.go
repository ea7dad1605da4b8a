package core

import (
	"context"
	"sync/atomic"

	"easel/ui/core/oversight"
	"easel/ui/core/roster"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// choices are what the user has chosen in earlier runs, and why some of it could not be read.
type choices struct {
	settings   state.Settings
	assistants roster.Contents
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

// keepChoices makes what saves the choices, compared to the state now.
func (c *Core) keepChoices(dir string) {
	c.Roster = roster.NewKeeper(c.Store, dir)
	c.keepers = []func(context.Context){
		settings.Keep(c.Store, dir, c.cfg.Log), c.Roster.Keep(c.cfg.Log), keepResends(c.Store, dir, c.cfg.Log),
	}
}

// followSettings applies what the user changes in the settings, until stop.
func (c *Core) followSettings() (stop func()) {
	var unused, keep atomic.Value // settings at the last change of the state
	keep.Store(figuresKept(c.Store.Snapshot()))
	return c.Store.OnChange(func() {
		chosen := c.Store.Snapshot().Settings
		c.Library.SetQuota(chosen.QuotaMB << 20)
		if unused.Swap(chosen.UnusedHours) != chosen.UnusedHours {
			c.Kernels.Unused.WakeUp()
		}
		if kept := figuresKept(c.Store.Snapshot()); keep.Swap(kept) != kept {
			c.Kernels.CheckFigures()
		}
	})
}
