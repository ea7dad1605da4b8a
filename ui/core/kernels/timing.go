package kernels

import "time"

// A timing has the intervals and time limits of a manager; its recorders have their own. Tests
// shorten them.
type timing struct {
	silence  time.Duration // before a silent connection counts as dead; 0 for the client's default
	check    time.Duration // between checks whether a kernel still exists; 0 for the client's default
	fallback time.Duration // for a new kernel to respond, before a second one is started
	server   time.Duration // for a server to be installed or started, before Create gives up
}

func defaultTiming() timing {
	return timing{
		// Eight kernels that start at the same time on two busy cores respond after 9 s.
		fallback: 15 * time.Second,
		server:   45 * time.Second,
	}
}
