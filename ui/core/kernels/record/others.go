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

// others counts what was recorded of other clients' code in a kernel. The zero value is ready
// to use.
type others struct {
	since time.Time // when the period began
	runs  int
	bytes int64
	last  *run // the last one that was recorded; nil once it says that others were not
}

// takes counts bytes, and reports whether they are within a limit.
func (o *others) takes(now time.Time, bytes int, limit int64) bool {
	if now.Sub(o.since) >= othersPeriod {
		*o = others{since: now, last: o.last}
	}
	if o.bytes+int64(bytes) > limit {
		return false
	}
	o.bytes += int64(bytes)
	return true
}

// recordsOther reports whether another client's run is to be recorded. If it is the first that
// is not, the last one that was says so.
func (r *Recorder) recordsOther(now time.Time, code string) bool {
	limits := r.env.Others
	if r.others.takes(now, len(code), limits.Bytes) && r.others.runs < limits.Runs {
		r.others.runs++
		return true
	}
	if u := r.others.last; u != nil {
		r.others.last = nil
		u.x.Truncate("history", 0, fmt.Sprintf(
			"other clients ran more than %d times, or more than %d MiB, within an hour; what they ran after this is not recorded", limits.Runs, limits.Bytes>>20))
		r.log.Warn("other clients run too much code in this kernel; the rest is not recorded", "runs", r.others.runs, "bytes", r.others.bytes)
		r.journal.keep(u)
	}
	return false
}

// recordsOutput reports whether a message with output of u is to be recorded. What Easel sent
// has limits of its own; most is that of others, in bytes.
func (o *others) recordsOutput(m *wire.Message, u *run, most int64) bool {
	if u.own {
		return true
	}
	size := len(m.Content)
	for _, b := range m.Buffers {
		size += len(b)
	}
	if o.takes(time.Now(), size, most) {
		return true
	}
	u.x.Truncate("output", int64(size), fmt.Sprintf("more than %d MiB of other clients within an hour; this part is not recorded", most>>20))
	return false
}
