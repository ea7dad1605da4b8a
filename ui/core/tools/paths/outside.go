package paths

import (
	"context"
	"fmt"
	"strings"

	"easel/ui/core/kernels/servers"
	"easel/ui/core/tools/codes"
)

// A refusedPath is a path that leads nowhere where its caller may work.
type refusedPath struct{ parameter, path, server string } // server is "" if the caller has given none

// outside returns the error for a path that is below no server's root. It names where the caller may work,
// and not in which other projects the user works.
func (f *Finder) outside(ctx context.Context, r refusedPath, hosts []servers.Host) error {
	allowed, start := f.allowed(ctx, r.server, hosts)
	e := codes.BadValue(r.parameter, fmt.Sprintf("must lead into %s; %q leads elsewhere", strings.Join(allowed, " or "), r.path))
	if f.Projects != nil {
		e.Hint = f.Projects.HowToAllow(ctx, "") + " "
	}
	e.Hint += "For a single file, ask the user for a copy or a link in a folder that is allowed, or read it with code in a session."
	if start != "" {
		e.Hint = fmt.Sprintf("A relative path starts in %s. ", start) + e.Hint
	}
	return e
}

// allowed names the folders that paths of the caller may lead into: its projects and Easel's folder, or those
// of the user's own servers if it has no project. start is where its relative paths begin, or "".
func (f *Finder) allowed(ctx context.Context, server string, hosts []servers.Host) (folders []string, start string) {
	if server != "" && len(hosts) == 1 {
		return []string{RootOf(hosts[0])}, ""
	}
	if f.Projects != nil {
		var root string
		if root, start = f.Projects.Of(ctx); root != "" {
			folders = append(folders, "the project "+root)
		}
		if last := f.Projects.Last(ctx); last != "" && last != root {
			folders = append(folders, "the project "+last)
		}
	}
	worksInNone := len(folders) == 0
	for _, h := range hosts {
		switch {
		case f.Projects != nil && f.Projects.Root(h.Name) != "": // the caller's own have been named
		case f.RootDir != "" && h.Client.Root() == f.RootDir:
			folders = append(folders, "Easel's folder "+f.RootDir)
		case worksInNone:
			folders = append(folders, RootOf(h))
		}
	}
	if len(folders) == 0 { // only projects of others are open
		folders = []string{"the folder of a project that the user has allowed"}
	}
	return folders, start
}
