package kernels

import "time"

// CountAsDead sets after what silence a connection counts as dead. It is called
// before anything else.
func (m *Manager) CountAsDead(after time.Duration) { m.pace.still = after }

// Gather sets how long pictures wait for others; nothing but their time brings them.
// It is called before anything else.
func (m *Manager) Gather(d time.Duration) { m.pace.gather, m.pace.look = d, time.Hour }

// StartBeside sets how long a new kernel has to answer before another is started beside
// it. It is called before anything else.
func (m *Manager) StartBeside(after time.Duration) { m.pace.beside = after }

// Quicken makes the manager n times less patient, so that a test need not wait.
// It is called before anything else.
func (m *Manager) Quicken(n time.Duration) {
	p := &m.pace
	for _, d := range []*time.Duration{&p.look, &p.settle, &p.retry, &p.react, &p.grace} {
		*d /= n
	}
	p.away = max(8*time.Second, p.away/n/n) // a machine at work may need seconds to connect again
	p.forgo = p.away
	p.check = 15 * time.Second / n
	p.spare = time.Minute // or another kernel is started, rightly
}

// SparePID is the process of the spare kernel, 0 without one.
func (m *Manager) SparePID() int {
	m.spares.mu.Lock()
	defer m.spares.mu.Unlock()
	if m.spares.ready == nil {
		return 0
	}
	return m.spares.ready.pid
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
