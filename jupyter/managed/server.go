package managed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"easel/internal/system"
	"easel/jupyter"
)

const (
	startLimit  = 90 * time.Second       // for a server to answer, even with a cold disk or a busy machine
	answerLimit = 15 * time.Second       // for a server that has answered before
	stopLimit   = 12 * time.Second       // for a clean end: Jupyter gives a busy kernel five seconds
	startPoll   = 50 * time.Millisecond  // between two checks of a starting server
	adoptedPoll = 500 * time.Millisecond // between two checks of a server that is not our child process
)

// A record is a running server, in server.json. serve.py sets port and url.
type record struct {
	ID      string        `json:"id"` // identifies this start of the server
	PID     int           `json:"pid"`
	Started string        `json:"started"` // processStart of PID, which detects a reused id
	Token   string        `json:"token"`
	Port    int           `json:"port"` // 0 while it is starting
	URL     string        `json:"url"`
	RootDir string        `json:"root_dir"`
	Lease   time.Duration `json:"lease"`
	Env     string        `json:"env"` // its environment; "" in earlier versions
}

// stopEvent is the name of the event that asks the server to end, on Windows.
func (r record) stopEvent() string { return `Local\easel-stop-` + r.ID }

func (r record) alive() bool { return r.Started != "" && processStart(r.PID) == r.Started }

// A server is a server process and its client.
type server struct {
	record  record
	client  *jupyter.Server
	version string
	adopted bool
	began   time.Time
	exited  chan struct{} // closed when the process is gone
}

func (d layout) recordFile() string { return d.file("server.json") }

func (d layout) readRecord() (r record, err error) {
	err = readJSON(d.recordFile(), &r)
	return r, err
}

func (d layout) writeRecord(r record) error { return writeJSON(d.recordFile(), r) }

// adopt takes over the server that a previous Easel has left, if it is running and
// accepts its token. It ends a server that cannot be used, because it would keep the
// port and unreachable kernels.
func (j *Jupyter) adopt(ctx context.Context) *server {
	r, err := j.dir.readRecord()
	if err != nil {
		return nil
	}
	if r.alive() && r.RootDir == j.cfg.RootDir {
		j.report(Status{Phase: Starting, Detail: "Taking over the running Jupyter"})
		s := &server{adopted: true, began: time.Now(), exited: make(chan struct{})}
		limit := startLimit
		if r.Port > 0 {
			limit = answerLimit
		}
		if err := j.answer(ctx, s, r.ID, limit, r.alive); err == nil {
			// The end of a process that is not a child is not reported.
			go pollUntilGone(s.record, s.exited)
			return s
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if r.alive() {
		j.cfg.Log.WarnContext(ctx, "the server of a former start cannot be taken over and is ended", "pid", r.PID, "root_dir", r.RootDir)
		_ = terminate(r)
		_ = until(ctx, stopLimit, func() bool { return !r.alive() })
	}
	j.clear(r)
	return nil
}

// pollUntilGone ends with the process, which Stop ends.
func pollUntilGone(r record, exited chan<- struct{}) {
	defer close(exited)
	tick := time.NewTicker(adoptedPoll)
	defer tick.Stop()
	for range tick.C {
		if !r.alive() {
			return
		}
	}
}

// clear kills what is left of a server and its kernels.
func (j *Jupyter) clear(r record) {
	if r.alive() {
		_ = system.KillGroup(r.PID)
	}
	if n := killKernels(j.dir.runtime()); n > 0 {
		j.cfg.Log.Warn("kernels had to be killed", "count", n)
	}
	if now, err := j.dir.readRecord(); err == nil && now.ID == r.ID {
		_ = system.Remove(j.dir.recordFile())
	}
	for _, pattern := range []string{"kernel-*.json", "jpserver-*"} { // of dead processes
		for _, f := range system.Glob(j.dir.runtime(), pattern) {
			_ = os.Remove(f)
		}
	}
}

// firstLaunch starts the server and, at the same time, warms up a new environment. If
// the server does not start, a package that the user installed may be the cause. So it
// tries once more in a new environment with the pinned packages.
func (j *Jupyter) firstLaunch(ctx context.Context) (*server, error) {
	j.report(Status{Phase: Starting, Detail: "Starting Jupyter", Fraction: 0.85})
	warmed := make(chan struct{})
	go func() { defer close(warmed); j.warmFirst(ctx) }()
	s, err := j.launch(ctx, record{})
	<-warmed
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	j.cfg.Log.WarnContext(ctx, "jupyter does not start, its environment is made anew", "err", err)
	made, buildErr := j.build(ctx, false, first)
	if buildErr != nil {
		return nil, errors.Join(err, buildErr)
	}
	j.dir.env = made.env
	j.report(Status{Phase: Starting, Detail: "Starting Jupyter again"})
	return j.launch(ctx, record{})
}

// warmFirst warms up the environment if it is new.
func (j *Jupyter) warmFirst(ctx context.Context) {
	s, err := j.dir.readStamp()
	if err != nil || s.Warm {
		return
	}
	j.warm(ctx, j.dir, first)
	s.Warm = true
	if err := j.dir.writeStamp(s); err != nil && ctx.Err() == nil {
		j.cfg.Log.WarnContext(ctx, "the environment's stamp cannot be written", "err", err)
	}
}

// launch starts a server and waits until it answers. It reuses the port and token of the
// previous one, if there was one, so that open browser tabs can reconnect.
func (j *Jupyter) launch(ctx context.Context, former record) (*server, error) {
	r := record{ID: rand.Text(), Token: former.Token, RootDir: j.cfg.RootDir, Lease: j.cfg.Lease, Env: j.dir.env}
	if r.Token == "" {
		r.Token = rand.Text() + rand.Text() // 256 bits
	}
	out, err := openLog(j.dir.log)
	if err != nil {
		return nil, explain(err, "")
	}
	defer func() { _ = out.Close() }()

	//nolint:gosec,noctx // our own environment; it must outlive us, that is what the lease is for
	cmd := exec.Command(j.dir.python(), "-I", j.dir.file("serve.py"), j.dir.root)
	cmd.Dir, cmd.Env = j.cfg.RootDir, j.serverEnv()
	cmd.Stdout, cmd.Stderr = out, out
	system.OwnSession(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, j.serverError(err)
	}
	s := &server{began: time.Now(), exited: make(chan struct{})}
	go func() { // ends with the process
		err := cmd.Wait()
		j.cfg.Log.InfoContext(ctx, "jupyter ended", "pid", cmd.Process.Pid, "err", err)
		close(s.exited)
	}()
	// Write the record first. If Easel is killed here, it leaves a server that is found,
	// or one that has received nothing and ends.
	r.PID, r.Started = cmd.Process.Pid, processStart(cmd.Process.Pid)
	err = j.dir.writeRecord(r)
	if err == nil {
		err = json.NewEncoder(in).Encode(map[string]any{
			"id": r.ID, "token": r.Token, "port": former.Port, "root_dir": r.RootDir,
			"lease_seconds": r.Lease.Seconds(), "kernel_dirs": append([]string{}, userKernels()...), "stop_event": r.stopEvent(),
		})
	}
	err = errors.Join(err, in.Close())
	if err == nil {
		err = j.answer(ctx, s, r.ID, startLimit, func() bool { return !gone(s.exited) })
	}
	if err != nil {
		_ = system.KillGroup(r.PID)
		<-s.exited
		j.clear(r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, j.serverError(err)
	}
	return s, nil
}

func gone(exited <-chan struct{}) bool {
	select {
	case <-exited:
		return true
	default:
		return false
	}
}

var errEnded = errors.New("it ended while starting")

func (j *Jupyter) newClient(r record) (*jupyter.Server, error) {
	return jupyter.New(r.URL, r.Token, jupyter.WithLogger(j.cfg.Log), jupyter.WithRuntimeDir(j.dir.runtime()),
		jupyter.WithRoot(func() string { return r.RootDir }), jupyter.WithGuard(j.cfg.Guard), jupyter.WithTokenUse(j.cfg.TokenUse))
}

// answer waits until the server with that id accepts its token, and makes s its client.
func (j *Jupyter) answer(ctx context.Context, s *server, id string, limit time.Duration, alive func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it does not answer after %v", limit))
	defer cancel()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		living := alive() // checked first: what it wrote before its end counts
		if r, err := j.dir.readRecord(); err == nil && r.ID == id && r.Port > 0 && living {
			if s.client == nil {
				if s.client, err = j.newClient(r); err != nil {
					return err
				}
			}
			if st, err := s.client.Status(ctx); err == nil {
				s.record, s.version = r, st.Version
				return nil
			} else if errors.Is(err, jupyter.ErrUnauthorized) {
				return err
			}
		}
		if !living {
			return errEnded
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// serverError returns an error for a server that does not start or keep running, with
// the end of its log.
func (j *Jupyter) serverError(err error) error {
	said := logTail(j.dir.log)
	err = fmt.Errorf("%w: %w%s", ErrServer, err, indent(said))
	if e, ok := errors.AsType[*Error](explain(err, said)); ok && !errors.Is(e, ErrNoNetwork) {
		return e
	}
	return &Error{
		Kind: KindServer,
		Remedy: "The whole log is " + j.dir.log + ". If a package you installed is to blame, delete " + j.dir.env +
			" and start again: Easel creates a new one.",
		Err: err,
	}
}

// endServer asks s to end, waits until ctx is done or stopLimit has passed, and kills
// what is left.
func (j *Jupyter) endServer(ctx context.Context, s *server) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	var err error
	if !gone(s.exited) && s.record.alive() {
		err = terminate(s.record)
	}
	select {
	case <-s.exited:
	case <-ctx.Done():
		err = fmt.Errorf("jupyter did not end by itself and was killed: %w", ctx.Err())
		if s.record.alive() {
			_ = system.KillGroup(s.record.PID)
		}
		<-s.exited
	}
	j.clear(s.record)
	return err
}

// renew renews the lease. The file's content says who holds it, and its modification
// time when it was renewed.
func (d layout) renew() error {
	holder := strconv.Itoa(os.Getpid())
	if text, err := os.ReadFile(d.file("lease")); err != nil || string(text) != holder {
		if err := replaceFile(d.file("lease"), []byte(holder), 0o600); err != nil {
			return err
		}
	}
	now := time.Now()
	return os.Chtimes(d.file("lease"), now, now)
}

// keepLease renews the lease and limits the size of the log, until ctx ends.
func (j *Jupyter) keepLease(ctx context.Context, dir layout) {
	tick := time.NewTicker(min(j.cfg.Lease/6, 5*time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := dir.renew(); err != nil {
			j.cfg.Log.ErrorContext(ctx, "the lease of jupyter cannot be renewed", "err", err)
		}
		if err := boundLog(dir.log, logLimit); err != nil {
			j.cfg.Log.WarnContext(ctx, "the log of jupyter cannot be bounded", "err", err)
		}
	}
}
