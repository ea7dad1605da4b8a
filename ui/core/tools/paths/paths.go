// Package paths finds the notebooks and files that callers name by a path, on the Jupyter servers.
//
// # Goroutines
//
// A Finder may be used by all calls at the same time.
package paths

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/tools/codes"
)

// A Finder finds what a path names.
type Finder struct {
	Servers *servers.List
	Renames *servers.Renames
	RootDir string  // the directory that relative paths start from
	Chosen  Choices // the servers that callers have chosen for notebooks
	// Projects may be nil.
	Projects Projects
}

// Projects are the projects that callers work in.
type Projects interface {
	// At returns the server of the project that a path on the disk is in; "" if none. It starts
	// the server if it does not run.
	At(ctx context.Context, path string) (server string, err error)
	// Of returns the root of the project that the caller works in, and its directory there; ""
	// if none.
	Of(ctx context.Context) (root, directory string)
	// Last returns the root of the project of the caller's last session, if it is allowed; "" if none.
	Last(ctx context.Context) (root string)
	// Astray says why the relative paths of a caller do not begin where it was started, and what to do; "" if they do.
	Astray(ctx context.Context) (why, remedy string)
	// TellAstray says so in a sentence to each caller once, and then "".
	TellAstray(ctx context.Context) string
	// HowToAllow says what a client does to work in a project that is not allowed, by its root; "" is any folder.
	HowToAllow(ctx context.Context, root string) string
	// There returns the server of the project that an address on another machine leads into, and
	// the path there. It starts the server if it does not run.
	There(ctx context.Context, address string) (server, path string, err error)
	// Root returns the root of the project with a server; "" if the server is none of a project.
	Root(server string) string
	// Allows reports whether the user allows a project, by its root.
	Allows(root string) bool
	// Withdrawn returns the root of the project that the caller works in, if its server still runs
	// although the user has stopped allowing it; otherwise "".
	Withdrawn(ctx context.Context) (root string)
}

// Hosts is that of the list of servers, without those of projects that the user has stopped allowing:
// they run for their sessions. If the caller has named no server, it is also without those of projects that
// the caller does not work in: its relative paths mean no file there. The user's own calls have them all.
func (f *Finder) Hosts(ctx context.Context, server string) ([]servers.Host, error) {
	hosts, err := f.Servers.Hosts(ctx, server)
	if err != nil || f.Projects == nil || tool.CallerFrom(ctx).Transport == tool.Window {
		return hosts, err
	}
	reaches, withdrawn := f.Reaches(ctx), ""
	left := slices.DeleteFunc(slices.Clone(hosts), func(h servers.Host) bool {
		root := f.Projects.Root(h.Name)
		if root != "" && !f.Projects.Allows(root) {
			withdrawn = root
			return true
		}
		return server == "" && !reaches(h.Name)
	})
	switch {
	case len(left) > 0:
		return left, nil
	case server != "":
		return nil, f.noLongerAllowed(ctx, withdrawn)
	}
	first, err := f.Servers.Lookup("")
	if err != nil {
		return nil, err
	}
	if _, err = first.Ready(ctx); err != nil { // Easel's own server does not answer now, unlike those of projects
		return nil, err
	}
	return nil, servers.ErrNotFound
}

// Reaches returns whether a relative path of the caller may mean a file on a server that it does not name: on any but those
// of projects in which it does not work. The user's own calls reach all.
func (f *Finder) Reaches(ctx context.Context) func(server string) bool {
	if f.Projects == nil || tool.CallerFrom(ctx).Transport == tool.Window {
		return func(string) bool { return true }
	}
	own, _ := f.Projects.Of(ctx)
	last := f.Projects.Last(ctx)
	return func(server string) bool {
		root := f.Projects.Root(server)
		return root == "" || root == own || root == last
	}
}

func (f *Finder) noLongerAllowed(ctx context.Context, root string) error {
	return &tool.Error{
		Code: tool.Denied, Detail: fmt.Sprintf("The user no longer allows the project %s.", root),
		Hint: "If the user wants you to work there: " + f.Projects.HowToAllow(ctx, root),
	}
}

// NewFile returns the path on the disk of a new file with a relative path of the caller: in the caller's
// directory of its project, or below the project's root if only that has its folder; otherwise in the
// working folder. An empty path means the folder.
func (f *Finder) NewFile(ctx context.Context, path string) string {
	if f.Projects == nil {
		return filepath.Join(f.RootDir, path)
	}
	root, directory := f.Projects.Of(ctx)
	if root == "" || tunnel.IsAddress(root) {
		return filepath.Join(f.RootDir, path)
	}
	here, below := filepath.Join(directory, path), filepath.Join(root, path)
	if path != "" && !isThere(filepath.Dir(here)) && isThere(filepath.Dir(below)) {
		return below
	}
	return here
}

// Astray returns an error for a new file with a relative path of a caller that may not work in the folder in which
// it was started: the file would be in Easel's own folder, and nobody would look for it there.
func (f *Finder) Astray(ctx context.Context, server, parameter, path string) error {
	if f.Projects == nil || server != "" || path == "" || IsAbsolute(path) || isThere(filepath.Join(f.RootDir, filepath.FromSlash(path))) {
		return nil
	}
	why, remedy := f.Projects.Astray(ctx)
	if why == "" {
		return nil
	}
	e := codes.BadValue(parameter, fmt.Sprintf("would lead into Easel's own folder, because %s", why))
	e.Hint = fmt.Sprintf("%s To write in Easel's own folder, give the whole path: %s.", remedy, filepath.Join(f.RootDir, filepath.FromSlash(path)))
	return e
}

// TellAstray returns what a caller that names a server, or a relative path on none, should know about where that path
// begins.
func (f *Finder) TellAstray(ctx context.Context, server, path string) string {
	if f.Projects == nil || server != "" || IsAbsolute(path) && path != "/" {
		return ""
	}
	return f.Projects.TellAstray(ctx)
}

// At returns the name of a server for a result.
func (f *Finder) At(server string) catalog.AtServer {
	return catalog.AtServer{Server: server, Several: len(f.Servers.Health()) > 1}
}

// RenamedTo makes e say that a notebook was renamed on a server.
func (f *Finder) RenamedTo(e *tool.Error, server, from, to string) *tool.Error {
	e.Detail = fmt.Sprintf("The notebook %q was renamed to %q", from, to)
	if f.At(server).Several {
		e.Detail += fmt.Sprintf(" on the server %q", server)
	}
	e.Detail += "."
	e.Hint = "Call again with the new path."
	return e
}

// hostPatience is how long each of several servers has to say whether it has a notebook.
const hostPatience = 5 * time.Second

// Which returns the servers for which is returns true, in the same order. It asks all at once.
func Which(ctx context.Context, hosts []servers.Host, is func(context.Context, servers.Host) bool) []servers.Host {
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

// patience is how long the servers may take for one call. Some clients time out after a minute.
const patience = 45 * time.Second

// Patience returns a context that limits the requests to a server for one call.
func Patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}
