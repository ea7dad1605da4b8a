package managed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"easel/internal/system"
)

// killGrace is how long a killed program's children may keep its output open.
const killGrace = 3 * time.Second

// A command is a program to run to its end.
type command struct {
	argv []string
	env  []string     // nil means installEnv()
	dir  string       // working directory
	line func(string) // called for each line of output from both streams; may be nil
	pid  string       // file that records the process while it runs; "" for none
	low  bool         // it gives way to the user's own programs
}

// run runs p in its own process group, which is killed when ctx ends. The error of a
// failed run ends with the last lines of its output. explain examines the same lines.
func (p command) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...) //nolint:gosec // the interpreter and installer that were found before
	cmd.Env, cmd.Dir = p.env, p.dir
	if cmd.Env == nil {
		cmd.Env = installEnv(os.Environ())
	}
	system.OwnSession(cmd)
	cmd.Cancel = func() error { return system.KillGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killGrace

	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	var last tail
	read := make(chan struct{})
	go func() { // ends when w is closed below
		defer close(read)
		s := bufio.NewScanner(r)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			last.add(redact(s.Text()))
			if p.line != nil {
				p.line(s.Text())
			}
		}
		_, _ = io.Copy(io.Discard, r) // after an overlong line
	}()
	err := cmd.Start()
	if err == nil {
		if p.low {
			lowerPriority(cmd.Process.Pid)
		}
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

// userInfo is the user and the password in an address.
var userInfo = regexp.MustCompile(`://[^/\s@'"]+@`)

// redact removes credentials. uv quotes an index or a proxy that it cannot use as it is.
func redact(text string) string { return userInfo.ReplaceAllString(text, "://****@") }

// shorten keeps the program and the words that say what it does.
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

// withoutRetries removes pip's messages about retries, which are long and repetitive.
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

// A tail keeps the last nonblank lines.
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

// An installProcess is a running pip or uv. It is recorded in a file, so that an Easel
// that is killed while installing does not leave it writing while the next one installs.
type installProcess struct {
	PID     int    `json:"pid"`
	Started string `json:"started"`
}

func writeInstaller(file string, pid int) {
	_ = writeJSON(file, installProcess{pid, processStart(pid)}) // best effort: without it, the next build may have to be repeated
}

// endInstaller ends the installer that a killed Easel left behind, if it is still
// running.
func endInstaller(ctx context.Context, file string) {
	var in installProcess
	if readJSON(file, &in) == nil && in.PID > 1 && in.Started != "" && processStart(in.PID) == in.Started {
		_ = system.KillGroup(in.PID)
		_ = until(ctx, killGrace, func() bool { return processStart(in.PID) != in.Started })
	}
	_ = os.Remove(file)
}

// endInstallation ends the installer that a killed Easel left behind, and removes its
// temporary files.
func (d layout) endInstallation(ctx context.Context) {
	endInstaller(ctx, d.file("install.json"))
	for _, pattern := range []string{"uv-*", "wheelhouse-*"} {
		for _, f := range system.Glob(d.root, pattern) {
			_ = os.RemoveAll(f) // the next start tries again
		}
	}
}

// until polls done until it returns true, ctx ends or the limit has passed.
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
