package catalog

import (
	"strconv"
	"strings"
)

// A Death is how a kernel's process ended by itself.
type Death struct {
	Code          int    // its exit code; negative: the number of the signal that ended it
	Signal        string // the signal's name
	Memory, Total int64  // the most bytes that it ever had, and those that it could have had; 0 if that is not known
	OutOfMemory   bool   // the system ended it because memory was short
	Words         string // its last lines on stderr
}

// Explain returns the message of an execution that ended with the process: what Easel says anyway, and why.
func (d Death) Explain(message string) string {
	message += " " + d.String()
	if d.Words != "" {
		message += " Its last lines on stderr:\n" + d.Words
	}
	return message
}

// String returns a sentence, without the last words. The window translates it; see i18n.Death.
func (d Death) String() string {
	used := ""
	if d.Memory > 0 && d.Total > 0 {
		used = gigabytes(d.Memory) + " of " + gigabytes(d.Total) + " GB"
	}
	switch {
	case d.OutOfMemory && used != "":
		return "It was killed by the system at " + used + ": out of memory."
	case d.OutOfMemory:
		return "It was killed by the system: out of memory."
	case d.Killed() && used != "":
		return "It was killed (" + d.Signal + "); its memory had reached " + used + "."
	case d.Crashed():
		return "It crashed (" + d.Signal + ")."
	case d.Code < 0:
		return "It was killed (" + d.Signal + ")."
	default:
		return "It ended itself with exit code " + strconv.Itoa(d.Code) + "."
	}
}

// Killed reports whether it was killed by a signal that no program sends itself by mistake. The system sends it, too,
// when memory is short.
func (d Death) Killed() bool { return d.Signal == "SIGKILL" }

// Crashed reports whether native code failed.
func (d Death) Crashed() bool {
	switch d.Signal {
	case "SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS":
		return true
	}
	return false
}

// gigabytes returns bytes in GB, with one digit after the point if that is not 0.
func gigabytes(n int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64), ".0")
}
