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
		Directory: c.directory,
		Limit: func() time.Duration {
			return time.Duration(c.Store.Snapshot().Settings.CheckMinutes) * time.Minute
		},
		DrawText: func() bool { return c.Store.Snapshot().Settings.DrawText },
		Changed:  announce.Checks(c.Store),
	})
}

// directory returns the directory in which a session's kernel started, or "" if it is not known. here is
// false if the kernel may be on another machine.
func (c *Core) directory(s library.Session) (dir string, here bool) {
	if s.Server == ManagedServer && s.Directory == "" {
		return filepath.Join(c.rootDir(), filepath.FromSlash(path.Dir(s.NotebookPath))), true
	}
	on, err := c.Kernels.Servers.Lookup(s.Server)
	return s.Directory, !s.Away() && (err != nil || on.IsHere())
}
