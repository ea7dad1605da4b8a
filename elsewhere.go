package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"easel/assets"
	"easel/jupyter/remote"
	"easel/ui/core/settings"
)

// programs returns where Easel's programs for other machines are: beside this one, or where
// packages put them.
func programs() (p remote.Programs) {
	self, err := os.Executable()
	if err != nil {
		return p
	}
	if !hasWindow {
		p.Self = self
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	dir := filepath.Dir(self)
	p.Dirs = []string{dir, filepath.Join(filepath.Dir(dir), "lib", "easel")}
	return p
}

// executable returns the path of this program.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return "easel"
	}
	return path
}

// serveProjects runs projects on this machine for the Easel on another one that has started this
// program through ssh. The arguments are the name of that Easel, and a directory for the data
// instead of the usual one, or "".
func serveProjects(ctx context.Context, args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "easel:", remote.Command, "is only for Easel itself")
		return 2
	}
	dir := args[1]
	if dir == "" {
		var err error
		if dir, err = settings.DefaultDataDir(); err != nil {
			fmt.Fprintln(os.Stderr, "easel:", err)
			return 1
		}
	}
	lease, _ := time.ParseDuration(os.Getenv("EASEL_PROJECT_LEASE")) // for tests, which may be killed; usually not set
	err := remote.Serve(ctx, os.Stdin, os.Stdout, remote.AgentConfig{
		DataDir: dir, Owner: args[0], Version: version, Lease: lease,
		Fonts: func(dataDir string) []string {
			paths, _ := assets.WriteFonts(filepath.Join(dataDir, "fonts")) // without them, plots lack Japanese text
			return paths
		},
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "easel:", err)
		return 1
	}
	return 0
}
