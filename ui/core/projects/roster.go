package projects

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
)

// A roster is the projects whose servers run, and the names of those that have run.
type roster struct {
	mu    sync.Mutex
	open  map[string]*openProject // by root
	names map[string]string       // of the servers, by root; plots are known by them
}

// has reports whether the server of a project runs, by its root.
func (r *roster) has(root string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[root] != nil
}

// root returns the root of the project that a server runs for, or "".
func (r *roster) root(server string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.open {
		if o.name == server {
			return o.root
		}
	}
	return ""
}

// leave stops checking the server of a project on another machine.
func (r *roster) leave(o *openProject) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.leave != nil {
		o.leave()
	}
}

// elsewhere returns the servers on other machines.
func (r *roster) elsewhere() []managed.ProjectServer {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []managed.ProjectServer{}
	for _, o := range r.open {
		if tunnel.IsAddress(o.root) {
			list = append(list, managed.ProjectServer{Root: o.root, Name: o.name})
		}
	}
	return list
}

// free returns the name that the server of a project has had before, or one that no other has. The
// caller holds the roster.
func (r *roster) free(pr project.Project, known []catalog.ServerHealth) string {
	others := make(map[string]bool)
	for root, name := range r.names {
		others[name] = root != pr.Root
	}
	taken := func(n string) bool {
		runs := func(h catalog.ServerHealth) bool { return h.Name == n }
		return n == catalog.ThisMachine || others[n] || slices.ContainsFunc(known, runs)
	}
	unique := cmp.Or(r.names[pr.Root], pr.Name)
	for n := 2; taken(unique); n++ {
		unique = fmt.Sprintf("%s-%d", pr.Name, n)
	}
	return unique
}
