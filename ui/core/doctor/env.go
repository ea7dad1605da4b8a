package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"easel/jupyter/managed"
)

// Environment is the command env: it describes Easel's Python environment or, if export is
// not empty, saves its packages in that directory or file. It returns the exit code.
func Environment(ctx context.Context, w io.Writer, cfg Config, export string) int {
	if export != "" {
		return exportPackages(ctx, w, cfg, export)
	}
	p := &patient{Config: cfg}
	code := 0
	for _, f := range append(checkPython(ctx, p), checkEnvironment(ctx, p)...) {
		write(w, f)
		if f.grade == bad {
			code = 1
		}
	}
	return code
}

// AddPackages installs packages in Easel's Python environment. It returns the exit code.
func AddPackages(ctx context.Context, w io.Writer, dataDir string, packages []string) int {
	err := managed.Add(ctx, dataDir, packages, func(line string) { say(w, "%s\n", line) })
	switch {
	case errors.Is(err, managed.ErrOthers):
		say(w, "\neasel: %v. Install them in a project with its own environment, for example: uv init && uv add %s\n", err, strings.Join(packages, " "))
	case errors.Is(err, managed.ErrNoEnvironment):
		say(w, "easel: %v yet. Start Easel once.\n", err)
	case err != nil:
		say(w, "\neasel: nothing was installed\n")
	default:
		say(w, "\nSessions that start from now on have these packages, and so do those that are restarted.\n")
		return 0
	}
	return 1
}

// exportPackages saves the packages of the environment for machines without a network.
func exportPackages(ctx context.Context, w io.Writer, cfg Config, path string) int {
	path, err := filepath.Abs(path)
	if err != nil {
		say(w, "easel: %v\n", err)
		return 1
	}
	last := ""
	x, err := managed.Export(ctx, managed.Config{DataDir: cfg.DataDir, Python: cfg.Python}, path, func(p managed.Progress) {
		if text := p.String(); text != last {
			last = text
			say(w, "%s\n", text)
		}
	})
	if err != nil {
		say(w, "easel: %v\n", err)
		if e, ok := errors.AsType[*managed.Error](err); ok {
			say(w, "%s\n", e.Remedy)
		}
		return 1
	}
	say(w, "\n%d files (%d MB) for Python %s on %s: %s\n", x.Files, x.Bytes/1e6, x.Python, x.Platform, x.Path)
	say(w, "On a machine with that system and version of Python, start: easel --wheelhouse %s\n", x.Path)
	return 0
}

// checkEnvironment describes the environment and what an installation would download.
func checkEnvironment(ctx context.Context, p *patient) []reportLine {
	x := p.environment(ctx)
	f := reportLine{good, "Environment", x.Environment, ""}
	switch {
	case x.Python == "" || !x.Complete:
		f = notInstalled(ctx, p, x)
	case x.Partial:
		f.grade = mind
		f.text += "\npandas, SciPy, seaborn, Plotly and JupyterLab are not installed yet"
		f.todo = "Easel installs them while it runs, which needs the network."
	}
	if p.Wheelhouse == "" {
		return []reportLine{f}
	}
	saved := reportLine{good, "Saved packages", p.Wheelhouse, ""}
	if err := managed.CheckWheelhouse(ctx, managed.Config{DataDir: p.DataDir, Python: p.Python}, p.Wheelhouse); err != nil {
		saved = reportLine{bad, "Saved packages", err.Error(), ""}
		if e, ok := errors.AsType[*managed.Error](err); ok {
			saved.todo = e.Remedy
		}
	}
	return []reportLine{f, saved}
}

// notInstalled describes an environment that the next start makes.
func notInstalled(ctx context.Context, p *patient, x managed.Examination) reportLine {
	if p.installing == "" && x.Free > 0 && x.Free < roomForEnvironment {
		return reportLine{bad, "Environment", fmt.Sprintf("has not been created yet, and only %d MB are free for it", x.Free>>20), "Free about 1 GB, or choose another disk with --data-dir."}
	}
	if p.installing != "" {
		return reportLine{mind, "Environment", "is being created", p.installing}
	}
	f := reportLine{mind, "Environment", "has not been created yet", ""}
	if x.Python != "" {
		f.text = x.Why + ": " + x.Environment
	}
	if p.Wheelhouse != "" {
		f.todo = "Start Easel once: it installs the saved packages."
		return f
	}
	f.todo = "Start Easel once, with a network"
	if py, _, err := managed.FindPython(ctx, managed.Config{DataDir: p.DataDir, Python: p.Python}); err == nil {
		now, later := managed.DownloadSize(ctx, p.DataDir, py)
		f.todo += fmt.Sprintf(": it downloads about %d MB before the first plot and %d MB later, and needs about 1 GB on the disk", now/1e6, later/1e6)
	}
	f.todo += ".\nWithout a network, run \"easel env export packages.zip\" on a similar machine and start \"easel --wheelhouse packages.zip\" here."
	return f
}
