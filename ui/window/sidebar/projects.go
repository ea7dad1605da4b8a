package sidebar

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// ProjectActions are called when the user does something with a project, as Actions are. A
// project is named by its root.
type ProjectActions struct {
	Open       func()
	NewSession func(root string)
	Menu       func(root string, at fyne.Position)
	PythonMenu func(root string, at fyne.Position)
	Lacks      func(p command.Project) // its environment is missing or cannot be used
	Notebook   func(root, path string, at fyne.Position)
	Notebooks  func(p command.Project, at fyne.Position) // all of them
}

// mostNotebooks is how many notebooks are listed of a project at most.
const mostNotebooks = 3

// A group is a project in the bar.
type group struct {
	root, name string
	open       *command.Project // nil while its server does not run
	live       []state.Session
	ended      []library.Session
	used       time.Time // see Bar.used
}

// restless is how long a project must have been unused to move up when it is used again. Projects in which
// assistants work at the same time would change places all the time otherwise.
const restless = 10 * time.Minute

// A use is when a project was last used, and when that began.
type use struct{ last, began time.Time }

// used returns when the last use of a project began.
func (b *Bar) used(g *group) time.Time {
	last := time.Time{}
	note := func(times ...time.Time) {
		for _, t := range times {
			if t.After(last) {
				last = t
			}
		}
	}
	for _, x := range g.live {
		note(x.CreatedAt, x.Used)
	}
	for _, x := range g.ended {
		note(x.CreatedAt, x.EndedAt)
	}
	now, ok := b.uses[g.root]
	if !ok || last.Sub(now.last) > restless {
		now.began = last
	}
	now.last = last
	b.uses[g.root] = now
	return now.began
}

// rank sorts projects: first those in which something runs.
func (g *group) rank() int {
	switch {
	case len(g.live) > 0:
		return 0
	case g.open != nil:
		return 1
	default:
		return 2
	}
}

// groups returns the projects to show: those that are open, and those with sessions. Those with live
// sessions come first, and of these the last used.
func (b *Bar) groups(ended []library.Session) []*group {
	all := make(map[string]*group)
	of := func(root string) *group {
		if all[root] == nil {
			all[root] = &group{root: root}
		}
		return all[root]
	}
	for i, p := range b.snap.Projects {
		of(p.Root).open = &b.snap.Projects[i]
	}
	for _, x := range b.snap.Sessions {
		if x.Project != "" {
			g := of(x.Project)
			g.live = append(g.live, x)
		}
	}
	for _, x := range ended {
		if x.Project != "" {
			g := of(x.Project)
			g.ended = append(g.ended, x)
		}
	}
	names := folderNames(slices.Collect(maps.Keys(all)))
	for root, g := range all {
		g.name, g.used = names[root], b.used(g)
	}
	return slices.SortedFunc(maps.Values(all), func(x, y *group) int {
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), y.used.Compare(x.used),
			strings.Compare(strings.ToLower(x.name), strings.ToLower(y.name)), strings.Compare(x.root, y.root))
	})
}

// machineOf divides the root of a project into its machine, with a colon, and its path there. The
// machine is "" for this one.
func machineOf(root string) (machine, path string) {
	rest, ok := strings.CutPrefix(root, "ssh://")
	if !ok {
		return "", filepath.ToSlash(root)
	}
	host, path, _ := strings.Cut(rest, "/")
	return host + ":", "/" + path
}

// folderNames returns the shortest names that tell folders apart: the last parts of their paths, and
// the machine if that is another one.
func folderNames(roots []string) map[string]string {
	// ends calls f with the machine and the ends of a root's path, the shortest first, until it returns false.
	ends := func(root string, f func(name string) bool) {
		machine, path := machineOf(root)
		parts := strings.Split(path, "/")
		for n := range slices.Backward(parts) {
			if !f(machine + strings.Join(parts[n:], "/")) {
				return
			}
		}
	}
	count := make(map[string]int)
	for _, root := range roots {
		ends(root, func(name string) bool { count[name]++; return true })
	}
	names := make(map[string]string)
	for _, root := range roots {
		ends(root, func(name string) bool { names[root] = name; return count[name] > 1 })
	}
	return names
}

// projects returns the rows of the projects, under a title. If there is none, they are a row that
// opens one.
func (b *Bar) projects(ended []library.Session, names map[string]string) (rows []row) {
	groups, title := b.groups(ended), row{name: b.k.T("sidebar.projects")}
	if len(groups) == 0 {
		open := row{
			id: "open project", small: true, icon: "plus", name: b.k.T("projects.open"),
			tip: b.k.T("projects.open_tip"), tap: b.act.Projects.Open,
		}
		return []row{title, open}
	}
	title.add, title.tip = b.act.Projects.Open, b.k.T("projects.open_tip")
	rows = append(rows, title)
	for _, g := range groups {
		rows = append(rows, b.header(g))
		if b.act.Folded[g.root] {
			continue
		}
		rows = append(rows, b.pythonRow(g))
		for _, x := range g.live {
			rows = append(rows, b.within(b.liveRow(x), x.Named()))
		}
		rows = append(rows, b.notebookRows(g)...)
		rows = append(rows, b.endedRows(g.root, g.ended, func(x library.Session) row {
			return b.within(b.endedRow(x, names[x.ID]), x.Named())
		})...)
	}
	return rows
}

// header returns the row with a project's name. While the project is folded, it also says what
// its sessions do, and how many plots they have.
func (b *Bar) header(g *group) row {
	r := row{
		id: "project " + g.root, name: g.name, project: g, tip: g.root, fold: g.root, folded: b.act.Folded[g.root],
		tap:  func() { b.fold(g.root, !b.act.Folded[g.root]) },
		menu: func(at fyne.Position) { b.act.Projects.Menu(g.root, at) },
	}
	if !b.act.Folded[g.root] {
		return r
	}
	images := 0
	for _, x := range g.live {
		images += x.Images
		if m := Mark(x); r.mark == kit.MarkNone || m == kit.MarkBusy || m == kit.MarkBad {
			r.mark = m
		}
	}
	for _, x := range g.ended {
		images += x.Images
	}
	r.count = number(images)
	return r
}

// fold hides or shows what is below a row.
func (b *Bar) fold(key string, on bool) {
	b.act.Folded[key] = on
	b.draw()
}

// pythonRow returns the row with a project's Python. A click lets the user choose another one, or
// says what is missing.
func (b *Bar) pythonRow(g *group) row {
	k := b.k
	r := row{id: "python " + g.root, small: true, tip: k.T("projects.choose_tip"), icon: "chevron-down"}
	r.menu = func(at fyne.Position) { b.act.Projects.PythonMenu(g.root, at) }
	_, allowed := b.snap.Settings.Projects.Find(g.root)
	switch p := g.open; {
	case p == nil:
		r.name = k.T("projects.resting")
		if len(g.live) > 0 {
			r.name = g.live[0].Environment
		} else if i := slices.IndexFunc(g.ended, func(x library.Session) bool { return x.Environment != "" }); i >= 0 {
			r.name = g.ended[i].Environment
		}
		if !allowed {
			r.icon, r.tip, r.menu = "", "", nil
		}
	case p.Missing.Kind != "" || p.Unusable.Python != "":
		r.icon, r.name, r.tip = "warning", k.T("projects.lacks"), k.Tr.Reason(p.Missing)
		if p.Missing.Kind == "" {
			r.tip = p.Unusable.Label + k.T("projects.unusable", k.Tr.Reason(p.Unusable.Broken))
		}
		if p.Python.Python != "" {
			r.name = p.Python.Label
		}
		r.tap = func() { b.act.Projects.Lacks(*p) }
	case p.Python.Python == "":
		r.name = k.T("projects.easel_long")
	default:
		r.name = p.Python.Label
	}
	r.name = cmp.Or(strings.TrimPrefix(r.name, filepath.Base(g.root)+"/"), k.T("projects.easel_long"))
	if r.tap == nil {
		r.tap = func() {
			if r.menu != nil {
				r.menu(b.under(r.id))
			}
		}
	}
	return r
}

// notebookRows returns the rows of the project's notebooks that no session has open.
func (b *Bar) notebookRows(g *group) (rows []row) {
	if g.open == nil {
		return nil
	}
	listed := 0
	for _, path := range g.open.Notebooks {
		if slices.ContainsFunc(g.live, func(x state.Session) bool { return x.NotebookPath == path }) {
			continue
		}
		if listed == mostNotebooks {
			r := row{id: "notebooks " + g.root, small: true, name: b.k.T("sidebar.all_notebooks")}
			r.tap = func() { b.act.Projects.Notebooks(*g.open, b.under(r.id)) }
			return append(rows, r)
		}
		listed++
		r := row{id: "notebook " + g.root + "\n" + path, small: true, icon: "notebook", name: path, tip: path}
		r.menu = func(at fyne.Position) { b.act.Projects.Notebook(g.root, path, at) }
		r.tap = func() { r.menu(b.under(r.id)) }
		rows = append(rows, r)
	}
	return rows
}
