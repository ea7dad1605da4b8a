package catalog

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// An EnvironmentChange is something of an environment that was replaced by something else.
type EnvironmentChange struct {
	What string `json:"what" jsonschema:"language, package, commit, uncommitted changes or lock file"`
	Was  string `json:"was,omitempty" jsonschema:"when the plot was drawn; absent if there was none"`
	Now  string `json:"now,omitempty" jsonschema:"in the check; absent if there is none"`
}

// String returns "pandas 3.1.1 → 2.1.4".
func (c EnvironmentChange) String() string {
	or := func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	}
	return c.What + " " + or(c.Was) + " → " + or(c.Now)
}

// mostListed is how many changes a list names.
const mostListed = 6

// Listed returns changes in a line.
func Listed(changes []EnvironmentChange) string {
	var words []string
	for _, c := range changes[:min(len(changes), mostListed)] {
		words = append(words, c.String())
	}
	if more := len(changes) - mostListed; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

// ChangesTo returns what differs in now: the language, the commit, the uncommitted changes, the lock file, and the packages, with
// those that the code names first. Packages that only one of both has count if the code names them.
func (e Environment) ChangesTo(now Environment) []EnvironmentChange {
	const short = 8 // of a hash
	var changes []EnvironmentChange
	add := func(what, was, now string) {
		if was != now {
			changes = append(changes, EnvironmentChange{what, was, now})
		}
	}
	if e.Language == now.Language {
		add(e.Language, e.Version, now.Version)
	} else {
		add("language", e.Interpreter(), now.Interpreter())
	}
	for _, was := range e.Packages {
		i := slices.IndexFunc(now.Packages, func(p Package) bool { return p.Name == was.Name })
		switch {
		case i >= 0:
			add(was.Name, was.Version, now.Packages[i].Version)
		case was.Used:
			add(was.Name, was.Version, "")
		}
	}
	for _, p := range now.Used() {
		if !slices.ContainsFunc(e.Packages, func(was Package) bool { return p.Name == was.Name }) {
			add(p.Name, "", p.Version)
		}
	}
	if e.Commit != now.Commit || e.Dirty != nil && now.Dirty != nil && *e.Dirty != *now.Dirty {
		add("commit", e.Revision(), now.Revision())
	} else if e.DirtyHash != "" && now.DirtyHash != "" {
		add("uncommitted changes", e.DirtyHash[:min(short, len(e.DirtyHash))], now.DirtyHash[:min(short, len(now.DirtyHash))])
	}
	if e.LockHash != now.LockHash {
		name := path.Base(strings.ReplaceAll(cmp.Or(now.LockFile, e.LockFile), "\\", "/"))
		add(name, e.LockHash[:min(short, len(e.LockHash))], now.LockHash[:min(short, len(now.LockHash))])
	}
	return changes
}
