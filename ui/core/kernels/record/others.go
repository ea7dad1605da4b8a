package record

import (
	"fmt"
	"time"

	"easel/jupyter/wire"
)

// OthersLimits are the limits of what is recorded of other clients' code in one kernel within
// othersPeriod. A kernel says itself what it runs, so its code can invent runs, and fill the
// disk with them.
type OthersLimits struct {
	Runs  int
	Bytes int64 // of code and output
}

const othersPeriod = time.Hour

// DefaultOthersLimits returns the usual ones.
func DefaultOthersLimits() OthersLimits { return OthersLimits{Runs: 2000, Bytes: 512 << 20} }

// others counts what was recorded of other clients' code in a kernel.
type others struct {
	journal journal
	since   time.Time // when the period began
	runs    int
	bytes   int64
	last    *queuedExecution // the last one that was recorded; nil once it says that others were not
}

// takes counts bytes, and reports whether they are within the limit.
func (o *others) takes(now time.Time, bytes int) bool {
	if now.Sub(o.since) >= othersPeriod {
		o.since, o.runs, o.bytes = now, 0, 0
	}
	if o.bytes+int64(bytes) > o.journal.env.Others.Bytes {
		return false
	}
	o.bytes += int64(bytes)
	return true
}

// recordsRun reports whether another client's run is to be recorded. If it is the first that
// is not, the last one that was says so.
func (o *others) recordsRun(now time.Time, code string) bool {
	limits := o.journal.env.Others
	if o.takes(now, len(code)) && o.runs < limits.Runs {
		o.runs++
		return true
	}
	if u := o.last; u != nil {
		o.last = nil
		u.x.Truncate("history", 0, fmt.Sprintf(
			"other clients ran more than %d times, or more than %d MiB, within an hour; what they ran after this is not recorded", limits.Runs, limits.Bytes>>20))
		o.journal.log.Warn("other clients run too much code in this kernel; the rest is not recorded", "runs", o.runs, "bytes", o.bytes)
		o.journal.keep(u)
	}
	return false
}

// recordsOutput reports whether a message with output of u is to be recorded. What Easel sent
// has limits of its own.
func (o *others) recordsOutput(m *wire.Message, u *queuedExecution) bool {
	if u.own {
		return true
	}
	size := len(m.Content)
	for _, b := range m.Buffers {
		size += len(b)
	}
	if o.takes(time.Now(), size) {
		return true
	}
	u.x.Truncate("output", int64(size), fmt.Sprintf("more than %d MiB of other clients within an hour; this part is not recorded", o.journal.env.Others.Bytes>>20))
	return false
}
