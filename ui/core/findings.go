package core

import (
	"context"

	"easel/internal/wake"
	"easel/ui/core/facts/checks"
	"easel/ui/core/plotdata"
)

// countFindings counts the findings of plots, and counts them anew when the user turns checks on or off, until ctx
// ends.
func (c *Core) countFindings(ctx context.Context) {
	w := wake.New()
	stop := c.Store.OnChange(w.Notify)
	defer stop()
	set := c.Store.Snapshot().Settings.PlotChecks
	c.setChecks(ctx)
	counter := &plotdata.Counter{Reader: c.deps.Numbers, Library: c.Library.Images, Changes: c.Library.Changes(), Log: c.cfg.Log}
	c.tasks.Go(func() { counter.Run(ctx) })
	for {
		select {
		case <-w:
			if now := c.Store.Snapshot().Settings.PlotChecks; now != set {
				set = now
				c.setChecks(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}

// checkOn reports whether the user has a check of plots turned on.
func (c *Core) checkOn(k checks.Check) bool { return c.Store.Snapshot().Settings.PlotChecks.On(k) }

func (c *Core) setChecks(ctx context.Context) {
	off := c.Store.Snapshot().Settings.PlotChecks.Off()
	if err := c.Library.Images.SetChecks(ctx, checks.Version, off); err != nil && ctx.Err() == nil {
		c.cfg.Log.WarnContext(ctx, "counting the findings of plots anew", "err", err)
	}
}
