package managed

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// killGrace is how long a killed program's children may keep its output open.
const killGrace = 3 * time.Second

// A command is something to run to its end.
type command struct {
	argv []string
	env  []string     // nil is installEnv()
	dir  string       // working directory
	line func(string) // called for each line of output, both streams; may be nil
	pid  string       // if not "", a file that holds the process while it runs
}

// run runs p in a process group of its own, which is killed whole when ctx ends.
// The error of a failed run ends in the last lines of its output, which are also
// what explain judges.
func (p command) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...) //nolint:gosec // the interpreter and installer found before
	cmd.Env, cmd.Dir = p.env, p.dir
	if cmd.Env == nil {
		cmd.Env = installEnv(os.Environ())
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killGrace

	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	var last tail
	read := make(chan struct{})
	go func() { // ends when w is closed, below
		defer close(read)
		s := bufio.NewScanner(r)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			last.add(s.Text())
			if p.line != nil {
				p.line(s.Text())
			}
		}
		_, _ = io.Copy(io.Discard, r) // after an overlong line
	}()
	err := cmd.Start()
	if err == nil {
		if p.pid != "" {
			writeInstaller(p.pid, cmd.Process.Pid)
			defer func() { _ = os.Remove(p.pid) }()
		}
		err = cmd.Wait()
	}
	_ = w.Close()
	<-read
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		said := last.String()
		return explain(fmt.Errorf("%s: %w%s", strings.Join(shorten(p.argv), " "), err, indent(withoutRetries(said))), said)
	}
	return nil
}

// shorten keeps the program and the words that say what it should do.
func shorten(argv []string) []string {
	out := argv[:1:1]
	for _, a := range argv[1:] {
		if len(out) == 5 || strings.ContainsAny(a, "\n;") {
			break
		}
		out = append(out, a)
	}
	return out
}

// withoutRetries drops what pip says before it tries again: long, and the same each time.
func withoutRetries(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "WARNING: Retrying") }), "\n")
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// A tail keeps the last lines that say something.
type tail []string

const tailLines = 12

func (t *tail) add(line string) {
	if line = strings.TrimRight(line, " \r\n"); line == "" {
		return
	}
	if len(*t) == tailLines {
		*t = (*t)[1:]
	}
	*t = append(*t, line)
}

func (t *tail) String() string { return strings.Join(*t, "\n") }

// An installProcess is a running pip or uv. It is written to a file so that an Easel
// which was killed while installing does not leave it writing beneath the next.
type installProcess struct {
	PID     int    `json:"pid"`
	Started string `json:"started"`
}

func writeInstaller(file string, pid int) {
	text, err := json.Marshal(installProcess{pid, processStart(pid)})
	if err == nil {
		_ = os.WriteFile(file, text, 0o600) // best effort: without it the next build may have to be repeated
	}
}

// endInstaller ends the installer that a killed Easel left behind, if it is running.
func endInstaller(ctx context.Context, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var in installProcess
	if json.Unmarshal(text, &in) == nil && in.PID > 1 && in.Started != "" && processStart(in.PID) == in.Started {
		_ = killGroup(in.PID)
		_ = until(ctx, killGrace, func() bool { return processStart(in.PID) != in.Started })
	}
	_ = os.Remove(file)
}

// until asks done again and again, until it says yes, ctx ends or the time is up.
func until(ctx context.Context, limit time.Duration, done func() bool) error {
	if done() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if done() {
				return nil
			}
		}
	}
}
