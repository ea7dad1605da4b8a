package servers

import (
	"sync"

	"easel/jupyter"
)

// When the user renames a notebook in JupyterLab, its session gets the new path. Nothing
// reports that to the other clients of its kernel, so Easel compares the paths whenever it lists
// the sessions of a server.

// Renames knows the paths of notebooks and their former paths. The zero value is ready to use.
type Renames struct {
	mu     sync.Mutex
	now    map[string]map[string]string // by server and session id, when they were last listed
	become map[formerPath]string        // the path that a former path has become
}

// A formerPath is a path on a server that a notebook had before it was renamed.
type formerPath struct{ server, path string }

// maxFormer is the largest number of former paths that are known.
const maxFormer = 1000

// Record records that a notebook was renamed. The paths need not be clean.
func (r *Renames) Record(server, from, to string) {
	from, _ = jupyter.CleanPath(from) // "" if it is none
	to, _ = jupyter.CleanPath(to)
	if from == "" || to == "" || from == to {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.become == nil || len(r.become) >= maxFormer {
		r.become = make(map[formerPath]string)
	}
	delete(r.become, formerPath{server, to}) // so there are no circles
	r.become[formerPath{server, from}] = to
}

// Now returns the present path of a notebook that had the given path; "" if it is not known to
// have been renamed.
func (r *Renames) Now(server, path string) (now string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		next, ok := r.become[formerPath{server, path}]
		if !ok {
			return now
		}
		path, now = next, next
	}
}

// Formerly returns the paths that a notebook had before it was renamed to the given path.
func (r *Renames) Formerly(server, path string) (before []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for from, to := range r.become {
		if from.server == server && to == path {
			before = append(before, from.path)
		}
	}
	return before
}

// List records the paths of all sessions of a server, and returns the former path of each
// session that has another one now.
func (r *Renames) List(server string, sessions []jupyter.SessionModel) (before map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil {
		r.now = make(map[string]map[string]string)
	}
	was, now := r.now[server], make(map[string]string, len(sessions))
	before = make(map[string]string)
	for _, s := range sessions {
		now[s.ID] = s.Path
		if path, ok := was[s.ID]; ok && path != s.Path {
			before[s.ID] = path
		}
	}
	r.now[server] = now
	return before
}
