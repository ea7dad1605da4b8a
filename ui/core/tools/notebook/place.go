package notebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/notebooks"
	"easel/ui/core/private"
	"easel/ui/core/tools/paths"
)

// A notebook tool names a notebook by its path, and several servers may have a notebook of
// that path. The tools then work on the one that the caller names by the parameter server, has
// chosen by session_connect, session_create or notebook_create, or has used last; otherwise on
// the one that somebody has open.

// A place is a file on a server.
type place struct {
	servers.Host
	path string // cleaned by jupyter.CleanPath
}

// own returns the path in the server's own spelling.
func (p place) own() string { return p.Client.Spelling(p.path) }

// led says where a place is, if a symbolic link leads to it.
func (p place) led() catalog.LinkTarget {
	disk := p.Client.Disk(p.own())
	if disk == "" || p.Client.Elsewhere() {
		return catalog.LinkTarget{}
	}
	return catalog.LinkTarget{RealPath: private.Outside(p.Client.Root(), disk)}
}

// A finder finds notebooks and files by their paths.
type finder struct {
	paths   *paths.Finder
	kernels *kernels.Manager
	files   *notebooks.Files
	used    paths.Choices // the servers on which callers have used notebooks last
}

// find returns the place of a file or folder. If server is "" and there are several servers, it is
// on the first that has the file, or on the default server if none has it.
func (n *finder) find(ctx context.Context, server, p string) (place, error) {
	clean, server, err := n.paths.Resolve(ctx, server, "path", p, jupyter.CleanPath)
	if err != nil {
		return place{}, err
	}
	hosts, err := n.paths.Hosts(ctx, server)
	if err != nil {
		return place{}, err
	}
	if len(hosts) > 1 {
		for _, h := range hosts {
			if _, err := n.files.Stat(ctx, h.Client, clean); err == nil {
				return place{h, clean}, nil
			}
		}
	}
	return place{hosts[0], clean}, nil
}

// sessionOf returns the id of the notebook's running session, or "" if it has none or the
// server does not respond.
func (n *finder) sessionOf(ctx context.Context, at place) string {
	sessions, err := n.kernels.Sessions(ctx, at.Host)
	if err != nil {
		return "" // the id is optional
	}
	for _, s := range sessions {
		if p, err := jupyter.CleanPath(s.Path); err == nil && p == at.path {
			return s.ID
		}
	}
	return ""
}

// notebook returns the place of a notebook that is written or run. If it is open on several
// servers and the caller has chosen none, the error is a *tool.Error.
func (n *finder) notebook(ctx context.Context, server, p string) (place, error) {
	at, also, err := n.locate(ctx, server, p)
	if err != nil || len(also) == 0 {
		return at, err
	}
	return at, &tool.Error{
		Code:   tool.NotExecutable,
		Detail: fmt.Sprintf("Nothing was done: %q is open on several Jupyter servers: %s.", at.path, quotedList(append([]string{at.Name}, also...))),
		Hint:   "Call session_connect with notebook_path and server first. Ask the user if you do not know which one they mean.",
	}
}

// locate returns the place of a notebook. also are the other servers that have the notebook
// open, if the caller has chosen none.
func (n *finder) locate(ctx context.Context, server, p string) (at place, also []string, err error) {
	clean, server, err := n.paths.Resolve(ctx, server, "path", p, jupyter.NotebookPath)
	if err != nil {
		return place{}, nil, err
	}
	if server == "" {
		if at, ok, err := n.atChosen(ctx, clean); ok || err != nil {
			return at, nil, err
		}
	}
	hosts, err := n.paths.Hosts(ctx, server)
	if err != nil {
		return place{}, nil, err
	}
	if len(hosts) > 1 {
		hosts = n.narrow(ctx, hosts, clean)
	}
	for _, h := range hosts[1:] {
		also = append(also, h.Name)
	}
	if also == nil {
		n.used.Add(ctx, clean, hosts[0].Name)
	}
	return place{hosts[0], clean}, also, nil
}

// atChosen returns the place of a notebook on the server that the caller has chosen for it, or
// has used it on. It reports false if there is no such choice, or if the notebook is no longer there.
func (n *finder) atChosen(ctx context.Context, clean string) (at place, ok bool, err error) {
	server := cmp.Or(n.paths.Chosen.Of(ctx, clean, n.kernels.Renames.Now), n.used.Of(ctx, clean, n.kernels.Renames.Now))
	if server == "" {
		return place{}, false, nil
	}
	// While that server does not answer, this is an error: the notebook of another server is
	// another notebook.
	hosts, err := n.paths.Hosts(ctx, server)
	if errors.Is(err, servers.ErrNotFound) {
		n.paths.Chosen.Add(ctx, clean, "")
		n.used.Add(ctx, clean, "")
		return place{}, false, nil
	}
	if err != nil {
		return place{}, false, err
	}
	at = place{hosts[0], clean}
	if len(n.kernels.Servers.Health()) == 1 {
		return at, true, nil
	}
	_, err = n.files.Stat(ctx, at.Client, clean)
	gone := errors.Is(err, notebooks.ErrNotFound) && n.sessionOf(ctx, at) == "" && n.kernels.Renames.Now(at.Name, clean) == ""
	return at, !gone, nil
}

// narrow returns those of several servers that may have the notebook that a path means, at
// least one: those that have it open among those that have its file. If its file is nowhere,
// it may still be open, or have been renamed. If it is open nowhere, the first server that has its file is meant, or
// the default server.
func (n *finder) narrow(ctx context.Context, hosts []servers.Host, clean string) []servers.Host {
	having := paths.Which(ctx, hosts, func(ctx context.Context, h servers.Host) bool {
		_, err := n.files.Stat(ctx, h.Client, clean)
		return err == nil
	})
	if len(having) == 1 {
		return having
	}
	if len(having) > 0 {
		hosts = having
	}
	open := paths.Which(ctx, hosts, func(ctx context.Context, h servers.Host) bool {
		return n.sessionOf(ctx, place{h, clean}) != ""
	})
	if len(open) == 0 && len(having) == 0 {
		open = slices.DeleteFunc(slices.Clone(hosts), func(h servers.Host) bool { return n.kernels.Renames.Now(h.Name, clean) == "" })
	}
	if len(open) > 0 {
		return open
	}
	return hosts[:1]
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
