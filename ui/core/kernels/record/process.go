package record

import "easel/jupyter/wire"

// A process is which process of the kernel answers, and whether it was replaced by another. It is
// separate from kernelPhase because it survives a lost connection.
type process struct {
	use    processUse
	id     string // session id in the headers of its messages; "" if unknown
	ended  string // id before the last restart; "" once the new process has answered
	former string // id that an earlier run of Easel stored; "" if there is none
	joined string // the process that answered when Easel connected; "" if unknown

	probe  int // id of the probe in flight; 0 if there is none
	probes int // number of probes so far
}

// A processUse is whether the kernel's process has run anything. It decides whether a
// report of a restart counts, because the kernel, its server and other clients each report
// the same restart.
type processUse int

const (
	processNew       processUse = iota // has run nothing; its own start may still be reported
	processUsed                        // has run code; a reported start means a new process
	processRestarted                   // its restart was counted; has run nothing since
)

// known sets the id that an earlier run of Easel has stored; "" if there is none.
func (p *process) known(former string) { p.id, p.former = former, former }

// runs notes that the process has run code, so that the next restart counts.
func (p *process) runs() { p.use = processUsed }

// mentioned notes a message about code from before the kernel was joined, which means that the
// process is not new.
func (p *process) mentioned() {
	if p.use == processNew {
		p.use = processUsed
	}
}

// hears notes the process that m is from, and reports whether its id was not known before, and
// whether it is another process than before, because the kernel was restarted while the connection
// was lost. Each process has its own session id in its headers, except for kernels that repeat
// their client's.
func (p *process) hears(m *wire.Message) (identified, replaced bool) {
	id := m.Header.Session
	if m.Header.MsgType != "status" && m.Header.MsgType != "execute_input" || // the server creates some of the others
		m.Parent.MsgID == "" || id == "" || id == m.Parent.Session || p.hasEnded(m) {
		return false, false
	}
	before := p.id
	p.id = id
	return before == "", before != "" && before != id && p.use != processRestarted
}

// hasEnded reports whether m is from the kernel's former process. Until it has ended, which takes
// a moment, it still says what it does.
func (p *process) hasEnded(m *wire.Message) bool {
	return p.ended != "" && m.Header.Session == p.ended
}

// shutsDown notes that the process announces its end by m.
func (p *process) shutsDown(m *wire.Message) {
	if p.id == "" && m.Header.Session != m.Parent.Session {
		p.id = m.Header.Session
	}
}

// restarted notes that the process has ended and that another follows. It reports whether that
// counts: several reports of one restart count once.
func (p *process) restarted() (counts bool) {
	if p.id != "" {
		p.ended = p.id
	}
	p.probe, p.id = 0, ""
	counts = p.use != processRestarted
	p.use = processRestarted
	return counts
}

// isNot reports whether id, which a kernel has reported, is that of another process.
func (p *process) isNot(id string) bool { return id != "" && p.id != "" && id != p.id }

// replaced reports whether the process changed while Easel was not running, and no message has
// shown that since.
func (p *process) replaced() bool { return p.id == p.former && p.isNot(p.joined) }

// begin starts another probe. The answer to an earlier one is ignored.
func (p *process) begin() (probe int) {
	p.probes++
	p.probe = p.probes
	return p.probe
}

// forget ignores the answer to the probe in flight.
func (p *process) forget() { p.probe = 0 }

// answered reports whether the answer to a probe counts. It does not if the probe is from before a
// restart, because it says nothing about the new process.
func (p *process) answered(probe int, err error) bool {
	if p.probe != probe {
		return false
	}
	p.probe = 0
	if err == nil {
		p.ended = ""
	}
	return true
}
