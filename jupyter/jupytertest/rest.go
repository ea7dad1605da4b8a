package jupytertest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, http.StatusOK, map[string]string{"version": "2.21.1"})
	})
	mux.HandleFunc("GET /api/status", s.getStatus)
	mux.HandleFunc("GET /api/kernelspecs", s.getSpecs)
	mux.HandleFunc("GET /api/kernels", s.listKernels)
	mux.HandleFunc("POST /api/kernels", s.postKernel)
	mux.HandleFunc("GET /api/kernels/{id}", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *Kernel) {
		respond(w, http.StatusOK, k.model())
	}))
	mux.HandleFunc("DELETE /api/kernels/{id}", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *Kernel) {
		k.Delete()
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.HandleFunc("POST /api/kernels/{id}/interrupt", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *Kernel) {
		k.Interrupt()
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.HandleFunc("POST /api/kernels/{id}/restart", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *Kernel) {
		k.SimulateRestart()
		respond(w, http.StatusOK, k.model())
	}))
	mux.HandleFunc("GET /api/kernels/{id}/channels", s.withKernel(func(w http.ResponseWriter, r *http.Request, k *Kernel) {
		k.serve(w, r)
	}))
	mux.HandleFunc("GET /api/sessions", s.listSessions)
	mux.HandleFunc("POST /api/sessions", s.postSession)
	mux.HandleFunc("GET /api/sessions/{id}", s.withSession(func(w http.ResponseWriter, _ *http.Request, n *session, k *Kernel) {
		respond(w, http.StatusOK, n.model(k))
	}))
	mux.HandleFunc("PATCH /api/sessions/{id}", s.withSession(s.patchSession))
	mux.HandleFunc("DELETE /api/sessions/{id}", s.withSession(func(w http.ResponseWriter, _ *http.Request, _ *session, k *Kernel) {
		k.Delete()
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.HandleFunc("/api/contents/{path...}", s.serveContents)
	return mux
}

func (s *Server) withKernel(f func(http.ResponseWriter, *http.Request, *Kernel)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if k := s.Kernel(r.PathValue("id")); k != nil {
			f(w, r, k)
			return
		}
		kernelGone(w, r.PathValue("id"))
	}
}

func (s *Server) withSession(f func(http.ResponseWriter, *http.Request, *session, *Kernel)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		var found *session
		for _, n := range s.sessions {
			if n.ID == r.PathValue("id") {
				found = n
			}
		}
		s.mu.Unlock()
		if found == nil {
			refuse(w, http.StatusNotFound, "Session not found: session_id="+r.PathValue("id"))
			return
		}
		f(w, r, found, s.Kernel(found.kernel))
	}
}

func (s *Server) getStatus(w http.ResponseWriter, _ *http.Request) {
	now := time.Now().UTC().Format(time.RFC3339)
	respond(w, http.StatusOK, map[string]any{
		"connections": 0, "kernels": len(s.Kernels()), "last_activity": now, "started": now,
	})
}

func (s *Server) getSpecs(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	specs := make(map[string]any)
	for name, language := range s.specs {
		specs[name] = map[string]any{"name": name, "spec": map[string]any{
			"display_name": name, "language": language, "interrupt_mode": "signal",
		}}
	}
	respond(w, http.StatusOK, map[string]any{"default": "python3", "kernelspecs": specs})
}

func (s *Server) listKernels(w http.ResponseWriter, _ *http.Request) {
	models := []any{}
	for _, k := range s.Kernels() {
		models = append(models, k.model())
	}
	respond(w, http.StatusOK, models)
}

func (s *Server) postKernel(w http.ResponseWriter, r *http.Request) {
	var in struct{ Name string }
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		refuse(w, http.StatusBadRequest, "Invalid JSON in body of request")
		return
	}
	in.Name = cmp.Or(in.Name, "python3")
	if !s.hasSpec(in.Name) {
		refuse(w, http.StatusInternalServerError, "Unhandled error")
		return
	}
	respond(w, http.StatusCreated, s.AddKernel(in.Name).model())
}

func (s *Server) hasSpec(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.specs[name]
	return ok
}

func (s *Server) listSessions(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	sessions := append([]*session(nil), s.sessions...)
	s.mu.Unlock()
	models := []any{}
	for _, n := range sessions {
		if k := s.Kernel(n.kernel); k != nil {
			models = append(models, n.model(k))
		}
	}
	respond(w, http.StatusOK, models)
}

// postSession returns the session with exactly that path if there is one, whatever
// kernel is requested, as the real server does.
func (s *Server) postSession(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Path, Name, Type string
		Kernel           struct{ ID, Name string }
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		refuse(w, http.StatusBadRequest, "Invalid JSON in body of request")
		return
	}
	s.mu.Lock()
	for _, n := range s.sessions {
		if n.Path == in.Path {
			k := s.kernels[n.kernel]
			s.mu.Unlock()
			respond(w, http.StatusCreated, n.model(k))
			return
		}
	}
	s.mu.Unlock()
	in.Kernel.Name = cmp.Or(in.Kernel.Name, "python3")
	k := s.Kernel(in.Kernel.ID)
	switch {
	case in.Kernel.ID != "" && k == nil:
		kernelGone(w, in.Kernel.ID)
		return
	case k == nil && !s.hasSpec(in.Kernel.Name):
		refuse(w, http.StatusNotImplemented, "The '"+in.Kernel.Name+"' kernel is not available.")
		return
	case k == nil:
		k = s.AddKernel(in.Kernel.Name)
	}
	n := &session{ID: uuid.NewString(), Path: in.Path, Name: in.Name, Type: in.Type, kernel: k.ID}
	s.mu.Lock()
	s.sessions = append(s.sessions, n)
	s.mu.Unlock()
	respond(w, http.StatusCreated, n.model(k))
}

// patchSession renames a session, or assigns another kernel to it and ends the previous one.
func (s *Server) patchSession(w http.ResponseWriter, r *http.Request, n *session, former *Kernel) {
	var in struct {
		Path   string
		Kernel struct{ ID string }
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		refuse(w, http.StatusBadRequest, "Invalid JSON in body of request")
		return
	}
	k := former
	if in.Kernel.ID != "" {
		k = s.Kernel(in.Kernel.ID)
	}
	if k == nil {
		refuse(w, http.StatusBadRequest, "No such kernel: "+in.Kernel.ID)
		return
	}
	moved := *n // others may be reading n
	moved.kernel, moved.Path = k.ID, cmp.Or(in.Path, n.Path)
	s.mu.Lock()
	s.sessions[slices.Index(s.sessions, n)] = &moved
	s.mu.Unlock()
	if former != nil && former != k {
		former.Delete()
	}
	respond(w, http.StatusOK, moved.model(k))
}

// serveContents keeps models in memory. Directories need not be created.
func (s *Server) serveContents(w http.ResponseWriter, r *http.Request) {
	at := strings.Trim(r.PathValue("path"), "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.contents[at]
	switch {
	case r.Method == http.MethodPut:
		var m map[string]any
		if json.NewDecoder(r.Body).Decode(&m) != nil {
			refuse(w, http.StatusBadRequest, "Invalid JSON in body of request")
			return
		}
		now := time.Now().UTC().Format(time.RFC3339)
		m["path"], m["name"], m["created"], m["last_modified"], m["writable"] = at, path.Base(at), now, now, true
		s.contents[at], _ = json.Marshal(m) // it was decoded from JSON
		m["content"], m["format"] = nil, nil
		respond(w, http.StatusCreated, m)
	case r.Method == http.MethodGet && !ok && s.isDirectory(at):
		respond(w, http.StatusOK, s.directory(at))
	case !ok:
		refuse(w, http.StatusNotFound, "No such file or directory: "+at)
	case r.Method == http.MethodGet:
		var m map[string]any
		_ = json.Unmarshal(kept, &m) // it was marshalled here
		if r.URL.Query().Get("content") == "0" {
			m["content"], m["format"] = nil, nil
		}
		respond(w, http.StatusOK, m)
	default:
		refuse(w, http.StatusMethodNotAllowed, "Method Not Allowed")
	}
}

func (s *Server) isDirectory(at string) bool {
	if at == "" {
		return true
	}
	for p := range s.contents {
		if strings.HasPrefix(p, at+"/") {
			return true
		}
	}
	return false
}

func (s *Server) directory(at string) map[string]any {
	entries := []any{}
	for p, model := range s.contents {
		if dir := path.Dir(p); dir == at || dir == "." && at == "" {
			var m map[string]any
			_ = json.Unmarshal(model, &m) // it was marshalled here
			m["content"], m["format"] = nil, nil
			entries = append(entries, m)
		}
	}
	return map[string]any{
		"name": path.Base("/" + at), "path": at, "type": "directory", "format": "json",
		"content": entries, "writable": true,
	}
}
