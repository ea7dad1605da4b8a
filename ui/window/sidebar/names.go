package sidebar

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
)

// listedEnded returns the ended sessions that are listed.
func (b *Bar) listedEnded(live map[string]bool) (listed []library.Session) {
	for _, x := range b.known.sessions {
		if !live[x.ID] && x.Images > 0 && len(listed) < mostEnded {
			listed = append(listed, x)
		}
	}
	return listed
}

// serverOf returns a function that returns the server to show for a listed session: its server
// if another session has the same name on another server, and otherwise "".
func (b *Bar) serverOf(ended []library.Session) func(name, server string) string {
	first, several := make(map[string]string), make(map[string]bool)
	note := func(name, server string) {
		if other, ok := first[name]; ok && other != server {
			several[name] = true
		}
		first[name] = server
	}
	for _, x := range b.snap.Sessions {
		note(Name(x), x.Server)
	}
	for _, x := range ended {
		note(properties.SessionName(x), x.Server)
	}
	return func(name, server string) string {
		if several[name] {
			return server
		}
		return ""
	}
}

// KernelTitle returns the name of a kernel that no Jupyter server runs: that of its program, and
// the start of its id. A session of it has the same name.
func KernelTitle(x catalog.Session) string {
	name := x.KernelName
	if x.Process != nil {
		name = cmp.Or(x.Process.Program, name)
	}
	return name + " · " + x.KernelID[:min(6, len(x.KernelID))]
}

// KernelFacts returns what identifies such a kernel, a fact in each line.
func KernelFacts(k *kit.Kit, x catalog.Session) string {
	var lines []string
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, k.T(key)+": "+value)
		}
	}
	add("kernel.spec", x.KernelName)
	if p := x.Process; p != nil {
		add("kernel.program", p.Program)
		if p.PID != 0 {
			add("kernel.process", strconv.Itoa(p.PID))
		}
		add("kernel.directory", p.Directory)
		if !p.StartedAt.IsZero() {
			add("kernel.started", k.Tr.When(p.StartedAt, k.Now()))
		}
		add("kernel.file", p.ConnectionFile)
	}
	return strings.Join(lines, "\n")
}

// Name returns the name of a live session.
func Name(x state.Session) string { return x.Title() }

// ShortName returns a shorter name for a live session: a notebook's name without folder
// and extension, or the beginning of the id of a session without a name.
func ShortName(x state.Session) string {
	name := Name(x)
	if base, ok := strings.CutSuffix(name, ".ipynb"); ok {
		return path.Base(base)
	}
	return strings.TrimPrefix(name, x.KernelName+" · ")
}
