package core

import (
	"context"
	"path"
	"path/filepath"
	"time"

	"easel/ui/core/announce"
	"easel/ui/core/library"
	"easel/ui/core/reproduce"
)

// newChecker returns what checks whether plots are reproducible.
func (c *Core) newChecker() *reproduce.Checker {
	return reproduce.New(reproduce.Config{
		Library: c.Library, Renderer: c.renderer, Log: c.cfg.Log, Gate: c.gate,
		Start: func(ctx context.Context, of library.Session, dir string) (reproduce.Kernel, error) {
			if err := c.openEnvironment(ctx, of); err != nil {
				return nil, err
			}
			return c.Kernels.Hidden.Start(ctx, of, dir)
		},
		Directory: c.directoryHere,
		Limit: func() time.Duration {
			return time.Duration(c.Store.Snapshot().Settings.CheckMinutes) * time.Minute
		},
		DrawText: func() bool { return c.Store.Snapshot().Settings.DrawText },
		Changed:  announce.Checks(c.Store),
	})
}

// directoryHere returns the directory on this machine in which a session's kernel started, or "".
func (c *Core) directoryHere(s library.Session) string {
	switch {
	case s.Away():
		return ""
	case s.Server != ManagedServer || s.Directory != "":
		return s.Directory
	}
	return filepath.Join(c.rootDir(), filepath.FromSlash(path.Dir(s.NotebookPath)))
}
