package remote

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"easel/internal/system"
	"easel/jupyter/managed"
	"easel/jupyter/overlay"
)

// AgentConfig configures an [Agent].
type AgentConfig struct {
	DataDir string // Easel's data directory on this machine; the agent has a directory in it
	Owner   string // identifies the Easel that the agent works for; see [Config]
	Version string
	Lease   time.Duration // how long a project's server runs without an agent; 0 means [Lease]
	// Fonts writes the font files for plots to a directory and returns their paths. May be nil.
	Fonts func(dataDir string) []string
}

// An Agent works on another machine for the Easel that has started it.
type Agent struct {
	cfg      AgentConfig
	dir      string
	managed  managed.Config
	jupyter  *managed.Jupyter // guarded by installing until it is installed
	overlays *overlay.Maker
	out      *json.Encoder
	writing  sync.Mutex // guards out

	installing sync.Mutex // held while the environment is made
	installed  bool       // guarded by installing

	mu       sync.Mutex // guards the fields below
	house    string     // packages that were carried here
	projects map[string]*managed.Project
	working  map[int]bool // the requests that wait for the environment
}

// silence is how long an agent waits for a request before it takes the connection for broken.
const silence = 90 * time.Second

// Serve runs an agent until its input ends or nothing comes for a while. The servers of projects
// run on.
func Serve(ctx context.Context, in io.Reader, out io.Writer, cfg AgentConfig) error {
	ctx, cancel := context.WithCancel(ctx)
	a := &Agent{cfg: cfg, out: json.NewEncoder(out), projects: make(map[string]*managed.Project), working: make(map[int]bool)}
	var requests sync.WaitGroup
	defer requests.Wait()
	defer cancel()
	end, err := a.open(ctx)
	if err != nil {
		a.send(reply{Error: asError(err)})
		return err
	}
	defer end()
	first, _ := json.Marshal(hello{protocol, cfg.Version}) // plain values
	a.send(reply{Result: first})
	lines := make(chan request)
	go read(in, lines) // ends with the process
	quiet := time.NewTimer(silence)
	for {
		select {
		case r, ok := <-lines:
			if !ok {
				return nil
			}
			quiet.Reset(silence)
			requests.Go(func() { a.answer(ctx, r) })
		case <-quiet.C:
			return errors.New("the other side is silent")
		case <-ctx.Done():
			if os.Remove(a.next()) == nil {
				a.send(reply{Error: &Error{Kind: Displaced, Text: "another connection of this Easel works there"}})
			}
			return context.Cause(ctx)
		}
	}
}

// read passes on the requests, and closes the channel at the end of the input.
func read(in io.Reader, lines chan<- request) {
	defer close(lines)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r request
		if json.Unmarshal(scanner.Bytes(), &r) == nil {
			lines <- r
		}
	}
}

var unusual = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// open opens the agent's directory. It is for one Easel on one machine: a home directory may be
// the same on several. end releases it.
func (a *Agent) open(ctx context.Context) (end func(), err error) {
	host, _ := os.Hostname() // without a name, there is one machine
	a.dir = filepath.Join(a.cfg.DataDir, "remote", unusual.ReplaceAllString(a.cfg.Owner+"-"+host, "-"))
	if err := system.MkdirPrivate(filepath.Join(a.dir, "logs")); err != nil {
		return nil, err
	}
	lock, err := a.displace(ctx)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(a.dir, "logs", "agent.log"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	cfg := managed.Config{
		DataDir: a.dir, RootDir: a.dir, Lease: cmp.Or(a.cfg.Lease, Lease), Log: slog.New(slog.NewTextHandler(file, nil)),
		Wheelhouse: func() string { a.mu.Lock(); defer a.mu.Unlock(); return a.house },
		Report:     a.report,
	}
	if a.cfg.Fonts != nil {
		cfg.Fonts = a.cfg.Fonts(a.dir)
	}
	a.managed, a.jupyter, a.overlays = cfg, managed.New(cfg), managed.Overlays(cfg)
	return func() { _, _ = file.Close(), lock.Unlock() }, nil // the process ends
}

// displace ends the agent of a connection that broke without its noticing, and takes its place.
// The servers that it started run on.
func (a *Agent) displace(ctx context.Context) (*flock.Flock, error) {
	lock, pid := flock.New(filepath.Join(a.dir, "agent.lock"), flock.SetPermissions(0o600)), filepath.Join(a.dir, "agent.pid")
	ok, err := lock.TryLock()
	if err == nil && !ok {
		// Its Easel may know this machine by another name. That connection would come back at once,
		// and displace this one, if it were not told.
		if err := os.WriteFile(a.next(), nil, 0o600); err != nil {
			return nil, err
		}
		for _, s := range []os.Signal{syscall.SIGTERM, os.Kill} {
			text, _ := os.ReadFile(pid)
			notify(string(text), s)
			limited, cancel := context.WithTimeout(ctx, displaceLimit)
			ok, err = lock.TryLockContext(limited, 50*time.Millisecond)
			cancel()
			if ok {
				break
			}
		}
		_ = os.Remove(a.next()) // the other one has, unless it was killed
	}
	if err == nil && !ok {
		err = errors.New("another connection of this Easel works there")
	}
	if err != nil {
		return nil, err
	}
	return lock, os.WriteFile(pid, []byte(myself()), 0o600)
}

// myself identifies this process: its id, and when it began.
func myself() string { return fmt.Sprintf("%d %s", os.Getpid(), managed.ProcessStart(os.Getpid())) }

// next is a file that exists while another agent waits for this one's place.
func (a *Agent) next() string { return filepath.Join(a.dir, "agent.next") }

// displaceLimit is how long an agent may take to end.
const displaceLimit = 5 * time.Second

// notify sends a signal to the process that a text of myself identifies. Its id may be another process's by now: the
// agent that has the lock may not have written its own yet.
func notify(text string, s os.Signal) {
	id, began, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(id)
	if n < 2 || began == "" || managed.ProcessStart(n) != began {
		return
	}
	if p, err := os.FindProcess(n); err == nil {
		_ = p.Signal(s) // it may have ended
	}
}

func (a *Agent) send(r reply) {
	a.writing.Lock()
	defer a.writing.Unlock()
	_ = a.out.Encode(r) // if the connection is broken, the input ends, too
}

// report passes on the progress of the environment.
func (a *Agent) report(s managed.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := range a.working {
		a.send(reply{ID: id, Step: &Step{s.Detail, s.Fraction}})
	}
}

// answer answers a request.
func (a *Agent) answer(ctx context.Context, r request) {
	method, ok := methods[r.Method]
	if !ok {
		a.send(reply{ID: r.ID, Error: &Error{Kind: Failed, Text: fmt.Sprintf("the agent does not know %q", r.Method)}})
		return
	}
	result, err := method(ctx, a, r)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		a.send(reply{ID: r.ID, Error: asError(err)})
		return
	}
	raw, err := json.Marshal(result)
	if err != nil {
		a.send(reply{ID: r.ID, Error: asError(err)})
		return
	}
	a.send(reply{ID: r.ID, Result: raw})
}

// environment makes Easel's own environment, if there is none, and tells how far it is.
func (a *Agent) environment(ctx context.Context, id int) error {
	a.mu.Lock()
	a.working[id] = true
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.working, id)
		a.mu.Unlock()
	}()
	a.installing.Lock()
	defer a.installing.Unlock()
	if a.installed || ctx.Err() != nil {
		return ctx.Err()
	}
	if err := a.jupyter.Install(ctx); err != nil {
		return err
	}
	a.installed = true
	go a.jupyter.Complete(ctx) // ends with the process
	return nil
}

// asError converts an error for the other side.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*overlay.Error](err); ok {
		return &Error{Kind: NoKernel, Text: e.Error()}
	}
	if e, ok := errors.AsType[*managed.Error](err); ok {
		kind := Failed
		if managed.LacksNetwork(err) {
			kind = NoNetwork
		}
		return &Error{Kind: kind, Text: firstLine(e), Remedy: e.Remedy}
	}
	return &Error{Kind: Failed, Text: err.Error()}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
