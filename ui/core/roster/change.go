package roster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"easel/mcphost/tool"
	"easel/ui/core/clients"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// What a Change does.
const (
	Add    = "add"    // registers an assistant
	Show   = "show"   // returns the token of one, and changes nothing
	Rights = "rights" // gives one a set of rights
	Pause  = "pause"
	Resume = "resume"
	Forget = "forget"
)

// Default is the set of rights of those that have none of their own: the access mode.
const Default = "default"

// mostName is the length of the longest name, in characters.
const mostName = 60

// Changes returns what a Change can do.
func Changes() []string { return []string{Add, Show, Rights, Pause, Resume, Forget} }

// A Change is what `easel assistants` does.
type Change struct {
	Do   string `json:"do,omitempty"`   // one of Changes; "" only lists
	Name string `json:"name,omitempty"` // or id
	Set  string `json:"set,omitempty"`  // for Rights: the name of one of rights.Sets, or Default
}

// An Outcome is what a Change has led to.
type Outcome struct {
	Assistants []Entry `json:"assistants"`
	Changed    string  `json:"changed,omitempty"` // the id that it was about
	Token      string  `json:"token,omitempty"`   // its token, for Add and Show
	URL        string  `json:"url,omitempty"`     // of Easel, for Add and Show
}

// An Entry is an assistant in the list of the command.
type Entry struct {
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	Client string       `json:"client,omitempty"` // name and version that it sent last
	Since  time.Time    `json:"since,omitzero"`
	Seen   time.Time    `json:"seen,omitzero"`
	Calls  int          `json:"calls"`
	Plots  int          `json:"plots"`
	Rights string       `json:"rights"`          // a set's name, Default, or "own"
	Table  rights.Table `json:"table,omitempty"` // of its own rights
	Paused bool         `json:"paused"`
}

// Change carries out a change. If the error is not nil, nothing has changed.
func (t Tokens) Change(c Change) (out Outcome, err error) {
	t.Store.Update(func(s *state.Snapshot) { out.Changed, err = change(s, c) })
	if err != nil {
		return Outcome{}, err
	}
	kept := Of(t.Store.Snapshot())
	out.Assistants = list(kept.Assistants)
	if c.Do == Add || c.Do == Show {
		out.Token = kept.token(t.Easel(), out.Changed)
	}
	return out, nil
}

// change changes the state, and returns the id of the assistant that c is about.
func change(s *state.Snapshot, c Change) (id string, err error) {
	switch c.Do {
	case "":
		return "", nil
	case Add:
		return add(s, c.Name)
	}
	if id, err = find(s.Assistants, c.Name); err != nil {
		return "", err
	}
	switch c.Do {
	case Show, Forget:
		if id == tool.Others {
			return "", errors.New("the others have no token of their own: theirs is Easel's, which the window's settings replace")
		}
		if c.Do == Forget {
			s.Forget(id)
		}
	case Rights:
		table := rights.Table(nil)
		if c.Set != Default {
			table = rights.Named(c.Set)
			if rights.NameOf(table) != c.Set {
				return "", fmt.Errorf("there are no rights %q", c.Set)
			}
		}
		s.GiveRights(id, table)
	case Pause, Resume:
		s.EditAssistant(id, func(a *state.Assistant) { a.Paused = c.Do == Pause })
	default:
		return "", fmt.Errorf("this Easel cannot %q assistants; it may be too old", c.Do)
	}
	return id, nil
}

// add registers a program that Easel knows, or any other by its name.
func add(s *state.Snapshot, name string) (id string, err error) {
	name = strings.TrimSpace(name)
	if i := slices.IndexFunc(clients.All, func(c clients.Client) bool { return c.Name != "" && idOf(c.Name) == idOf(name) }); i >= 0 {
		name = "" // it has its program's
		id = idOf(clients.All[i].Name)
	} else {
		odd := func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-", r)
		}
		if n := len([]rune(name)); n == 0 || n > mostName || strings.ContainsFunc(name, odd) {
			return "", fmt.Errorf("the name %.80q must have 1 to %d letters, digits, spaces, dots, hyphens or underscores", name, mostName)
		}
		id = idOf(name)
	}
	id = Of(s).current(id)
	there, _ := called(s.Assistants, cmp.Or(name, id))
	if slices.ContainsFunc(s.Assistants, func(a state.Assistant) bool { return a.ID == id }) {
		there = []string{id}
	}
	if len(there) > 0 {
		return "", fmt.Errorf("%s is there already; --show %s prints its token", there[0], there[0])
	}
	s.EditAssistant(id, func(a *state.Assistant) { a.Name = name })
	return id, nil
}

// find returns the id of the assistant with a name or an id.
func find(all []state.Assistant, name string) (string, error) {
	found, known := called(all, name)
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no assistant is called %.80q; there are %s, and --add registers another", name, strings.Join(known, ", "))
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("%d assistants are called %.80q; give one of their ids: %s", len(found), name, strings.Join(found, ", "))
	}
}

// called returns the ids of the assistants with a name, or of the one with an id, and those of all. The others are always there.
func called(all []state.Assistant, name string) (found, known []string) {
	for _, a := range InOrder(all) {
		known = append(known, a.ID)
		if idOf(cmp.Or(NameOf(a), a.ID)) == idOf(strings.TrimSpace(name)) {
			found = append(found, a.ID)
		}
	}
	if slices.Contains(known, name) {
		found = []string{name}
	}
	return found, known
}

// list returns the assistants as the window lists them: the last one first, and the others at the end.
func list(all []state.Assistant) []Entry {
	listed := []Entry{}
	for _, a := range InOrder(all) {
		x := Entry{
			ID: a.ID, Name: cmp.Or(NameOf(a), a.ID), Client: a.Client, Since: a.First, Seen: a.Last, Calls: a.Calls, Plots: a.Plots,
			Rights: Default, Paused: a.Paused,
		}
		if a.Rights != nil {
			if x.Rights = rights.NameOf(a.Rights); x.Rights == "" {
				x.Rights, x.Table = "own", a.Rights
			}
		}
		listed = append(listed, x)
	}
	return listed
}

// InOrder returns the assistants to list: those that have connected, the last one first, and the others at the end.
func InOrder(all []state.Assistant) []state.Assistant {
	others := state.Assistant{ID: tool.Others}
	shown := slices.DeleteFunc(slices.Clone(all), func(a state.Assistant) bool {
		if a.ID == tool.Others {
			others = a
		}
		return a.Gone || a.ID == tool.Others
	})
	slices.SortStableFunc(shown, func(a, b state.Assistant) int { return b.Last.Compare(a.Last) })
	return append(shown, others)
}
