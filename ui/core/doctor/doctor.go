// Package doctor looks for what may keep Easel from working on this machine, and
// says what to do about it. It changes nothing, and may run beside an Easel.
//
// # Goroutines
//
// None: Run works on its caller's.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DefaultPort is where Easel listens if nothing else is said.
const DefaultPort = 5149

// checkLimit is how long one check may take: importing JupyterLab from a cold disk is slow.
const checkLimit = 60 * time.Second

// Config says what Easel would be started with.
type Config struct {
	Version      string // of Easel
	DataDir      string
	Python       string // as of managed.Config
	Port         int    // 0 is DefaultPort
	Font         string // that Easel brings for Japanese
	JupyterURL   string // instead of the managed Jupyter, if not ""
	JupyterToken string
	Headless     bool // no window is wanted: a missing display is no fault
}

// A grade says how bad a finding is.
type grade string

const (
	good grade = "✓"
	mind grade = "!" // works, or may not be wanted
	bad  grade = "✗" // Easel does not work so
)

// A finding is one line of the report, and what to do.
type finding struct {
	grade grade
	about string
	text  string
	todo  string // "" if there is nothing to do
}

// A patient is what the checks share.
type patient struct {
	Config
	running runtime // the Easel that has the data directory; zero if none
}

// runtime is what the runtime file of a running Easel tells.
type runtime struct {
	URL     string `json:"url"`
	Port    int    `json:"port"`
	PID     int    `json:"pid"`
	Token   string `json:"token"`
	Version string `json:"version"`
}

// Run makes all checks and writes a line for each finding to w. It returns the
// exit code: 1 if something keeps Easel from working, else 0.
func Run(ctx context.Context, w io.Writer, cfg Config) int {
	if cfg.Port == 0 {
		cfg.Port = DefaultPort
	}
	p := &patient{Config: cfg}
	p.running = findRunning(ctx, cfg.DataDir)
	checks := []func(context.Context, *patient) []finding{
		checkEasel, checkPython, checkJupyter, checkFigures, checkLibraries, checkDisplay, checkTray, checkPort, checkFonts, checkClients,
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

// say writes to w. If nobody reads the report any more, there is nobody to tell.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// margin is where texts begin.
const margin = 17

func write(w io.Writer, f finding) {
	pad := strings.Repeat(" ", margin)
	text := strings.ReplaceAll(strings.TrimSpace(f.text), "\n", "\n"+pad)
	say(w, "%s %-*s%s\n", f.grade, margin-2, f.about, text)
	if todo := strings.TrimSpace(f.todo); todo != "" {
		say(w, "%s→ %s\n", pad, strings.ReplaceAll(todo, "\n", "\n"+pad+"  "))
	}
}

// findRunning reads the runtime file and asks whether that Easel is there.
func findRunning(ctx context.Context, dataDir string) (r runtime) {
	text, err := os.ReadFile(filepath.Join(dataDir, "easel.json"))
	if err != nil || json.Unmarshal(text, &r) != nil || !answers(ctx, r.URL) {
		return runtime{}
	}
	return r
}

func checkEasel(_ context.Context, p *patient) []finding {
	if p.running.PID != 0 {
		return []finding{{good, "Easel", fmt.Sprintf("%s; version %s runs at %s (pid %d)", p.Version, p.running.Version, p.running.URL, p.running.PID), ""}}
	}
	f := finding{good, "Easel", p.Version + "; none is running with " + p.DataDir, ""}
	if err := writable(p.DataDir); err != nil {
		f = finding{bad, "Easel", "the data directory cannot be written: " + err.Error(), "Choose another with --data-dir, or make it writable."}
	}
	return []finding{f}
}

// writable reports why no file can be made in dir, or would if it were made.
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
