package jupyter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Status is the status of a server.
type Status struct {
	Version string    // of jupyter-server
	Started time.Time // zero if the server does not report it, as with gateways
}

// Status requests /api/status, which verifies the token, and the version. A gateway has
// no status; its kernelspecs verify the token.
func (s *Server) Status(ctx context.Context) (Status, error) {
	var version struct {
		Version string `json:"version"`
	}
	if err := s.do(ctx, call{method: http.MethodGet, url: s.at("api"), out: &version}); err != nil {
		return Status{}, err
	}
	var status struct {
		Started time.Time `json:"started"`
	}
	err := s.do(ctx, call{method: http.MethodGet, url: s.at("api", "status"), out: &status})
	if errors.Is(err, ErrNotFound) {
		_, err = s.KernelSpecs(ctx)
	}
	return Status{version.Version, status.Started}, err
}

// KernelSpecs are the kinds of kernels that a server can start.
type KernelSpecs struct {
	Default string
	Specs   map[string]KernelSpec // by name
}

// A KernelSpec is one kind of kernel.
type KernelSpec struct {
	Name          string
	DisplayName   string
	Language      string
	InterruptMode string // signal or message
	Program       string // the first word of its command; "" if the server does not report it
}

// KernelSpecs returns the kinds of kernels that the server can start.
func (s *Server) KernelSpecs(ctx context.Context) (KernelSpecs, error) {
	var answer struct {
		Default string `json:"default"`
		Specs   map[string]struct {
			Name string `json:"name"`
			Spec struct {
				DisplayName   string   `json:"display_name"`
				Language      string   `json:"language"`
				InterruptMode string   `json:"interrupt_mode"`
				Argv          []string `json:"argv"`
			} `json:"spec"`
		} `json:"kernelspecs"`
	}
	if err := s.do(ctx, call{method: http.MethodGet, url: s.at("api", "kernelspecs"), out: &answer}); err != nil {
		return KernelSpecs{}, err
	}
	specs := KernelSpecs{Default: answer.Default, Specs: make(map[string]KernelSpec)}
	for name, a := range answer.Specs {
		spec := KernelSpec{Name: name, DisplayName: a.Spec.DisplayName, Language: a.Spec.Language, InterruptMode: a.Spec.InterruptMode}
		if len(a.Spec.Argv) > 0 {
			spec.Program = a.Spec.Argv[0]
		}
		spec.InterruptMode = cmp.Or(spec.InterruptMode, "signal")
		specs.Specs[name] = spec
	}
	s.mu.Lock()
	s.specs = specs.Specs
	s.mu.Unlock()
	return specs, nil
}

// spec returns the kernelspec with that name. It is zero if there is none or the server
// does not report it.
func (s *Server) spec(ctx context.Context, name string) KernelSpec {
	s.mu.Lock()
	spec, ok := s.specs[name]
	s.mu.Unlock()
	if ok {
		return spec
	}
	specs, err := s.KernelSpecs(ctx)
	if err != nil {
		return KernelSpec{}
	}
	return specs.Specs[name]
}

// knows returns a [NoSuchKernelSpecError] if the server has no such kernelspec. Asked to
// start one, a server would only answer "unhandled error".
func (s *Server) knows(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	specs, err := s.KernelSpecs(ctx)
	if err != nil {
		return err
	}
	if _, ok := specs.Specs[name]; !ok {
		return &NoSuchKernelSpecError{Name: name, Known: slices.Sorted(maps.Keys(specs.Specs))}
	}
	return nil
}

// A KernelModel is a kernel in the server's list.
type KernelModel struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"` // of its kernelspec
	LastActivity time.Time `json:"last_activity"`
	// State is starting, idle, busy, restarting or dead. After a crash it remains
	// starting until a client executes code.
	State string `json:"execution_state"`
	// Connections is how many clients are connected; -1 if the server does not report it.
	Connections int `json:"connections"`
	// Process is where a kernel runs that no Jupyter server does; see package local. It is
	// nil for all others.
	Process *Process `json:"process,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *KernelModel) UnmarshalJSON(data []byte) error {
	type plain KernelModel
	p := plain{Connections: -1}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*k = KernelModel(p)
	return nil
}

// A Process is where a kernel runs on this machine. What is unknown is zero.
type Process struct {
	PID     int       `json:"pid"`
	Program string    `json:"program"` // that started it, for example jupyter-console
	Dir     string    `json:"dir"`     // its working directory
	User    string    `json:"user"`
	Started time.Time `json:"started"`
	File    string    `json:"file"`    // its connection file
	Problem string    `json:"problem"` // why it cannot be connected; "" if it can
	// Guest is whether the program has come to Easel by itself; see package local.
	Guest bool `json:"guest"`
}

// KernelID returns the id under which a Jupyter server would know the kernel, or "": servers
// name the connection file after it.
func (p *Process) KernelID() string {
	if p == nil {
		return ""
	}
	id := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(p.File), ".json"), "kernel-")
	if !isID(id) {
		return ""
	}
	return id
}

// Kernels lists the running kernels. Gateways may forbid it: the error is
// ErrUnauthorized.
func (s *Server) Kernels(ctx context.Context) ([]KernelModel, error) {
	var kernels []KernelModel
	err := s.do(ctx, call{method: http.MethodGet, url: s.at("api", "kernels"), out: &kernels})
	return kernels, err
}

// Terminals returns how many terminals are open. A server without terminals has none.
func (s *Server) Terminals(ctx context.Context) (int, error) {
	var terminals []struct{}
	err := s.do(ctx, call{method: http.MethodGet, url: s.at("api", "terminals"), out: &terminals})
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return len(terminals), err
}

// Kernel returns one kernel.
func (s *Server) Kernel(ctx context.Context, id string) (KernelModel, error) {
	var kernel KernelModel
	err := s.about(ctx, call{method: http.MethodGet, out: &kernel}, "kernel", id)
	return kernel, err
}

// A StartKernelRequest says which kernel to start.
type StartKernelRequest struct {
	Name string            // of the kernelspec; "" means the server's default
	Path string            // working directory, relative to the root
	Env  map[string]string // for gateways, which accept KERNEL_… variables; others ignore it
	// LayerOf is the id of a running kernel: the new one sees what was installed from that. Only
	// Easel's own servers know it (easel_layers.py).
	LayerOf string
}

// StartKernel starts a kernel without a session. The server answers before the kernel
// does. Additional errors: *[NoSuchKernelSpecError], ErrKernelStart.
func (s *Server) StartKernel(ctx context.Context, r StartKernelRequest) (KernelModel, error) {
	if err := s.knows(ctx, r.Name); err != nil {
		return KernelModel{}, err
	}
	in := map[string]any{}
	if r.Name != "" {
		in["name"] = r.Name
		if r.LayerOf != "" {
			in["name"] = r.Name + "@" + r.LayerOf
		}
	}
	if r.Path != "" {
		path, err := s.ownPath(r.Path)
		if err != nil {
			return KernelModel{}, err
		}
		in["path"] = path
	}
	if len(r.Env) > 0 {
		in["env"] = r.Env
	}
	var kernel KernelModel
	err := s.do(ctx, call{method: http.MethodPost, url: s.at("api", "kernels"), in: in, out: &kernel, fails: ErrKernelStart})
	return kernel, s.explainStart(ctx, r.Name, err)
}

// DeleteKernel ends a kernel and its session.
func (s *Server) DeleteKernel(ctx context.Context, id string) error {
	return s.about(ctx, call{method: http.MethodDelete}, "kernel", id)
}

// InterruptKernel interrupts what the kernel is running, whoever requested it.
func (s *Server) InterruptKernel(ctx context.Context, id string) error {
	return s.about(ctx, call{method: http.MethodPost}, "kernel", id, "interrupt")
}

// RestartKernel restarts a kernel: it keeps its id and loses its variables. No
// "restarting" status is sent. See [Kernel.Probe] for when it accepts requests.
func (s *Server) RestartKernel(ctx context.Context, id string) (KernelModel, error) {
	var kernel KernelModel
	err := s.about(ctx, call{method: http.MethodPost, fails: ErrKernelStart, out: &kernel}, "kernel", id, "restart")
	return kernel, s.explainStart(ctx, "", startError(err, err))
}

// A SessionModel is a session in the server's list: a name and a kernel.
type SessionModel struct {
	ID     string      `json:"id"`
	Path   string      `json:"path"`
	Name   string      `json:"name"`
	Type   string      `json:"type"` // notebook, console, …
	Kernel KernelModel `json:"kernel"`
}

// Sessions lists the sessions. Gateways may forbid it: the error is ErrUnauthorized.
func (s *Server) Sessions(ctx context.Context) ([]SessionModel, error) {
	var sessions []SessionModel
	err := s.do(ctx, call{method: http.MethodGet, url: s.at("api", "sessions"), out: &sessions})
	return sessions, err
}

// Session returns one session.
func (s *Server) Session(ctx context.Context, id string) (SessionModel, error) {
	var session SessionModel
	err := s.about(ctx, call{method: http.MethodGet, out: &session}, "session", id)
	return session, err
}

// A CreateSessionRequest says which session to create.
type CreateSessionRequest struct {
	Path       string // of the notebook; cleaned with CleanPath
	Name       string
	Type       string // "" means notebook
	KernelName string // start a kernel of this kernelspec; "" means the default
	KernelID   string // or use this kernel
}

// CreateSession creates a session and starts its kernel. If a session exists at that
// path, it returns that one, whatever its kernel. Additional errors:
// *[NoSuchKernelSpecError], ErrKernelStart, ErrBadPath.
func (s *Server) CreateSession(ctx context.Context, r CreateSessionRequest) (SessionModel, error) {
	path, err := s.ownPath(r.Path)
	if err != nil {
		return SessionModel{}, err
	}
	kernel := map[string]string{}
	switch {
	case r.KernelID != "" && !isID(r.KernelID):
		return SessionModel{}, notAnID("kernel", r.KernelID)
	case r.KernelID != "":
		kernel["id"] = r.KernelID
	case r.KernelName != "":
		if err := s.knows(ctx, r.KernelName); err != nil {
			return SessionModel{}, err
		}
		kernel["name"] = r.KernelName
	}
	in := map[string]any{"path": path, "name": r.Name, "type": r.Type, "kernel": kernel}
	if r.Type == "" {
		in["type"] = "notebook"
	}
	var session SessionModel
	err = s.do(ctx, call{method: http.MethodPost, url: s.at("api", "sessions"), in: in, out: &session, fails: ErrKernelStart})
	return session, s.explainStart(ctx, r.KernelName, err)
}

// SetSessionKernel assigns another kernel of the same server to a session. The server
// ends the previous kernel.
func (s *Server) SetSessionKernel(ctx context.Context, id, kernelID string) (SessionModel, error) {
	in := map[string]any{"kernel": map[string]string{"id": kernelID}}
	var session SessionModel
	err := s.about(ctx, call{method: http.MethodPatch, in: in, out: &session}, "session", id)
	return session, err
}

// DeleteSession ends a session and its kernel.
func (s *Server) DeleteSession(ctx context.Context, id string) error {
	return s.about(ctx, call{method: http.MethodDelete}, "session", id)
}

// about sends a request about one kernel or session, at its address or at one below that.
func (s *Server) about(ctx context.Context, c call, what, id string, below ...string) error {
	if !isID(id) {
		return notAnID(what, id)
	}
	c.url = s.at(append([]string{"api", what + "s", id}, below...)...)
	return s.do(ctx, c)
}

func notAnID(what, id string) error {
	return fmt.Errorf("%w: no %s %q", ErrNotFound, what, id[:min(len(id), 100)])
}
