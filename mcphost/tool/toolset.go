package tool

import (
	"slices"
	"strings"
)

// A Toolset is a group of tools that a client may select.
type Toolset string

// The toolsets. Core overlaps the others: it has the tools that most work needs, for
// clients and models for which each token matters.
const (
	Core     Toolset = "core"
	Jupyter  Toolset = "jupyter"
	Notebook Toolset = "notebook"
	Gallery  Toolset = "gallery"
)

// Toolsets lists the toolsets in the order of the documentation.
var Toolsets = []Toolset{Core, Jupyter, Notebook, Gallery}

// A Selection selects toolsets; nil selects all of them.
type Selection map[Toolset]bool

// Has reports whether the tool of spec is in the set.
func (s Selection) Has(spec Spec) bool { return s.HasAny(spec.Toolset) || spec.Core && s[Core] }

// HasAny reports whether tools of t are in the set.
func (s Selection) HasAny(t Toolset) bool { return s == nil || s[t] }

// ParseToolsets reads a list of toolsets, for example "jupyter,gallery". Empty
// means all. The error is an *Error.
func ParseToolsets(list string) (Selection, error) {
	if list == "" {
		return nil, nil
	}
	s := make(Selection)
	for name := range strings.SplitSeq(list, ",") {
		t := Toolset(strings.TrimSpace(name))
		if !slices.Contains(Toolsets, t) {
			return nil, &Error{
				Code: Validation, Detail: "There is no toolset “" + shown(name) + "”; there are " + toolsetNames() + ".",
				Fields: []Field{{Pointer: "#/toolsets", Detail: "must be some of " + toolsetNames() + ", separated by commas"}},
			}
		}
		s[t] = true
	}
	return s, nil
}

func toolsetNames() string {
	names := make([]string, len(Toolsets))
	for i, t := range Toolsets {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}
