// Package secrets tells a mask which values are secret: those in Easel's environment, which
// kernels have, too, and those in the .env files of the folders that are in use. It also knows
// which projects' secrets the user lets assistants see.
//
// # Goroutines
//
// None. All methods may be called from any goroutine.
package secrets

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/internal/mask"
	"easel/jupyter/tunnel"
	"easel/ui/core/state"
)

// Files are the names of the files whose variables are looked at, in each folder.
var Files = []string{
	".env", ".env.local", ".env.dev", ".env.development", ".env.prod", ".env.production", ".env.test", ".env.staging", ".envrc", ".flaskenv",
}

// mostBytes is the largest file that is read.
const mostBytes = 256 << 10

// mostUp is how many folders above that of a session are looked at, in its project.
const mostUp = 8

// Config is what a Source gets from the other parts.
type Config struct {
	Mask    *mask.Mask // that is told; may be nil
	Store   *state.Store
	WorkDir string                      // where sessions without a project work
	Environ []string                    // as os.Environ returns it
	Server  func(server string) string  // returns the root of the open project with a server, or ""
	Ended   func(session string) string // returns the root of the project of a session that has ended, or ""
}

// A Source knows what is secret.
type Source struct {
	c Config

	mu    sync.Mutex    // guards the fields below
	known []mask.Secret // of the environment, and typed
	files map[string]file
}

// A file is a .env file as it was read last.
type file struct {
	size    int64
	changed time.Time
	secrets []mask.Secret
}

// Environment returns the secrets in an environment, as os.Environ returns it.
func Environment(environ []string) []mask.Secret {
	var all []mask.Secret
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			all = append(all, mask.Secret{Name: name, Value: value})
		}
	}
	return mask.Secrets(all)
}

// New returns a source that has looked once.
func New(c Config) *Source {
	s := &Source{c: c, known: Environment(c.Environ), files: make(map[string]file)}
	s.Look()
	return s
}

// Look reads the .env files that have changed since the last look, and tells the mask.
func (s *Source) Look() {
	if s.c.Mask == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.known)
	seen := make(map[string]file, len(s.files))
	for _, dir := range s.folders() {
		for _, name := range Files {
			path := filepath.Join(dir, name)
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
				continue
			}
			f, known := s.files[path]
			if !known || f.size != info.Size() || !f.changed.Equal(info.ModTime()) {
				f = file{info.Size(), info.ModTime(), read(path)}
			}
			seen[path] = f
			all = append(all, f.secrets...)
		}
	}
	// What was read once stays secret: a kernel may still have it.
	for path, f := range s.files {
		if now, ok := seen[path]; ok {
			f.secrets = union(now.secrets, f.secrets)
			f.size, f.changed = now.size, now.changed
		}
		seen[path] = f
		all = append(all, f.secrets...)
	}
	s.files = seen
	s.c.Mask.Know(union(all, nil))
}

// mostKept is how many secrets of one file are remembered.
const mostKept = 200

// union returns the secrets of two lists, without repetition.
func union(a, b []mask.Secret) []mask.Secret {
	known := make(map[mask.Secret]bool)
	var all []mask.Secret
	for _, x := range slices.Concat(a, b) {
		if !known[x] {
			known[x] = true
			all = append(all, x)
		}
	}
	return all[:min(len(all), max(len(a), mostKept))]
}

func read(path string) []mask.Secret {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it is only read
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil
	}
	return mask.Secrets(mask.Variables(text))
}

// folders returns the folders whose .env files count: those of the live sessions and above, up to
// their projects', of the open projects, and the working folder.
func (s *Source) folders() []string {
	n := s.c.Store.Snapshot()
	all := []string{s.c.WorkDir}
	for _, p := range n.Projects {
		all = append(all, p.Root)
	}
	for i := range n.Sessions {
		x := &n.Sessions[i]
		all = append(all, x.Project)
		dir := x.Directory
		for range mostUp {
			all = append(all, dir)
			if dir == x.Project || dir == s.c.WorkDir || x.Project == "" || filepath.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(dir string) bool { return !filepath.IsAbs(dir) || tunnel.IsAddress(dir) })
}

// Typed learns a password that the user has typed for running code, which could print it.
func (s *Source) Typed(password string) {
	x := mask.Secret{Name: "typed_password", Value: password}
	if !mask.IsSecret(x.Name, password) {
		return
	}
	s.mu.Lock()
	s.known = append(s.known, x)
	s.known = s.known[max(0, len(s.known)-mostKept):]
	s.mu.Unlock()
	s.Look()
}

// Open reports whether the user lets assistants see the secrets in what a call returns: all, or
// those of the project that a session or a server belongs to.
func (s *Source) Open(session, server string) bool {
	n := s.c.Store.Snapshot()
	if n.Settings.ShowSecrets {
		return true
	}
	root := ""
	about := func(x state.Session) bool { return x.SessionID == session || x.KernelID == session }
	if i := slices.IndexFunc(n.Sessions, about); session != "" && i >= 0 {
		root = n.Sessions[i].Project
	} else if session != "" && s.c.Ended != nil {
		root = s.c.Ended(session)
	} else if session == "" && server != "" && s.c.Server != nil {
		root = s.c.Server(server)
	}
	_, open := n.Settings.SecretsShown.Find(root)
	return open && root != ""
}

// Of returns the mask for what others get of a session, which hides nothing if the user wants that.
func (s *Source) Of(session string) *mask.Mask {
	if s.Open(session, "") {
		return nil
	}
	s.Look()
	return s.c.Mask
}
