package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// A recovery finds out what became of the executions of an earlier run of Easel.
type recovery struct {
	library    *library.Library
	log        *slog.Logger
	tasks      *tasks.Group
	timing     *record.Timing
	executions *execution.Registry
	servers    *servers.List
	survey     *survey.Survey
	join       func(ctx context.Context, s *servers.Server, jup *jupyter.Server, k survey.Kernel, client string) (*record.Recorder, error)
	ended      func(change catalog.ChangeName, x catalog.Execution) // may be nil
}

// begin ends the executions that were not sent to a kernel. The others are orphaned: the code may
// still run, or the server may have buffered its end. They count as running until this is known,
// and as lost once it can no longer be known.
func (v *recovery) begin(ctx context.Context) error {
	open, err := v.library.Executions.Open(ctx)
	if err != nil {
		return err
	}
	for _, rec := range open {
		if rec.Request == "" {
			rec.Status, rec.EndedAt, rec.Hint = catalog.StatusLost, time.Now().UTC(), execution.HintUnrun
			rec.Error = &catalog.ExecutionError{Code: catalog.CodeOutputLost, Message: record.MessageUnsent}
			if err := v.library.Executions.Put(ctx, rec); err != nil {
				return err
			}
			continue
		}
		rec.Status = catalog.StatusRunning
		rec.StartedAt = cmp.Or(rec.StartedAt, rec.SentAt, rec.CreatedAt) // the start is stored together with the end only
		images, err := v.library.Images.OfExecution(ctx, rec.ID)
		if err != nil {
			return err
		}
		x := execution.Restore(v.library, rec, images)
		x.Doubt(execution.HintSeeking)
		v.executions.Orphan(rec.KernelID, x)
	}
	left := v.executions.Orphaned()
	if len(open) > 0 {
		v.log.InfoContext(ctx, "found unfinished executions of an earlier run", "n", len(open), "kernels", len(left))
	}
	if len(left) > 0 {
		v.tasks.Go(v.seek)
	}
	return nil
}

// orphansByServer returns the ids of kernels with orphaned executions, by server name. The
// name is "" if it is unknown.
func (v *recovery) orphansByServer() map[string][]string {
	by := make(map[string][]string)
	for kernel, id := range v.executions.Orphaned() {
		sess, _ := v.library.Sessions.Get(v.tasks.Context(), id) // if this fails, the server is unknown
		by[sess.Server] = append(by[sess.Server], kernel)
	}
	return by
}

// seek looks for the kernels with orphaned executions until none is left, or until
// record.Timing.RunAbsence has passed and it ends the rest as lost. Restore covers servers that
// respond at startup; this covers servers that respond later or intermittently.
func (v *recovery) seek() {
	tick := time.NewTicker(v.timing.Watchdog)
	defer tick.Stop()
	late := time.NewTimer(v.timing.RunAbsence)
	defer late.Stop()
	for {
		by := v.orphansByServer()
		if len(by) == 0 {
			return
		}
		select {
		case <-v.tasks.Context().Done():
			return
		case <-late.C:
			for _, ks := range by {
				v.end(messageAbsent(v.timing.RunAbsence), execution.HintLost, ks...)
			}
			return
		case <-tick.C:
		}
		for name, ks := range by {
			v.seekOn(name, ks)
		}
	}
}

// seekOn joins kernels on a server. If it cannot, it puts the reason into the hints
// of their orphaned executions.
func (v *recovery) seekOn(name string, kernels []string) {
	err := v.joinOn(name, kernels)
	if err == nil {
		return
	}
	hint := hintNoServer(err, v.timing.RunAbsence)
	v.executions.Doubt(kernels, hint)
}

// joinOn joins the given kernels of a server, which have orphaned executions. It ends
// the executions of kernels that no longer exist.
func (v *recovery) joinOn(name string, kernels []string) error {
	s, err := v.servers.Lookup(name)
	if err != nil || name == "" {
		return servers.ErrNotFound
	}
	jup, err := s.Now()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(v.tasks.Context(), time.Minute)
	defer cancel()
	fs, err := v.survey.Running(ctx, s, jup)
	if err != nil && !errors.Is(err, survey.ErrUnlisted) {
		return err
	}
	v.endMissing(ctx, name, jup, fs)
	var failed error
	for _, f := range fs {
		if slices.Contains(kernels, f.Model.ID) {
			_, err := v.join(ctx, s, jup, f, "")
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// endMissing ends the orphaned executions of kernels that a server no longer has. fs
// are the kernels that the server listed.
func (v *recovery) endMissing(ctx context.Context, name string, jup *jupyter.Server, fs []survey.Kernel) {
	for _, id := range v.orphansByServer()[name] {
		if slices.ContainsFunc(fs, func(f survey.Kernel) bool { return f.Model.ID == id }) {
			continue
		}
		if _, err := jup.Kernel(ctx, id); errors.Is(err, jupyter.ErrNotFound) {
			v.end(messageKernelGone, execution.HintGone, id)
		}
	}
}

// end ends the orphaned executions of kernels as lost.
func (v *recovery) end(message, hint string, kernels ...string) {
	for _, id := range kernels {
		for _, x := range v.executions.TakeOrphans(id) {
			rec := x.End(execution.Outcome{
				Status: catalog.StatusLost, At: x.Record().StartedAt, Hint: hint, // nothing was heard of it since
				Error: &catalog.ExecutionError{Code: catalog.CodeOutputLost, Message: message},
			})
			if err := v.library.Executions.Put(context.WithoutCancel(v.tasks.Context()), rec); err != nil {
				v.log.Error("storing an execution", "execution", x.ID(), "err", err)
			}
			v.executions.Retire(x)
			if v.ended != nil {
				v.ended(catalog.ExecutionEnded, x.Snapshot())
			}
			x.CloseDone()
		}
	}
}

// hintNoServer returns the hint for code that ran when Easel was restarted, while its server
// does not respond.
func hintNoServer(err error, forgo time.Duration) string {
	return fmt.Sprintf("Easel was restarted while this ran, and cannot ask its Jupyter server whether it is still running (%s). "+
		"Call get_execution later; without an answer for %s, this ends as lost.", reason(err), forgo)
}

// reason returns in a few words why a server does not respond.
func reason(err error) string {
	if e, ok := errors.AsType[*servers.NotReadyError](err); ok && e.Health.Message != "" {
		return e.Health.Message
	}
	if errors.Is(err, servers.ErrNotFound) {
		return "Easel was started without it"
	}
	return err.Error()
}

// messageAbsent is the message for code from an earlier run of Easel on a server that has not
// responded for some time.
func messageAbsent(after time.Duration) string {
	return fmt.Sprintf("Easel was restarted while this ran, and has not reached its Jupyter server for %s: the outcome is unknown. Earlier output is kept.", after)
}

const messageKernelGone = "Its kernel ended while Easel was not running: it is unknown whether the code finished. Earlier output is kept."
