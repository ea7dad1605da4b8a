package managed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// A Phase is a phase in the life of the managed Jupyter.
type Phase string

// The phases. Installing occurs only if the environment is not complete.
const (
	Searching  Phase = "searching"  // for Python, or for a server to take over
	Installing Phase = "installing" // the environment is being created or updated
	Starting   Phase = "starting"   // the server is being started or restarted
	Ready      Phase = "ready"      // Server answers
	Failed     Phase = "failed"     // Err and Remedy say why and what to do; Start may be called again
	Stopped    Phase = "stopped"    // not started yet, or ended by Stop
)

// A Status is what the managed Jupyter is doing.
type Status struct {
	Phase    Phase
	Detail   string    // one line for the user, in English
	Progress           // if Installing
	Later    *Later    // what is being installed in the background; nil if nothing
	Fraction float64   // progress of Start as a whole, from 0 to 1; never decreases
	Err      error     // if Failed, the error; if Starting again, why the last server ended
	Remedy   string    // if Failed, what the user can do
	Since    time.Time // when Phase began
}

// A reporter keeps the status of a server and publishes its changes.
type reporter struct {
	publish func(Status)
	log     *slog.Logger

	reporting sync.Mutex // held while publish is called, to keep the calls in order

	mu      sync.Mutex // guards the fields below
	status  Status
	later   *Later        // nil when nothing is left to be installed
	changed chan struct{} // closed at the next change
}

func newReporter(cfg Config) *reporter {
	return &reporter{
		publish: cfg.Report, log: cfg.Log,
		status: Status{Phase: Stopped, Since: time.Now()}, changed: make(chan struct{}),
	}
}

// current returns the status, and a channel that is closed at its next change.
func (r *reporter) current() (Status, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status, r.changed
}

// report publishes s. It sets Since and Fraction.
func (r *reporter) report(s Status) {
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.mu.Lock()
	s.Since = time.Now()
	if r.status.Phase == s.Phase {
		s.Since = r.status.Since
	}
	switch s.Phase {
	case Ready:
		s.Fraction = 1
	case Installing, Starting:
		s.Fraction = max(s.Fraction, r.status.Fraction)
	case Searching, Failed, Stopped:
	}
	s.Later = r.later
	old := r.status
	changed := s.Phase != old.Phase || s.Detail != old.Detail || s.Fraction != old.Fraction || s.Progress != old.Progress ||
		s.Later != old.Later
	r.status = s
	if changed {
		close(r.changed)
		r.changed = make(chan struct{})
	}
	r.mu.Unlock()
	if changed {
		r.publish(s)
	}
}

func (r *reporter) ready(s *server) {
	verb := "runs"
	if s.adopted {
		verb = "was still running and runs on"
	}
	r.report(Status{Phase: Ready, Detail: fmt.Sprintf("Jupyter %s %s at %s", s.version, verb, s.record.URL)})
	r.log.Info("jupyter is ready", "url", s.record.URL, "root_dir", s.record.RootDir, "pid", s.record.PID,
		"version", s.version, "adopted", s.adopted)
}

func (r *reporter) failed(err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		r.report(Status{Phase: Stopped, Err: err})
		return
	}
	s := Status{Phase: Failed, Detail: err.Error(), Err: err}
	if e, ok := errors.AsType[*Error](err); ok {
		s.Remedy = e.Remedy
	}
	r.report(s)
	r.log.Error("jupyter failed", "err", err, "remedy", s.Remedy)
}

// setLater publishes l, with the phase as it is.
func (r *reporter) setLater(l *Later) {
	r.mu.Lock()
	r.later = l
	s := r.status
	r.mu.Unlock()
	r.report(s)
}
