package main

import (
	"context"
	"os"
	"path/filepath"

	"easel/jupyter/managed"
	"easel/ui/core/settings"
	"easel/ui/core/uninstall"
	"easel/ui/window/desktop"
)

// appID is the app's id for the desktop; FyneApp.toml has the same.
const appID = "io.github.easel.Easel"

// runUninstall lists and deletes Easel's files.
func runUninstall(ctx context.Context, o settings.Options) error {
	c := uninstall.Config{
		DataDir: o.DataDir, RootDir: o.RootDir, Busy: func() bool { return managed.Running(o.DataDir) },
		Yes: o.Yes, All: o.All, Keep: o.KeepLibrary, In: os.Stdin, Out: os.Stdout,
	}
	if s, _, err := settings.Load(o.DataDir); err == nil && c.RootDir == "" {
		c.RootDir = s.RootDir
	}
	if home, err := os.UserHomeDir(); err == nil && c.RootDir == "" {
		c.RootDir = filepath.Join(home, "Easel")
	}
	// These files belong to the Easel with the default data directory.
	if dir, err := settings.DefaultDataDir(); err == nil && dir == o.DataDir {
		for _, dir := range desktop.FyneDirs(appID) {
			c.Outside = append(c.Outside, uninstall.Outside{Path: dir, What: "settings and icon of the graphics library"})
		}
		if desktop.Autostarts(appID) {
			c.Outside = append(c.Outside, uninstall.Outside{What: "start at login", Remove: func() error { return desktop.SetAutostart(appID, false, "") }})
		}
	}
	return uninstall.Run(ctx, c)
}
