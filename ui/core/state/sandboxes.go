package state

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// A Sandbox says what the kernels of a project may do beside computing in its folder.
type Sandbox struct {
	Network bool     `json:"network,omitzero"`
	Read    []string `json:"read,omitempty"`  // other folders that they read
	Write   []string `json:"write,omitempty"` // other folders that they write
}

// Sandboxes are the projects whose kernels run in a sandbox, by their roots. A Sandboxes is immutable and
// comparable; the zero value is empty.
type Sandboxes struct{ text string } // JSON; "" is none

// Of returns the sandbox of a project: its own, or that of the nearest folder above it that has one. A kernel
// could make a folder of its project another project.
func (s Sandboxes) Of(root string) (Sandbox, bool) {
	if s.text == "" || !filepath.IsAbs(root) {
		return Sandbox{}, false
	}
	all := s.all()
	for {
		if x, ok := all[root]; ok {
			return x, true
		}
		above := filepath.Dir(root)
		if above == root {
			return Sandbox{}, false
		}
		root = above
	}
}

// With returns s with the sandbox of a project. If it is not valid, With returns s.
func (s Sandboxes) With(root string, x Sandbox) Sandboxes {
	if !validSandbox(root, x) {
		return s
	}
	all := s.all()
	x.Read, x.Write = slices.Clone(x.Read), slices.Clone(x.Write)
	all[root] = x
	return sandboxesOf(all)
}

// Without returns s without that of a project.
func (s Sandboxes) Without(root string) Sandboxes {
	all := s.all()
	delete(all, root)
	return sandboxesOf(all)
}

// Roots returns the projects that have one, sorted.
func (s Sandboxes) Roots() []string { return slices.Sorted(maps.Keys(s.all())) }

func validSandbox(root string, x Sandbox) bool {
	return !slices.ContainsFunc(slices.Concat([]string{root}, x.Read, x.Write), func(path string) bool {
		return !filepath.IsAbs(path) || strings.ContainsFunc(path, unicode.IsControl)
	})
}

func (s Sandboxes) all() map[string]Sandbox {
	all := make(map[string]Sandbox)
	if s.text != "" {
		_ = json.Unmarshal([]byte(s.text), &all) // sandboxesOf has written it
	}
	return all
}

func sandboxesOf(all map[string]Sandbox) Sandboxes {
	if len(all) == 0 {
		return Sandboxes{}
	}
	text, _ := json.Marshal(all) // paths and booleans, sorted
	return Sandboxes{string(text)}
}

// MarshalJSON encodes the sandboxes as an object by root.
func (s Sandboxes) MarshalJSON() ([]byte, error) { return json.Marshal(s.all()) }

// UnmarshalJSON decodes what MarshalJSON writes. A project with a wrong entry has a sandbox that allows nothing
// more.
func (s *Sandboxes) UnmarshalJSON(raw []byte) error {
	var read map[string]json.RawMessage
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	all := make(map[string]Sandbox)
	for root, text := range read {
		var x Sandbox
		if json.Unmarshal(text, &x) != nil || !validSandbox(root, x) {
			x = Sandbox{}
		}
		if validSandbox(root, x) {
			all[root] = x
		}
	}
	*s = sandboxesOf(all)
	return nil
}
