// Package rights says what an assistant may do, by kind: run code, change files, use the network, restart sessions, and so on.
//
// # Goroutines
//
// It has no state but constants. Everything may be used from any goroutine.
package rights

import (
	"maps"
	"slices"
)

// A Kind is a kind of action.
type Kind string

// The kinds. Those from Files to Unseen are of code, as in catalog.Risk; Code is code that is of none of them.
const (
	Code      Kind = "code"
	Files     Kind = "files"
	Network   Kind = "network"
	Programs  Kind = "programs"
	Packages  Kind = "packages"
	Secrets   Kind = "secrets"
	Variable  Kind = "variable"
	Unseen    Kind = "unseen"
	Notebooks Kind = "notebooks" // changing notebooks
	Sessions  Kind = "sessions"  // restarting and ending sessions
	Gallery   Kind = "gallery"   // rating, tagging, and what the window shows
)

// Kinds lists the kinds, as the window shows them.
var Kinds = []Kind{Code, Files, Network, Programs, Packages, Secrets, Variable, Unseen, Notebooks, Sessions, Gallery}

// ofCode are the kinds of risky code.
var ofCode = []Kind{Files, Network, Programs, Packages, Secrets, Variable, Unseen}

// A Right says what becomes of an action. An unknown one refuses.
type Right string

// The rights.
const (
	Allow Right = "allow"
	Ask   Right = "ask" // the user
	Deny  Right = "deny"
)

// A Table has the right to each kind. Kinds that it has not are asked about: they may be of a newer version.
type Table map[Kind]Right

// To returns the right to a kind.
func (t Table) To(k Kind) Right {
	switch r, ok := t[k]; {
	case !ok:
		return Ask
	case r == Allow || r == Ask:
		return r
	default:
		return Deny
	}
}

// Reads reports whether code must be read before it can be sent: some kind of code has another right than code has.
func (t Table) Reads() bool {
	return slices.ContainsFunc(ofCode, func(k Kind) bool { return t.To(k) != t.To(Code) })
}

// With returns a copy of t with another right to a kind.
func (t Table) With(k Kind, r Right) Table {
	c := maps.Clone(t)
	if c == nil {
		c = make(Table)
	}
	c[k] = r
	return c
}

// Equal reports whether two tables give the same rights.
func (t Table) Equal(o Table) bool {
	return !slices.ContainsFunc(Kinds, func(k Kind) bool { return t.To(k) != o.To(k) })
}

// Valid reports whether a table has only known kinds and rights.
func (t Table) Valid() bool {
	for k, r := range t {
		if !slices.Contains(Kinds, k) || r != Allow && r != Ask && r != Deny {
			return false
		}
	}
	return true
}

// A Preset is a table with a name.
type Preset struct {
	Name  string
	Table Table
}

// The names of the sets, from least to most.
const (
	Look    = "look"    // reads only
	Compute = "compute" // runs code that only computes; the rest is asked about
	Project = "project" // also changes notebooks, and restarts and ends sessions
	Each    = "each"    // asks about all code
	All     = "all"     // everything
)

// Sets are the sets to choose from, from least to most access.
var Sets = []Preset{
	{Look, every(Deny)},
	{Each, every(Allow, append(slices.Clone(ofCode), Code)...)},
	{Compute, every(Allow, append(slices.Clone(ofCode), Notebooks, Sessions)...)},
	{Project, every(Allow, ofCode...)},
	{All, every(Allow)},
}

// every returns a table with one right to all kinds but those that are asked about.
func every(r Right, asked ...Kind) Table {
	t := make(Table, len(Kinds))
	for _, k := range Kinds {
		t[k] = r
		if slices.Contains(asked, k) {
			t[k] = Ask
		}
	}
	return t
}

// Named returns the table of a set. If there is no such set, nothing is allowed.
func Named(name string) Table {
	for _, s := range Sets {
		if s.Name == name {
			return s.Table
		}
	}
	return every(Deny)
}

// NameOf returns the name of the set with a table, or "".
func NameOf(t Table) string {
	for _, s := range Sets {
		if s.Table.Equal(t) {
			return s.Name
		}
	}
	return ""
}
