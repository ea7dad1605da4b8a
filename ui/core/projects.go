package core

import (
	"path/filepath"

	"easel/jupyter/managed"
	"easel/ui/core/projects"
)

// projectsConfig returns what the projects get from the other parts.
func (c *Core) projectsConfig() projects.Config {
	o := c.cfg.Options
	p := projects.Config{
		Store: c.Store, Servers: c.Kernels.Servers, Log: c.cfg.Log, Allowed: filepath.SplitList(o.Projects), WorkDir: c.rootDir(), Private: c.private, DataDir: o.DataDir,
		Health: health, Restore: c.Kernels.Restore,
	}
	if c.managed == nil {
		return p
	}
	p.Prepare = managed.Overlays(managed.Config{DataDir: o.DataDir, Log: c.cfg.Log, Wheelhouse: c.wheelhouse}).Prepare
	p.Host = func(of managed.ProjectServer, report func(managed.Status)) projects.Host {
		return c.managed.ForProject(of, report)
	}
	return p
}
