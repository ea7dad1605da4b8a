package core

import (
	"context"

	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// notices shows problem, which settings.Load found, and resumes the executions of an
// earlier run of Easel.
func (c *Core) notices(ctx context.Context, made choices) {
	problem, unknown := made.problem, made.unknown
	if unknown.Reason != "" {
		c.cfg.Log.WarnContext(ctx, "what assistants may do could not be read", "reason", unknown.Reason, "copy", unknown.Aside)
		c.Notify(state.Notice{ID: "assistants", Level: state.LevelWarning, Text: "What you allow each assistant could not be read and was reset. The file is now:", Hint: unknown.Aside})
	}
	if problem.Reason != "" {
		c.Notify(state.Notice{ID: "settings", Level: state.LevelWarning, Text: "Settings that could not be read were reset. A copy of the file:", Hint: problem.Aside})
	}
	if c.Store.Snapshot().Settings.ChooseAccess {
		c.cfg.Log.WarnContext(ctx, "assistants may only read until the user has chosen what they may do: the settings, or what assistants may do, could not be read", "reason", problem.Reason, "copy", problem.Aside)
	}
	if s := c.Store.Snapshot(); s.Window != state.WindowNone && s.Settings.Access == oversight.AccessAllow && !s.Settings.ToldOfRisky {
		c.Store.Update(func(s *state.Snapshot) { s.Settings.ToldOfRisky = true })
		c.Notify(state.Notice{ID: state.NoticeRisky, Level: state.LevelInfo, Text: "New: Easel can ask you only when it matters."})
	}
	if err := c.Kernels.Recover(ctx); err != nil {
		c.cfg.Log.ErrorContext(ctx, "resuming the executions of an earlier run", "err", err)
	}
}

// damaged shows a notice about damage that the library found, or about its quota.
func (c *Core) damaged(l library.Damage) {
	level := state.LevelWarning
	if l.Kind == library.QuotaReached {
		level = state.LevelInfo
	}
	c.Notify(state.Notice{ID: "library-" + string(l.Kind) + l.Path, Level: level, Text: l.Detail, Hint: l.SetAside})
}
