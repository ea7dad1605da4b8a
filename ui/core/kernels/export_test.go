package kernels

import (
	"context"
	"time"

	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
	"easel/ui/core/oversight"
)

// DisconnectAfter sets timing.silence, after which a silent connection counts as dead. Call it
// before anything else.
func (m *Manager) DisconnectAfter(after time.Duration) { m.timing.silence = after }

// BatchImages sets Timing.ImageBatch, and disables the watchdog so that nothing else stores
// pictures. Call it before anything else.
func (m *Manager) BatchImages(d time.Duration) {
	m.env.Timing.ImageBatch, m.env.Timing.Watchdog = d, time.Hour
}

// FallBackAfter sets timing.fallback, after which a second kernel is started. Call it before
// anything else.
func (m *Manager) FallBackAfter(after time.Duration) { m.timing.fallback = after }

// Quicken divides the manager's intervals and time limits by n, so that tests are fast. Call
// it before anything else.
func (m *Manager) Quicken(n time.Duration) {
	p := &m.env.Timing
	for _, d := range []*time.Duration{&p.Watchdog, &p.Drain, &p.InterruptRetry, &p.InterruptReaction, &p.InterruptGrace} {
		*d /= n
	}
	p.QueueAbsence = max(8*time.Second, p.QueueAbsence/n/n) // reconnecting may take seconds on a busy machine
	p.RunAbsence = p.QueueAbsence
	m.timing.check = 15 * time.Second / n
	m.Prestarter.Patience = time.Minute // a busy machine must not cause the use of another kernel
}

// Hints are the constant hints by the names of their constants.
var Hints = map[string]string{
	"HintRuns": execution.HintRuns, "HintAwaiting": execution.HintAwaiting, "HintHeld": execution.HintHeld, "HintTheirs": execution.HintTheirs,
	"HintStubborn": execution.HintStubborn, "HintSeeking": execution.HintSeeking, "HintLikely": execution.HintLikely, "HintBack": execution.HintBack,
	"HintDied": execution.HintDied, "HintLost": execution.HintLost, "HintGone": execution.HintGone, "HintUnrun": execution.HintUnrun, "HintElsewhere": execution.HintElsewhere,
	"HintSavefig": execution.HintSavefig, "HintRestarted": execution.HintRestarted, "HintUnstopped": execution.HintUnstopped,
}

// Advise sets Config.Fonts. Call it before anything else.
func (m *Manager) Advise(fonts []string) { m.env.Fonts = fonts }

// DrawText sets Config.DrawText. It is called before anything else.
func (m *Manager) DrawText(wanted func() bool) { m.env.DrawText = wanted }

// KeepFigures sets which kernels keep their figures. It is called before anything else.
func (m *Manager) KeepFigures(sources map[string]string, keep func(managed bool) bool) {
	m.env.Figures = inspect.FigureKeeper{Wanted: keep, Sources: sources}
}

// Reads evaluates a Python expression in a session's kernel, as Easel does for itself.
func (m *Manager) Reads(ctx context.Context, id, call string, into any) error {
	r, err := m.joined(ctx, id)
	if err != nil {
		return err
	}
	return r.Inquiry.Ask(ctx, oversight.ReadVariables, inspect.Question{Python: inspect.Expression(call)}, into)
}

// LimitOthers sets how much is recorded of other clients' code. Call it before anything else.
func (m *Manager) LimitOthers(runs int, bytes int64) {
	m.env.Others = record.OthersLimits{Runs: runs, Bytes: bytes}
}

// Barrier waits until the recorder of a kernel has done what it was doing.
func (m *Manager) Barrier(kernel string) {
	if r := m.recorders.find(kernel); r != nil {
		r.Wait()
	}
}
