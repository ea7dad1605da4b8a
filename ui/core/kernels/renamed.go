package kernels

import (
	"context"
	"sync"

	"easel/jupyter"
)

// When the user renames a notebook in JupyterLab, its session gets the new path. Nothing
// reports that to the other clients of its kernel, so Easel compares the paths whenever it lists
// the sessions of a server.

// paths knows the notebooks' paths and former paths. The zero value is ready to use.
type paths struct {
	mu     sync.Mutex
	now    map[string]map[string]string // by server and session id, when they were last listed
	become map[former]string            // the path that a former path has become
}

// A former is a path on a server that a notebook had before it was renamed.
type former struct{ server, path string }

// maxFormer is the largest number of former paths that are known.
const maxFormer = 1000

// renamed records that a notebook was renamed. The paths need not be clean.
func (p *paths) renamed(server, from, to string) {
	from, _ = jupyter.CleanPath(from) // "" if it is none
	to, _ = jupyter.CleanPath(to)
	if from == "" || to == "" || from == to {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.become == nil || len(p.become) >= maxFormer {
		p.become = make(map[former]string)
	}
	delete(p.become, former{server, to}) // so there are no circles
	p.become[former{server, from}] = to
}

// of returns the present path of a notebook that had the given path; "" if it is not known to
// have been renamed.
func (p *paths) of(server, path string) (now string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		next, ok := p.become[former{server, path}]
		if !ok {
			return now
		}
		path, now = next, next
	}
}

// formerly returns the paths that a notebook had before it was renamed to the given path.
func (p *paths) formerly(server, path string) (before []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for from, to := range p.become {
		if from.server == server && to == path {
			before = append(before, from.path)
		}
	}
	return before
}

// list records the paths of all sessions of a server, and returns the former path of each
// session that has another one now.
func (p *paths) list(server string, sessions []jupyter.SessionModel) (before map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		p.now = make(map[string]map[string]string)
	}
	was, now := p.now[server], make(map[string]string, len(sessions))
	before = make(map[string]string)
	for _, s := range sessions {
		now[s.ID] = s.Path
		if path, ok := was[s.ID]; ok && path != s.Path {
			before[s.ID] = path
		}
	}
	p.now[server] = now
	return before
}

// Sessions lists the Jupyter sessions of a server. It notices notebooks that were renamed.
func (m *Manager) Sessions(ctx context.Context, h Host) ([]jupyter.SessionModel, error) {
	sessions, err := h.Client.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	before := m.paths.list(h.Name, sessions)
	for _, s := range sessions {
		m.paths.renamed(h.Name, before[s.ID], s.Path)
		if r := m.recorderOf(s.ID); r != nil && r.server == h.Name {
			m.paths.renamed(h.Name, r.moveTo(s), s.Path)
		}
	}
	return sessions, nil
}

// Renamed returns the present path of a notebook that had the given path on a server; "" if it
// is not known to have been renamed.
func (m *Manager) Renamed(server, path string) string { return m.paths.of(server, path) }

// Formerly returns the paths that a notebook had before it was renamed to the given path.
func (m *Manager) Formerly(server, path string) []string { return m.paths.formerly(server, path) }

// NoticeRenames lists the sessions of each server with a joined session that has a notebook, to
// notice whether it was renamed.
func (m *Manager) NoticeRenames(ctx context.Context) {
	asked := make(map[string]bool)
	for _, v := range m.Live() {
		if v.NotebookPath == "" || asked[v.Server] {
			continue
		}
		asked[v.Server] = true
		s, err := m.lookup(v.Server)
		if err != nil {
			continue
		}
		if client, err := s.now(); err == nil {
			if _, err := m.Sessions(ctx, Host{s.name, client}); err != nil {
				m.cfg.Log.DebugContext(ctx, "looking for renamed notebooks", "server", s.name, "err", err)
			}
		}
	}
}

// moveTo makes the path of a session that of its Jupyter session, and returns the former path
// if it was another. The library has it when moveTo returns.
func (r *recorder) moveTo(s jupyter.SessionModel) (was string) {
	r.mu.Lock()
	if r.sess.ID == s.ID && r.sess.NotebookPath != s.Path {
		was, r.sess.NotebookPath = r.sess.NotebookPath, s.Path
	}
	r.mu.Unlock()
	if was != "" {
		r.call(r.keepSession)
	}
	return was
}
