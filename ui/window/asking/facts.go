package asking

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/sessionname"
	"easel/ui/window/i18n"
)

// Facts say what identifies the kernel or project that a client wants to use, or what its call would do. They are in place of code.
func Facts(tr *i18n.Catalog, q catalog.Approval, now time.Time) string {
	switch {
	case q.Kernel != nil:
		return tr.T("ask.kernel_text") + "\n" + KernelFacts(tr, *q.Kernel, now)
	case q.Project != nil:
		return tr.T("ask.project_text") + "\n" + projectFacts(tr, *q.Project)
	case q.Tool != "":
		return toolText(tr, q)
	}
	return ""
}

// KernelTitle returns the name of a kernel that no Jupyter server runs: that of its program, and
// the start of its id. A session of it has the same name.
func KernelTitle(x catalog.Session) string {
	named := sessionname.Session{ID: x.SessionID, KernelID: x.KernelID, KernelName: x.KernelName}
	if x.Process != nil {
		named.Program = x.Process.Program
	}
	return sessionname.Of(named)
}

// KernelFacts returns what identifies such a kernel, a fact in each line.
func KernelFacts(tr *i18n.Catalog, x catalog.Session, now time.Time) string {
	var lines []string
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, tr.T("kernel.fact", tr.T(key), VisibleName(value)))
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
			add("kernel.started", tr.When(p.StartedAt, now))
		}
		add("kernel.file", p.ConnectionFile)
	}
	return strings.Join(lines, "\n")
}

// projectFacts returns the folder of a project, its Python and why it is this one, each in a line.
func projectFacts(tr *i18n.Catalog, p catalog.Project) string {
	fact := func(key, value string) string { return tr.T("kernel.fact", tr.T(key), VisibleName(value)) }
	if rest, ok := strings.CutPrefix(p.Root, "ssh://"); ok { // nothing is known of it before Easel connects
		host, _, _ := strings.Cut(rest, "/")
		return fact("ask.project_folder", p.Root) + "\n" + tr.T("ask.project_away", VisibleName(host))
	}
	facts := fact("ask.project_folder", p.Root) + "\n" + fact("ask.project_python", cmp.Or(p.Environment, tr.T("ask.project_none")))
	switch {
	case p.Why.Kind != "":
		facts += "\n" + fact("ask.project_why", tr.Reason(p.Why))
	case p.Missing.Kind != "":
		facts += "\n" + tr.T("projects.missing", VisibleName(tr.Reason(p.Missing)), VisibleName(p.Command))
	}
	return facts
}
