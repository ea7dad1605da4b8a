// Package sessionname decides what a session is called: by the shortest name that tells it apart
// from the sessions that it is shown with.
//
// A session has the name that the user gave it, else the file name of its notebook, else the title
// that its client gave it or that of its work, else its program, project or kernel with the start of
// its id. If another session would have the same name, the folders of the notebook are added, one
// after the other, then the server, then the id.
//
// A name does not change when the session ends: a live session is told apart from live ones only,
// and an ended one from all others. Earlier runs of one notebook share its name; their times tell
// them apart.
//
// # Goroutines
//
// None. Every function may be called from any goroutine.
package sessionname

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// A Session is what a session is named after. Each field may be empty.
type Session struct {
	ID, KernelID string
	KernelName   string
	Program      string // that runs the kernel, if no Jupyter server does
	Project      string // that it works in
	Server       string
	NotebookPath string
	Given        string // the user's name for it
	Title        string // its client's, or what was asked first
	Ended        bool
}

// Project returns the name of the project of a session: that of its server, if it has the root or
// the Python of a project.
func Project(server, root, environment string) string {
	if root == "" && environment == "" {
		return ""
	}
	return server
}

// Of returns the name of a session that is shown alone.
func Of(s Session) string { return s.name(0, 0) }

// Among returns the names of sessions that are shown together, in their order.
func Among(all []Session) []string {
	n := namer{all: all, names: make([]string, len(all)), chosen: make(map[string][]int)}
	for _, s := range all {
		n.folders = max(n.folders, strings.Count(s.NotebookPath, "/"))
	}
	n.choose(false)
	n.choose(true)
	return n.names
}

type namer struct {
	all     []Session
	folders int // the largest number of folders of a notebook
	names   []string
	chosen  map[string][]int // the sessions that have a name
}

// choose chooses the names of the live or of the ended sessions.
func (n *namer) choose(ended bool) {
	var open []int
	for i, s := range n.all {
		if s.Ended == ended {
			open = append(open, i)
		}
	}
	for length := 0; len(open) > 0; length++ {
		same := make(map[string][]int)
		for i, s := range n.all {
			same[s.name(length, n.folders)] = append(same[s.name(length, n.folders)], i)
		}
		open = slices.DeleteFunc(open, func(i int) bool {
			name := n.all[i].name(length, n.folders)
			rival := func(j int) bool { return n.rivals(i, j) }
			if length <= n.folders+longer && (slices.ContainsFunc(same[name], rival) || slices.ContainsFunc(n.chosen[name], rival)) {
				return false
			}
			n.names[i] = name
			n.chosen[name] = append(n.chosen[name], i)
			return true
		})
	}
}

// rivals reports whether the name of the session i must differ from that of j.
func (n *namer) rivals(i, j int) bool {
	a, b := n.all[i], n.all[j]
	if i == j || !a.Ended && b.Ended {
		return false
	}
	sameWork := a.Given == b.Given && a.NotebookPath == b.NotebookPath && a.Server == b.Server
	return !sameWork || !a.Ended
}

// longer is how many names there are that are longer than those with folders.
const longer = 4

// name returns the name of a length from 0, the shortest one, to folders+longer.
func (s Session) name(length, folders int) string {
	id := cmp.Or(s.KernelID, s.ID)
	short := id[:min(6, len(id))]
	base := s.Given
	switch kernel := cmp.Or(s.Program, s.Project, s.KernelName); {
	case s.Given != "":
	case s.NotebookPath != "":
		base = path.Base(s.NotebookPath)
	case s.Title != "":
		base = s.Title
	default:
		base = with(kernel, short)
	}
	whole := cmp.Or(s.Given, s.NotebookPath, base)
	switch length - folders {
	case 1:
		return with(base, s.Server)
	case 2:
		return with(whole, s.Server)
	case 3:
		return with(base, short)
	case longer:
		return with(base, id)
	}
	if whole != s.NotebookPath || s.Given != "" {
		return base
	}
	parts := strings.Split(whole, "/")
	return path.Join(parts[max(0, len(parts)-1-length):]...)
}

// with returns a name and what is added to it.
func with(name, more string) string {
	if name == "" || more == "" {
		return name + more
	}
	return name + " · " + more
}
