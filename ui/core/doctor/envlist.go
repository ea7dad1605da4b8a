package doctor

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"easel/jupyter/project"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// An environmentReport is what the command env list shows.
type environmentReport struct {
	Project      project.Project       `json:"project"`
	Environments []project.Environment `json:"environments"`     // best first
	Python       string                `json:"python,omitempty"` // the interpreter that Easel uses; absent if that is its own
	Chosen       bool                  `json:"chosen,omitempty"` // the user has chosen it in the window
	Advice       *project.Advice       `json:"advice,omitempty"` // how to make an environment, if none can be used
}

// ListEnvironments is the command env list: it shows the environments of the project in a
// directory, and which one Easel uses.
func ListEnvironments(ctx context.Context, w io.Writer, o settings.Options) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	dir := o.Directory
	if dir == "" {
		dir = here
	}
	p, err := project.Of(dir, o.DataDir)
	if err != nil {
		return err
	}
	python, err := exec.LookPath("python")
	if err != nil {
		python, _ = exec.LookPath("python3")
	}
	s := project.Surroundings{Directory: here, VirtualEnv: os.Getenv("VIRTUAL_ENV"), CondaPrefix: os.Getenv("CONDA_PREFIX"), Python: python}
	l := environmentReport{Project: p, Environments: project.Environments(ctx, p, s, dir)}
	best, ok := project.Best(l.Environments)
	known, _, err := settings.Load(o.DataDir)
	if err != nil {
		return err
	}
	if x, _ := known.Projects.Find(p.Root); x.Python == state.EaselPython {
		best, ok, l.Chosen = project.Environment{}, false, true
	} else if i := slices.IndexFunc(l.Environments, func(e project.Environment) bool { return e.Python == x.Python && e.Works() }); i >= 0 {
		best, ok, l.Chosen = l.Environments[i], true, true
	}
	l.Python = best.Python
	if advice, missing := project.Missing(ctx, p); missing {
		l.Advice = &advice
	}
	if o.JSON {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(l)
	}
	l.print(w, best, ok)
	return nil
}

// print writes the report as a table, with an arrow at the best environment if there is one.
func (l environmentReport) print(w io.Writer, best project.Environment, ok bool) {
	say(w, "%s (%s)\n", l.Project.Name, l.Project.Root)
	rows := make([][]string, len(l.Environments))
	widths := make([]int, 4)
	for i, e := range l.Environments {
		mark, why := " ", e.Why.String()
		switch {
		case ok && e == best:
			mark = "→"
		case !e.Works():
			mark, why = "✗", e.Broken.String()
		}
		rows[i] = []string{mark, e.Label, e.Version, e.Kind, why}
		for n := range widths {
			widths[n] = max(widths[n], columns(rows[i][n]))
		}
	}
	for _, row := range rows {
		for n, cell := range row[:len(widths)] {
			say(w, "%s%s  ", cell, strings.Repeat(" ", widths[n]-columns(cell)))
		}
		say(w, "%s\n", row[len(row)-1])
	}
	if len(rows) == 0 {
		say(w, "No environment was found.\n")
	}
	say(w, "\n")
	chosen := ""
	if l.Chosen {
		chosen = ", as you have chosen in the window"
	}
	if ok {
		say(w, "Easel uses %s%s: %s\n", best.Label, chosen, best.Python)
	} else {
		say(w, "Easel uses its own Python%s.\n", chosen)
	}
	if l.Advice != nil {
		say(w, "%s. To make it, run in %s:\n  %s\n", l.Advice.Why, l.Advice.Directory, l.Advice.Command)
	}
}

// columns returns how many columns a text takes in a terminal.
func columns(s string) (n int) {
	for _, r := range s {
		n++
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}
