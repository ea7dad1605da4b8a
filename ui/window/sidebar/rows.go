package sidebar

import (
	"image/color"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/library/search"
	"easel/ui/core/sessionname"
	"easel/ui/core/state"
	"easel/ui/window/asking"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// A row is a line of the bar. Without a tap it is the title of a section.
type row struct {
	id                        string // identifies it as long as it is shown; if empty, the icon does; titles have none
	icon, name, detail, count string
	usage                     string // what its kernel uses
	mark                      kit.Mark
	bar                       *color.NRGBA
	on, pin                   bool
	small                     bool   // a line of its own in a project
	fold                      string // the row hides and shows those below it: its key in Actions.Folded
	folded                    bool
	tags                      bool // the title of the tags, and the tags
	project                   *group
	tip                       string
	tap                       func()
	menu                      func(fyne.Position)
	add                       func() // of a title: the button for another one
}

func (b *Bar) rows() []row {
	k, s := b.k, b.snap
	all := s.Folder.Kind != state.OneSession && s.Folder.Kind != state.Directory && s.Folder.Kind != state.Trash
	best := all && s.Query.RatingOp == ">=" && s.Query.Rating == 4
	unrated := all && s.Query.RatingOp == "=" && s.Query.Rating == 0
	found := all && s.Query.Findings
	fresh := all && s.Query.Text == isNew
	saved, searched := b.searches(all)
	plain := all && !best && !unrated && !found && !fresh && !searched
	rows := []row{
		{name: k.T("sidebar.library")},
		{icon: "gallery", name: k.T("sidebar.all"), count: number(b.known.total), on: plain, tap: b.act.OpenAll},
		{icon: "star-outline", name: k.T("sidebar.best"), count: number(b.known.best), on: best, tap: b.act.OpenBest},
		{icon: "image", name: k.T("sidebar.unrated"), count: number(b.known.unrated), on: unrated, tap: b.act.OpenUnrated},
	}
	rows = append(rows, b.fresh(fresh)...)
	if b.known.findings > 0 || s.Query.Findings {
		rows = append(rows, row{
			icon: "finding", name: k.T("sidebar.findings"), count: number(b.known.findings), on: found, tap: b.act.OpenFindings,
		})
	}
	rows = append(rows,
		row{
			icon: "trash", name: k.T("sidebar.trash"), count: number(b.known.trashed), on: s.Folder.Kind == state.Trash, tap: b.act.OpenTrash,
			menu: b.act.TrashMenu,
		})
	rows = append(rows, saved...)
	live := make(map[string]bool)
	for _, x := range s.Sessions {
		live[x.SessionID] = true
	}
	ended := b.listedEnded(live)
	names := Names(s.Sessions, b.known.sessions)
	rows = append(rows, b.folders()...)
	rows = append(rows, b.projects(ended, names)...)
	rows = append(rows, b.sessions(ended, names)...)
	if len(b.known.tags) > 0 {
		rows = append(rows, row{name: k.T("sidebar.tags"), tags: true})
	}
	return append(rows, b.offered(live)...)
}

// sessions returns the rows of the sessions that work in no project, under a title; nothing if all work in projects.
func (b *Bar) sessions(ended []library.Session, names map[string]string) []row {
	var rows []row
	for _, x := range b.snap.Sessions {
		if x.Project == "" {
			rows = append(rows, b.liveRow(x))
		}
	}
	var others []library.Session
	for _, x := range ended {
		if x.Project == "" {
			others = append(others, x)
		}
	}
	rows = append(rows, b.endedRows("", others, func(x library.Session) row { return b.endedRow(x, names[x.ID]) })...)
	switch {
	case len(b.snap.Sessions)+len(ended) == 0:
		rows = []row{{id: "none", name: b.k.T("sidebar.no_sessions"), icon: "none", tap: func() {}}}
	case len(rows) == 0:
		return nil
	}
	return append([]row{{name: b.k.T("sidebar.sessions")}}, rows...)
}

// fewOffered is how many kernels that no Jupyter server runs are listed without being folded.
const fewOffered = 3

// isNew is the search for what arrived since the user last looked.
const isNew = string(search.Is) + ":" + search.New

// fresh returns the row of what arrived since the user last looked, if there is something; on reports
// whether the gallery shows it.
func (b *Bar) fresh(on bool) []row {
	if b.known.fresh == 0 && !on {
		return nil
	}
	return []row{{
		id: "new", icon: "spark", name: b.k.T("sidebar.new"), count: number(b.known.fresh), on: on, tip: b.k.T("find.new"),
		tap: func() { b.act.Search(isNew) },
	}}
}

// searches returns the rows of the saved searches, and whether the gallery shows one of them; all reports
// whether it shows all plots.
func (b *Bar) searches(all bool) (rows []row, shown bool) {
	for i, x := range b.snap.Settings.Searches.All() {
		if i == 0 {
			rows = append(rows, row{name: b.k.T("sidebar.searches")})
		}
		on := all && b.snap.Query.Text == x.Text
		shown = shown || on
		rows = append(rows, row{
			id: "search " + x.Name, icon: "search", name: x.Name, on: on, tip: x.Text, tap: func() { b.act.Search(x.Text) },
			menu: func(at fyne.Position) { b.act.SearchMenu(x.Name, at) },
		})
	}
	return rows, shown
}

// offered returns the rows of kernels that no Jupyter server runs, except those that are
// joined. If there are many, they are folded.
func (b *Bar) offered(live map[string]bool) (rows []row) {
	for _, x := range b.snap.Kernels {
		if live[x.SessionID] || x.Process == nil {
			continue
		}
		p, c := x.Process, b.k.P.Muted
		tip := b.k.T("kernel.connect_tip")
		if p.Problem != "" {
			tip = b.k.T("kernel.no_connect", p.Problem)
		}
		rows = append(rows, row{
			id: x.SessionID, name: asking.KernelTitle(x), bar: &c, tip: tip,
			detail: join(x.KernelName, filepath.Base(p.Directory), b.ago(p.StartedAt)),
			tap:    func() { b.act.Connect(x) },
		})
	}
	if len(rows) == 0 {
		return nil
	}
	title := row{name: b.k.T("sidebar.machine")}
	if len(rows) <= fewOffered {
		return append([]row{title}, rows...)
	}
	fold := b.foldRow("kernels", b.k.T("sidebar.kernels"), len(rows), true)
	if fold.tip = ""; fold.folded {
		rows = nil
	}
	return append([]row{title, fold}, rows...)
}

// liveRow returns the row of a live session.
func (b *Bar) liveRow(x state.Session) row {
	c := b.k.P.Session(x.Colour)
	images := x.Images
	for _, kept := range b.known.sessions { // it also knows which ones are in the trash
		if kept.ID == x.SessionID {
			images = kept.Images
		}
	}
	r := row{
		id: x.SessionID, name: x.Title(), detail: join(x.Client, Status(b.k, x)), count: number(images), bar: &c, mark: Mark(x), pin: x.Pinned,
		on:   b.snap.Folder.Kind == state.OneSession && b.snap.Folder.ID == x.SessionID,
		tap:  func() { b.act.OpenSession(x.SessionID) },
		menu: func(at fyne.Position) { b.act.SessionMenu(x.SessionID, at) },
	}
	if x.Sandboxed {
		r.detail = join(b.k.T("session.sandboxed"), r.detail) // first, because there may be no room for all
	}
	var tips []string
	switch {
	case x.Pinned:
		tips = append(tips, b.k.T("session.pinned_tip"))
	case x.Title() != sessionname.Of(x.Named()): // there may be no room for what was added
		tips = append(tips, x.Title())
	}
	tips = append(tips, b.k.Tr.Death(x.Death))
	if u, ok := b.snap.Usage[x.SessionID]; ok {
		r.usage = usage(u)
		tips = append(tips, usageTip(b.k, u))
	}
	if python := Python(b.k, x); python != "" {
		tips = append(tips, x.Directory, python)
	}
	r.tip = strings.Join(slices.DeleteFunc(tips, func(s string) bool { return s == "" }), "\n")
	return r
}

// endedRow returns the row of an ended session.
func (b *Bar) endedRow(x library.Session, name string) row {
	c := b.k.P.Session(x.Colour)
	return row{
		id: x.ID, name: name, detail: join(x.Client, b.ago(x.EndedAt, x.CreatedAt)), count: number(x.Images), bar: &c,
		menu: func(at fyne.Position) { b.act.SessionMenu(x.ID, at) },
		on:   b.snap.Folder.Kind == state.OneSession && b.snap.Folder.ID == x.ID, tap: func() { b.act.OpenSession(x.ID) },
	}
}

// within returns the row of a session in its project, whose name need not be repeated.
func (b *Bar) within(r row, named sessionname.Session) row {
	if rest, ok := strings.CutPrefix(r.name, named.Project+" · "); ok && named.Project != "" {
		r.name = b.k.T("sidebar.unnamed", rest)
	}
	if named.Server != "" { // a project has a server of its own
		r.name = strings.TrimSuffix(r.name, " · "+named.Server)
	}
	return r
}

// Mark returns the mark of a session's state.
func Mark(x state.Session) kit.Mark {
	switch {
	case x.Died != "" || x.Status == "dead":
		return kit.MarkBad
	case x.Running != nil && x.Running.Asks:
		return kit.MarkWait
	case x.Running != nil || x.Status == "busy":
		return kit.MarkBusy
	case x.Status == "starting" || x.Status == "restarting":
		return kit.MarkWait
	default:
		return kit.MarkIdle
	}
}

// Status returns a session's state in the user's language.
func Status(k *kit.Kit, x state.Session) string {
	switch {
	case x.Died != "":
		return k.T("kernel.dead")
	case x.Running != nil && x.Running.Asks:
		return k.T("kernel.asks")
	case x.Running != nil:
		return k.T("kernel.busy")
	case k.Tr.Has("kernel." + x.Status):
		return k.T("kernel." + x.Status)
	default:
		return x.Status
	}
}

func (b *Bar) ago(times ...time.Time) string {
	for _, t := range times {
		if !t.IsZero() {
			return b.k.Tr.Ago(t, b.k.Now())
		}
	}
	return ""
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return i18n.Number(n).String()
}
