package kernels

import "time"

// DisconnectAfter sets after what silence a connection counts as dead. It is called
// before anything else.
func (m *Manager) DisconnectAfter(after time.Duration) { m.timing.silence = after }

// BatchImages sets how long pictures wait for others; nothing but their time brings them.
// It is called before anything else.
func (m *Manager) BatchImages(d time.Duration) { m.timing.imageBatch, m.timing.watchdog = d, time.Hour }

// FallBackAfter sets how long a new kernel has to answer before a second one is started
// it. It is called before anything else.
func (m *Manager) FallBackAfter(after time.Duration) { m.timing.fallback = after }

// Quicken makes the manager n times less patient, so that a test need not wait.
// It is called before anything else.
func (m *Manager) Quicken(n time.Duration) {
	p := &m.timing
	for _, d := range []*time.Duration{&p.watchdog, &p.drain, &p.interruptRetry, &p.interruptReaction, &p.interruptGrace} {
		*d /= n
	}
	p.queueAbsence = max(8*time.Second, p.queueAbsence/n/n) // a machine at work may need seconds to connect again
	p.runAbsence = p.queueAbsence
	p.check = 15 * time.Second / n
	p.prestart = time.Minute // or another kernel is started, rightly
}

// Changed is closed at the next change.
func (x *Execution) Changed() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.changed
}

// PrestartedPID is the process of the prestarted kernel, 0 without one.
func (m *Manager) PrestartedPID() int {
	m.prestart.mu.Lock()
	defer m.prestart.mu.Unlock()
	if m.prestart.ready == nil {
		return 0
	}
	return m.prestart.ready.pid
}

// Hints are the hints that do not vary, by the names of their constants.
var Hints = map[string]string{
	"hintRuns": hintRuns, "hintAwaiting": hintAwaiting, "hintQueued": hintQueued, "hintBehind": hintBehind, "hintTheirs": hintTheirs,
	"hintStubborn": hintStubborn, "hintSeeking": hintSeeking, "hintLikely": hintLikely, "hintBack": hintBack,
	"hintDied": hintDied, "hintLost": hintLost, "hintGone": hintGone, "hintUnrun": hintUnrun,
	"hintSavefig": hintSavefig, "hintRestarted": hintRestarted, "hintUnstopped": hintUnstopped,
}

// Advise sets the fonts that may be advised. It is called before anything else.
func (m *Manager) Advise(fonts []string) { m.cfg.Fonts = fonts }

// HasPrestarted tells whether a prestarted kernel is ready.
func (m *Manager) HasPrestarted() bool {
	m.prestart.mu.Lock()
	defer m.prestart.mu.Unlock()
	return m.prestart.ready != nil
}

// DrawText sets Config.DrawText. It is called before anything else.
func (m *Manager) DrawText(wanted func() bool) { m.cfg.DrawText = wanted }
