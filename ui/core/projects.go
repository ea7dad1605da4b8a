package core

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/atomicfile"
	"easel/jupyter/managed"
	"easel/jupyter/remote"
	"easel/jupyter/tunnel"
	"easel/ui/core/projects"
	"easel/ui/core/settings"
)

// projectsConfig returns what the projects get from the other parts.
func (c *Core) projectsConfig() projects.Config {
	o := c.cfg.Options
	p := projects.Config{
		Store: c.Store, Servers: c.Kernels.Servers, Log: c.cfg.Log, Allowed: settings.SplitProjects(o.Projects), WorkDir: c.rootDir(),
		EnvFiles: o.DotEnv, Sandbox: o.Sandbox, Private: c.private, DataDir: o.DataDir,
		Health: health, Restore: c.Kernels.Restore,
	}
	if c.managed == nil {
		return p
	}
	p.Prepare = managed.Overlays(managed.Config{DataDir: o.DataDir, Log: c.cfg.Log, Wheelhouse: c.wheelhouse}).PrepareConfined
	p.Host = func(of managed.ProjectServer, report func(managed.Status)) projects.Host {
		return c.managed.ForProject(of, report)
	}
	p.Machine = func(address tunnel.Address) *remote.Machine {
		return remote.New(remote.Config{
			Address: address, Owner: c.owner(), Programs: c.cfg.Programs, Sockets: filepath.Join(o.DataDir, socketsDir), Log: c.cfg.Log,
			Options:  c.clientOptions(),
			Packages: func() managed.Config { return managed.Config{DataDir: o.DataDir, Log: c.cfg.Log} },
		})
	}
	return p
}

// owner is a name of this data directory that no other has, also on other computers.
func (c *Core) owner() string {
	file := filepath.Join(c.cfg.Options.DataDir, "owner")
	if text, err := os.ReadFile(file); err == nil && len(text) >= 12 {
		return string(text)
	}
	name := strings.ToLower(rand.Text()[:12])
	if err := atomicfile.Write(file, []byte(name), 0o600); err != nil {
		c.cfg.Log.Warn("another run of Easel will not find its kernels on other machines", "err", err)
	}
	return name
}
