package managed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
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
	Env     string        `json:"env"`            // its environment; "" in earlier versions
	Name    string        `json:"name,omitempty"` // of the project
	// Sandboxes means that it knows sandboxes, unlike those of earlier versions.
	Sandboxes bool `json:"sandboxes,omitempty"`
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

// adopt takes over the server that a previous Easel has left, if it is running and
// accepts its token. It ends a server that cannot be used, because it would keep the
// port and unreachable kernels.
func (v *supervisor) adopt(ctx context.Context) *server {
	r, err := v.files.readRecord()
	if err != nil {
		return nil
	}
	if r.alive() && r.RootDir == v.cfg.RootDir {
		v.reporter.report(Status{Phase: Starting, Detail: "Taking over the running Jupyter"})
		s := &server{adopted: true, began: time.Now(), exited: make(chan struct{})}
		limit := startLimit
		if r.Port > 0 {
			limit = answerLimit
		}
		if err := v.answer(ctx, s, r.ID, limit, r.alive); err == nil {
			// The end of a process that is not a child is not reported.
			go pollUntilGone(s.record, s.exited)
			return s
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if r.alive() {
		v.cfg.Log.WarnContext(ctx, "the server of a former start cannot be taken over and is ended", "pid", r.PID, "root_dir", r.RootDir)
		_ = terminate(r)
		_ = until(ctx, stopLimit, func() bool { return !r.alive() })
	}
	v.clear(r)
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
func (v *supervisor) clear(r record) {
	if r.alive() {
		_ = system.KillGroup(r.PID)
	}
	if n := killKernels(v.files.runtime()); n > 0 {
		v.cfg.Log.Warn("kernels had to be killed", "count", n)
	}
	v.files.forget(r)
}

// launch starts a server and waits until it answers. It reuses the port and token of the
// previous one, if there was one, so that open browser tabs can reconnect.
func (v *supervisor) launch(ctx context.Context, former record) (*server, error) {
	how, err := v.how()
	if err != nil {
		return nil, err
	}
	r := record{
		ID: rand.Text(), Token: former.Token, Name: how.name, RootDir: v.cfg.RootDir, Lease: v.cfg.Lease, Env: how.env, Sandboxes: true,
	}
	if r.Token == "" {
		r.Token = rand.Text() + rand.Text() // 256 bits
	}
	out, err := openLog(v.files.log)
	if err != nil {
		return nil, explain(err, "")
	}
	defer func() { _ = out.Close() }()

	//nolint:gosec,noctx // our own environment; it must outlive us, that is what the lease is for
	cmd := exec.Command(venvPython(how.env), "-I", how.program, v.files.root)
	cmd.Dir, cmd.Env = how.dir, how.environ
	cmd.Stdout, cmd.Stderr = out, out
	system.OwnSession(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, v.serverError(err)
	}
	s := &server{began: time.Now(), exited: make(chan struct{})}
	go func() { // ends with the process
		err := cmd.Wait()
		v.cfg.Log.InfoContext(ctx, "jupyter ended", "pid", cmd.Process.Pid, "err", err)
		close(s.exited)
	}()
	// Write the record first. If Easel is killed here, it leaves a server that is found,
	// or one that has received nothing and ends.
	r.PID, r.Started = cmd.Process.Pid, processStart(cmd.Process.Pid)
	err = v.files.writeRecord(r)
	if err == nil {
		err = json.NewEncoder(in).Encode(map[string]any{
			"id": r.ID, "token": r.Token, "port": former.Port, "root_dir": r.RootDir,
			"lease_seconds": r.Lease.Seconds(), "kernel_dirs": append([]string{}, userKernels()...), "stop_event": r.stopEvent(),
			"project": how.project, "log": v.files.log,
			"layers": v.files.layers(),
		})
	}
	err = errors.Join(err, in.Close())
	if err == nil {
		err = v.answer(ctx, s, r.ID, startLimit, func() bool { return !gone(s.exited) })
	}
	if err != nil {
		_ = system.KillGroup(r.PID)
		<-s.exited
		v.clear(r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, v.serverError(err)
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

func (v *supervisor) newClient(r record) (*jupyter.Server, error) {
	return jupyter.New(r.URL, r.Token, jupyter.WithLogger(v.cfg.Log), jupyter.WithRuntimeDir(v.files.runtime()),
		jupyter.WithRoot(func() string { return r.RootDir }), jupyter.WithGuard(v.cfg.Guard), jupyter.WithTokenUse(v.cfg.TokenUse))
}

// answer waits until the server with that id accepts its token, and makes s its client.
func (v *supervisor) answer(ctx context.Context, s *server, id string, limit time.Duration, alive func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it does not answer after %v", limit))
	defer cancel()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		living := alive() // checked first: what it wrote before its end counts
		if r, err := v.files.readRecord(); err == nil && r.ID == id && r.Port > 0 && living {
			if s.client == nil {
				if s.client, err = v.newClient(r); err != nil {
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
func (v *supervisor) serverError(err error) error {
	said := logTail(v.files.log)
	err = fmt.Errorf("%w: %w%s", ErrServer, err, indent(said))
	if e, ok := errors.AsType[*Error](explain(err, said)); ok && !errors.Is(e, ErrNoNetwork) {
		return e
	}
	remedy := "The whole log is " + v.files.log + "."
	if how, err := v.how(); err == nil {
		remedy += " If a package you installed is to blame, delete " + how.env + " and start again: Easel creates a new one."
	}
	return &Error{
		Kind:   KindServer,
		Remedy: remedy,
		Err:    err,
	}
}

// endServer asks s to end, waits until ctx is done or stopLimit has passed, and kills
// what is left.
func (v *supervisor) endServer(ctx context.Context, s *server) error {
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
	v.clear(s.record)
	return err
}

// keepLease renews the lease and limits the size of the log, until ctx ends.
func (v *supervisor) keepLease(ctx context.Context) {
	tick := time.NewTicker(min(v.cfg.Lease/6, 5*time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := v.files.renew(); err != nil {
			v.cfg.Log.ErrorContext(ctx, "the lease of jupyter cannot be renewed", "err", err)
		}
		if err := boundLog(v.files.log, logLimit); err != nil {
			v.cfg.Log.WarnContext(ctx, "the log of jupyter cannot be bounded", "err", err)
		}
	}
}
