package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/notebooks"
)

// A notebook tool names a notebook by its path, and several servers may have a notebook of
// that path. The tools then work on the one that the caller names by the parameter server, has
// chosen by session_connect, session_create or notebook_create, or has used last; otherwise on
// the one that somebody has open.

// A choice is the server on which a caller works with a notebook.
type choice struct{ caller, path, server string }

// choices are the choices of all callers, the latest last. The zero value is ready to use.
type choices struct {
	mu   sync.Mutex
	made []choice
}

// maxChoices is the largest number of choices that are remembered.
const maxChoices = 256

// add records that the caller has chosen a server for the notebook at path, if that is not
// "". An empty server removes the caller's choice.
func (c *choices) add(ctx context.Context, path, server string) {
	clean, err := jupyter.CleanPath(path)
	if err != nil || clean == "" {
		return
	}
	new := choice{tool.CallerFrom(ctx).Identity(), clean, server}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = slices.DeleteFunc(c.made, func(o choice) bool { return o.caller == new.caller && o.path == new.path })
	if server != "" {
		c.made = append(c.made, new)
	}
	c.made = c.made[max(0, len(c.made)-maxChoices):]
}

// of returns the server that the caller has chosen for the notebook at path; "" if none.
// renamed returns the present path of a notebook that was renamed since.
func (c *choices) of(ctx context.Context, path string, renamed func(server, path string) string) string {
	who := tool.CallerFrom(ctx).Identity()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range slices.Backward(c.made) {
		if o.caller == who && (o.path == path || renamed(o.server, o.path) == path) {
			return o.server
		}
	}
	return ""
}

// at returns the name of a server for a result.
func (b *bodies) at(server string) catalog.AtServer {
	return catalog.AtServer{Server: server, Several: len(b.Kernels.Servers.Health()) > 1}
}

// notebook returns the place of a notebook that is written or run. If it is open on several
// servers and the caller has chosen none, the error is a *tool.Error.
func (n *notebookBodies) notebook(ctx context.Context, server, p string) (place, error) {
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
func (n *notebookBodies) locate(ctx context.Context, server, p string) (at place, also []string, err error) {
	clean, server, err := n.resolve(ctx, server, "path", p, jupyter.NotebookPath)
	if err != nil {
		return place{}, nil, err
	}
	if server == "" {
		if at, ok, err := n.atChosen(ctx, clean); ok || err != nil {
			return at, nil, err
		}
	}
	hosts, err := n.Kernels.Servers.Hosts(ctx, server)
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
		n.used.add(ctx, clean, hosts[0].Name)
	}
	return place{hosts[0], clean}, also, nil
}

// atChosen returns the place of a notebook on the server that the caller has chosen for it, or
// has used it on. It reports false if there is no such choice, or if the notebook is no longer there.
func (n *notebookBodies) atChosen(ctx context.Context, clean string) (at place, ok bool, err error) {
	server := cmp.Or(n.chosen.of(ctx, clean, n.Kernels.Renames.Now), n.used.of(ctx, clean, n.Kernels.Renames.Now))
	if server == "" {
		return place{}, false, nil
	}
	// While that server does not answer, this is an error: the notebook of another server is
	// another notebook.
	hosts, err := n.Kernels.Servers.Hosts(ctx, server)
	if errors.Is(err, servers.ErrNotFound) {
		n.chosen.add(ctx, clean, "")
		n.used.add(ctx, clean, "")
		return place{}, false, nil
	}
	if err != nil {
		return place{}, false, err
	}
	at = place{hosts[0], clean}
	if len(n.Kernels.Servers.Health()) == 1 {
		return at, true, nil
	}
	_, err = n.files.Stat(ctx, at.Client, clean)
	gone := errors.Is(err, notebooks.ErrNotFound) && n.sessionOf(ctx, at) == "" && n.Kernels.Renames.Now(at.Name, clean) == ""
	return at, !gone, nil
}

// hostPatience is how long each of several servers has to say whether it has a notebook.
const hostPatience = 5 * time.Second

// narrow returns those of several servers that may have the notebook that a path means, at
// least one: those that have it open among those that have its file. If its file is nowhere,
// it may still be open, or have been renamed. If it is open nowhere, the first server that has its file is meant, or
// the default server.
func (n *notebookBodies) narrow(ctx context.Context, hosts []servers.Host, clean string) []servers.Host {
	having := which(ctx, hosts, func(ctx context.Context, h servers.Host) bool {
		_, err := n.files.Stat(ctx, h.Client, clean)
		return err == nil
	})
	if len(having) == 1 {
		return having
	}
	if len(having) > 0 {
		hosts = having
	}
	open := which(ctx, hosts, func(ctx context.Context, h servers.Host) bool {
		return n.sessionOf(ctx, place{h, clean}) != ""
	})
	if len(open) == 0 && len(having) == 0 {
		open = slices.DeleteFunc(slices.Clone(hosts), func(h servers.Host) bool { return n.Kernels.Renames.Now(h.Name, clean) == "" })
	}
	if len(open) > 0 {
		return open
	}
	return hosts[:1]
}

// which returns the servers for which is returns true, in the same order. It asks all at once.
func which(ctx context.Context, hosts []servers.Host, is func(context.Context, servers.Host) bool) []servers.Host {
	ctx, cancel := context.WithTimeout(ctx, hostPatience)
	defer cancel()
	yes := make([]bool, len(hosts))
	var asked sync.WaitGroup
	for i, h := range hosts {
		asked.Go(func() { yes[i] = is(ctx, h) })
	}
	asked.Wait()
	var found []servers.Host
	for i, h := range hosts {
		if yes[i] {
			found = append(found, h)
		}
	}
	return found
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
