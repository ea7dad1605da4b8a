package jupytertest

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// A Server is a fake Jupyter server.
type Server struct {
	URL   string // with the base URL, without trailing slash
	Token string

	t      testing.TB
	base   string // path
	legacy bool
	mux    *http.ServeMux

	mu        sync.Mutex
	http      *httptest.Server
	addr      string
	release   func() // releases the port that is reserved while the server is down; otherwise nil
	intercept func(w http.ResponseWriter, r *http.Request) bool
	requests  []string
	specs     map[string]string  // language by kernelspec
	kernels   map[string]*Kernel // running
	made      []*Kernel
	sessions  []*session
	contents  map[string]json.RawMessage // models by path
}

type session struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	kernel string
}

// ServerOption configures a fake server.
type ServerOption func(*Server)

// Legacy makes the server reject the binary subprotocol, as old servers do.
func Legacy() ServerOption { return func(s *Server) { s.legacy = true } }

// BaseURL makes the server serve everything below path.
func BaseURL(path string) ServerOption {
	return func(s *Server) { s.base = "/" + strings.Trim(path, "/") }
}

// NewServer starts a fake server that ends with the test. It has the kernelspec python3.
func NewServer(t testing.TB, opts ...ServerOption) *Server {
	t.Helper()
	s := &Server{
		Token: "token-" + uuid.NewString(), t: t,
		specs:   map[string]string{"python3": "python"},
		kernels: make(map[string]*Kernel), contents: make(map[string]json.RawMessage),
	}
	for _, o := range opts {
		o(s)
	}
	s.mux = s.routes()
	s.listen("127.0.0.1:0")
	t.Cleanup(s.Close)
	return s
}

func (s *Server) listen(addr string) {
	s.t.Helper()
	l, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", addr)
	if err != nil {
		s.t.Fatalf("fake Jupyter: %v", err)
	}
	srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}} //nolint:exhaustruct // the zero value is the default
	srv.Start()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.http, s.addr = srv, l.Addr().String()
	s.URL = "http://" + s.addr + s.base
}

// Close ends the server and its kernels. It ends with the test in any case.
func (s *Server) Close() {
	s.Down()
	s.free()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.made {
		k.end()
	}
}

// Down ends the server as a kill does: connections break and nobody answers. Its kernels
// keep running.
func (s *Server) Down() {
	s.mu.Lock()
	srv := s.http
	s.http = nil
	kernels := s.all()
	s.mu.Unlock()
	if srv == nil {
		return
	}
	_ = srv.Listener.Close()
	release := hold(srv.Listener.Addr().(*net.TCPAddr).Port) // for Up
	s.mu.Lock()
	s.release = release
	s.mu.Unlock()
	for _, k := range kernels {
		k.Drop()
	}
	srv.CloseClientConnections()
	srv.Close()
}

// Up restarts the server at the same address.
func (s *Server) Up() {
	s.t.Helper()
	s.free()
	s.listen(s.addr)
}

// free releases the port that Down reserved.
func (s *Server) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// Intercept makes f see each request first. If f returns true, it has answered the
// request. nil removes f.
func (s *Server) Intercept(f func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = f
}

// Requests returns the requests so far, for example "GET /api/status".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// AddKernelSpec adds another kernelspec.
func (s *Server) AddKernelSpec(name, language string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.specs[name] = language
}

// AddKernel starts a kernel without a request.
func (s *Server) AddKernel(name string) *Kernel {
	k := newKernel(s, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kernels[k.ID] = k
	s.made = append(s.made, k)
	return k
}

// Kernel returns the running kernel with that id, or nil.
func (s *Server) Kernel(id string) *Kernel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kernels[id]
}

// Kernels returns the running kernels, oldest first.
func (s *Server) Kernels() []*Kernel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all()
}

func (s *Server) all() []*Kernel {
	var ks []*Kernel
	for _, k := range s.made {
		if s.kernels[k.ID] != nil {
			ks = append(ks, k)
		}
	}
	return ks
}

// AddSession creates a session of a notebook with that kernel and returns its id.
func (s *Server) AddSession(path string, k *Kernel) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &session{ID: uuid.NewString(), Path: path, Name: path, Type: "notebook", kernel: k.ID}
	s.sessions = append(s.sessions, n)
	return n.ID
}

// remove removes a kernel and its sessions, and calls tell before any client can ask for
// them.
func (s *Server) remove(id string, tell func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tell()
	delete(s.kernels, id)
	kept := s.sessions[:0]
	for _, n := range s.sessions {
		if n.kernel != id {
			kept = append(kept, n)
		}
	}
	s.sessions = kept
}

// ServeHTTP checks the token as jupyter-server does, and answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, s.base)
	s.mu.Lock()
	intercept := s.intercept
	s.requests = append(s.requests, r.Method+" "+path)
	s.mu.Unlock()
	if intercept != nil && intercept(w, r) {
		return
	}
	if !strings.HasPrefix(r.URL.Path, s.base+"/") {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if auth := r.Header.Get("Authorization"); auth != "token "+s.Token && path != "/api" {
		refuse(w, http.StatusForbidden, "Forbidden")
		return
	}
	r.URL.Path, r.URL.RawPath = path, ""
	s.mux.ServeHTTP(w, r)
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

func refuse(w http.ResponseWriter, status int, message string) {
	respond(w, status, map[string]any{"message": message, "reason": nil})
}

// Refuse answers a request with an error in jupyter-server's form. It is for Intercept.
func Refuse(w http.ResponseWriter, status int, message string) { refuse(w, status, message) }

func (n *session) model(k *Kernel) map[string]any {
	return map[string]any{"id": n.ID, "path": n.Path, "name": n.Name, "type": n.Type, "kernel": k.model()}
}

func (k *Kernel) model() map[string]any {
	k.mu.Lock()
	defer k.mu.Unlock()
	return map[string]any{
		"id": k.ID, "name": k.Name, "execution_state": k.state, "connections": len(k.sockets),
		"last_activity": k.active.UTC().Format("2006-01-02T15:04:05.000000Z"),
	}
}

func kernelGone(w http.ResponseWriter, id string) {
	refuse(w, http.StatusNotFound, "Kernel does not exist: "+strconv.Quote(id))
}
