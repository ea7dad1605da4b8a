package core

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/figurestore"
	"easel/ui/core/figurestore/sealed"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// openFigureStore sets up the storing of figures and the drawing of stored ones.
func (c *Core) openFigureStore(ctx context.Context) {
	key, err := sealed.LoadKey(filepath.Join(c.cfg.Options.DataDir, "figures.key"))
	if err != nil {
		c.cfg.Log.WarnContext(ctx, "figures are not stored", "err", err)
	}
	c.keeping = &figurestore.Collector{Kernels: c.Kernels, Images: c.Library.Images, Key: key, Log: c.cfg.Log}
	c.stored = &figurestore.Drawer{
		Images: c.Library.Images, Key: key, Gate: c.gate, Session: c.Library.Sessions.Get, Ask: c.mayLoad, Linger: 15 * time.Second,
		Start:  c.startForFigure,
		Allows: func(of library.Session) bool { return of.Project == "" || c.projects.Allows(of.Project) },
		Stores: func(of library.Session) bool { return of.Server == ManagedServer || of.Project != "" },
	}
}

// startForFigure starts a kernel that loads a figure of a session. If the environment of its project is gone, Easel's
// own may do.
func (c *Core) startForFigure(ctx context.Context, of library.Session, dir string) (figurestore.Kernel, error) {
	err := c.openEnvironment(ctx, of)
	if err == nil {
		k, failed := c.Kernels.Hidden.Start(ctx, of, dir)
		if failed == nil {
			return k, nil
		}
		err = failed
	}
	if of.Project == "" || c.managed == nil || ctx.Err() != nil {
		return nil, err
	}
	k, failed := c.Kernels.Hidden.Start(ctx, library.Session{Server: ManagedServer}, "")
	if failed != nil {
		return nil, err
	}
	c.cfg.Log.InfoContext(ctx, "a stored figure is drawn by Easel's own Python", "project", of.Project, "err", err)
	return k, nil
}

// openEnvironment prepares the environment of a session for another kernel.
func (c *Core) openEnvironment(ctx context.Context, of library.Session) error {
	if err := c.projects.Ensure(ctx, of.Server); err != nil {
		return err
	}
	if of.Environment == "" {
		return nil
	}
	_, err := c.projects.Renew(ctx, of.Server, of.KernelName)
	return err
}

// collectFigures has the figures of sessions stored that display plots.
func (c *Core) collectFigures(on kernels.Events) kernels.Events {
	on.Ending = func(ctx context.Context, session string) {
		if c.keeping != nil {
			c.keeping.Last(ctx, session)
		}
	}
	on.Keeping = func(session string) { // it may have figures that an Easel which crashed has not taken
		if c.keeping != nil {
			c.keeping.Drew(session)
		}
	}
	publish := on.Execution
	on.Execution = func(change catalog.ChangeName, x catalog.Execution) {
		if len(x.Images) > 0 && c.keeping != nil {
			c.keeping.Drew(x.SessionID)
		}
		publish(change, x)
	}
	return on
}

// errEditedFigure is the error of a question about a stored figure that the user answered with other code.
var errEditedFigure = errors.New("a stored figure cannot be edited")

// mayLoad asks the user whether an assistant may have the stored figure of a plot drawn.
func (c *Core) mayLoad(ctx context.Context, im library.Image) error {
	caller := tool.CallerFrom(ctx)
	code := fmt.Sprintf("# Easel draws the stored figure of %q again, in a kernel of its own.\n"+
		"# What this code drew is loaded, which runs parts of it. The code itself does not run.\n\n%s", im.Title, im.Code)
	consent, err := c.asker.Ask(ctx, catalog.Approval{
		ApprovalID: uuid.NewString(), SessionID: im.SessionID, Client: caller.String(), Holder: caller.Holder,
		Assistant: caller.Assistant, Code: code, Check: true,
	})
	if err == nil && consent.Code != code {
		return errEditedFigure
	}
	return err
}
