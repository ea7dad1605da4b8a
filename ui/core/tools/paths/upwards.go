package paths

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"easel/jupyter/tunnel"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/private"
	"easel/ui/core/tools/codes"
)

// A relative path that leads upwards, such as ../data/x.csv, is relative to the directory that the
// caller was started in. All other relative paths mean the same without that directory.

// climbs reports whether a path is relative and leads out of the folder that it is relative to.
func climbs(p string) bool {
	clean := path.Clean(filepath.ToSlash(p))
	return !IsAbsolute(p) && !tunnel.IsAddress(p) && (clean == ".." || strings.HasPrefix(clean, "../"))
}

// fromHere returns the path on the disk of a path that climbs, or "" if it is not known where the
// caller works.
func (f *Finder) fromHere(ctx context.Context, p string) string {
	if f.Projects == nil {
		return ""
	}
	directory := tool.CallerFrom(ctx).Workspace.Directory
	if directory == "" {
		_, directory = f.Projects.Of(ctx)
	}
	if !filepath.IsAbs(directory) { // unknown, or on another machine
		return ""
	}
	return filepath.Join(private.Real(directory), filepath.FromSlash(p))
}

// errNowhere means that a path is below no root.
var errNowhere = errors.New("the path is below no root")

// Upwards returns the absolute path of a relative one that climbs to where the caller may work.
// Otherwise it returns p, which Resolve refuses, if nobody else has resolved it.
func (f *Finder) Upwards(ctx context.Context, p string) string {
	if full := f.fromHere(ctx, p); full != "" {
		if _, _, err := f.at(ctx, "", full); err == nil {
			return full
		}
	}
	return p
}

// upwards is Resolve for a path that climbs.
func (f *Finder) upwards(ctx context.Context, server, parameter, p string, check func(string) (string, error)) (clean, on string,
	err error,
) {
	if full := f.fromHere(ctx, p); full != "" {
		on, rel, err := f.at(ctx, server, full)
		if err == nil {
			clean, err = check(rel)
			return clean, on, codes.Path(parameter, err)
		}
		if !errors.Is(err, errNowhere) {
			return "", "", err
		}
	}
	hosts, err := f.Servers.Hosts(ctx, server)
	if err != nil {
		return "", "", err
	}
	return "", "", f.outside(ctx, refusedPath{parameter, p, server}, hosts)
}

// From returns the absolute path of a relative one that climbs from a folder of a project, otherwise p. Resolve then
// refuses one that leaves the project for where nobody may work.
func From(root, folder, p string) string {
	if !climbs(p) {
		return p
	}
	return filepath.Join(root, filepath.FromSlash(folder), filepath.FromSlash(p))
}

// at returns which path on which server a path on the disk is. The error is that of the server, or
// errNowhere.
func (f *Finder) at(ctx context.Context, server, full string) (on, rel string, err error) {
	if server == "" && f.Projects != nil {
		if on, rel = f.theirs(full); on != "" {
			return on, rel, nil
		}
		if server, err = f.Projects.At(ctx, full); err != nil {
			return "", "", err
		}
	}
	hosts, err := f.Servers.Hosts(ctx, server)
	if err != nil {
		return "", "", err
	}
	if on, rel, ok := below(hosts, full); ok {
		return on, rel, nil
	}
	return "", "", errNowhere
}

// below returns which path on which of the servers a path on the disk is.
func below(hosts []servers.Host, full string) (on, rel string, ok bool) {
	for _, h := range hosts {
		if rel, ok := belowRoot(h, full); ok {
			return h.Name, rel, true
		}
	}
	return "", "", false
}
