// Package doctor looks for problems that prevent Easel from working on this machine, and says
// what to do about them. It changes nothing, and may run while Easel runs.
//
// # Goroutines
//
// The package starts none.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"easel/internal/system"
	"easel/jupyter/managed"
	"easel/mcphost/instance"
	"easel/ui/core/library"
	"easel/ui/core/settings"
)

// DefaultPort is the port that Easel listens on by default.
const DefaultPort = 5149

// checkLimit is the timeout for one check. Importing JupyterLab from a cold disk is slow.
const checkLimit = 60 * time.Second

// A Config contains the options that Easel would be started with.
type Config struct {
	Version      string // of Easel
	DataDir      string
	Python       string // as in managed.Config
	Port         int    // 0: DefaultPort
	Font         string // name of the bundled Japanese font
	JupyterURL   string // of an external server; "": the managed Jupyter
	JupyterToken string
	Wheelhouse   string // packages for an installation without a network; "" if none
	Headless     bool   // without a window, so that no display is needed

	examine func(context.Context, managed.Config) managed.Examination // nil: managed.Examine
}

// environment examines the managed Jupyter.
func (cfg Config) environment(ctx context.Context) managed.Examination {
	examine := managed.Examine
	if cfg.examine != nil {
		examine = cfg.examine
	}
	return examine(ctx, managed.Config{DataDir: cfg.DataDir, Python: cfg.Python})
}

// A grade is the severity of a finding.
type grade string

const (
	good grade = "✓"
	mind grade = "!" // Easel works, but something may be unwanted
	bad  grade = "✗" // Easel does not work
)

// A reportLine is a line of the report.
type reportLine struct {
	grade grade
	about string
	text  string
	todo  string // what to do; "" if nothing
}

// A patient is the installation that the checks examine.
type patient struct {
	Config
	running    instance.Runtime // the running Easel with this data directory; zero if none
	installing string           // progress of the installation of its Jupyter; "" if there is none
}

// Run runs all checks and writes the findings to w. It returns the exit code: 1 if something
// prevents Easel from working or ctx is done, otherwise 0.
func Run(ctx context.Context, w io.Writer, cfg Config) int {
	if cfg.Port == 0 {
		cfg.Port = DefaultPort
	}
	p := &patient{Config: cfg}
	p.running, p.installing = findRunning(ctx, cfg.DataDir)
	checks := []func(context.Context, *patient) []reportLine{
		checkEasel, checkFiles, checkPython, checkJupyter, checkFigures, checkLibraries, checkDisplay, checkTray, checkPort, checkFonts,
		checkClients,
	}
	var faults, notes int
	for _, check := range checks {
		checkCtx, cancel := context.WithTimeout(ctx, checkLimit)
		findings := check(checkCtx, p)
		cancel()
		if ctx.Err() != nil {
			say(w, "interrupted\n")
			return 1
		}
		for _, f := range findings {
			write(w, f)
			switch f.grade {
			case bad:
				faults++
			case mind:
				notes++
			case good:
			}
		}
	}
	say(w, "\n")
	switch {
	case faults > 0:
		say(w, "%s to be fixed before Easel works.\n", count(faults, "thing has", "things have"))
		return 1
	case notes > 0:
		say(w, "Easel works. %s worth a look.\n", count(notes, "thing is", "things are"))
	default:
		say(w, "No problems found.\n")
	}
	return 0
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// say writes to w. It ignores errors.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// margin is the column in which texts begin.
const margin = 17

func write(w io.Writer, f reportLine) {
	pad := strings.Repeat(" ", margin)
	text := strings.ReplaceAll(strings.TrimSpace(f.text), "\n", "\n"+pad)
	say(w, "%s %-*s%s\n", f.grade, margin-2, f.about, text)
	if todo := strings.TrimSpace(f.todo); todo != "" {
		say(w, "%s→ %s\n", pad, strings.ReplaceAll(todo, "\n", "\n"+pad+"  "))
	}
}

// findRunning returns how to reach the Easel that uses the data directory, if one does, and
// the progress of its installation if there is one.
func findRunning(ctx context.Context, dataDir string) (r instance.Runtime, installing string) {
	r, err := instance.Find(ctx, dataDir) // sends the token to this machine only
	if err != nil {
		return instance.Runtime{}, ""
	}
	h, _ := health(ctx, r.URL, r.Token)
	for _, s := range h.Servers {
		if s.Managed && s.State == "installing" {
			installing = s.Message
		}
	}
	return r, installing
}

func checkEasel(_ context.Context, p *patient) []reportLine {
	if p.running.PID != 0 {
		return []reportLine{{good, "Easel", fmt.Sprintf("%s; version %s runs at %s (pid %d)", p.Version, p.running.Version, p.running.URL, p.running.PID), ""}}
	}
	f := reportLine{good, "Easel", p.Version + "; none is running with " + p.DataDir, ""}
	if err := writable(p.DataDir); err != nil {
		f = reportLine{bad, "Easel", "the data directory cannot be written: " + err.Error(), "Choose another with --data-dir, or make it writable."}
	}
	found := []reportLine{f}
	if err := library.CheckVersion(filepath.Join(p.DataDir, "library")); errors.Is(err, library.ErrNewer) {
		found = append(found, reportLine{bad, "Library", err.Error(), ""})
	}
	return found
}

// checkFiles reports settings and servers that cannot be read, and a data directory that
// others can read.
func checkFiles(_ context.Context, p *patient) (found []reportLine) {
	if reason := settings.Check(p.DataDir); reason != "" {
		found = append(found, reportLine{
			mind, "Permission", "Read only, because " + reason,
			"Choose what assistants may do: in the window at the bottom, or as access in " + filepath.Join(p.DataDir, "settings.json") + " while Easel is not running.",
		})
	}
	if _, err := settings.LoadServers(p.DataDir); err != nil {
		found = append(found, reportLine{mind, "Servers", err.Error(), "Add your Jupyter servers again."})
	}
	for _, path := range settings.ServersAside(p.DataDir) {
		found = append(found, reportLine{mind, "Servers", "a list of Jupyter servers could not be read: " + path, "Add the servers again, then delete that file. It may contain tokens."})
	}
	if mode := system.OpenToOthers(p.DataDir); mode != 0 {
		found = append(found, reportLine{
			mind, "Data", fmt.Sprintf("other users can open %s (mode %#o)", p.DataDir, mode),
			"Run: chmod 700 " + p.DataDir,
		})
	}
	return found
}

// writable returns an error if no file can be created in dir or, if dir does not exist, in
// its closest existing parent.
func writable(dir string) error {
	for {
		f, err := os.CreateTemp(dir, ".easel-doctor-*")
		if err == nil {
			_ = f.Close()
			return os.Remove(f.Name())
		}
		if parent := filepath.Dir(dir); os.IsNotExist(err) && parent != dir {
			dir = parent
			continue
		}
		return err
	}
}
