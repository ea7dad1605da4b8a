package kernels

import "time"

// A timing has the intervals and time limits of a manager. Tests shorten them.
type timing struct {
	watchdog          time.Duration // between checks of a silent request
	drain             time.Duration // for earlier iopub messages to arrive after the reply to a probe
	interruptRetry    time.Duration // before an interrupt that had no effect is repeated
	interruptReaction time.Duration // for code to end after an interrupt, before the outcome is that it still runs
	interruptGrace    time.Duration // after the second interrupt, before code is given up
	queueAbsence      time.Duration // without the server, before queued code ends as lost
	runAbsence        time.Duration // without the server, before running code ends as lost
	probe             time.Duration // for a kernel to answer a probe
	silence           time.Duration // before a silent connection counts as dead; 0 for the client's default
	check             time.Duration // between checks whether a kernel still exists; 0 for the client's default
	imageBatch        time.Duration // between two batches of pictures from a kernel
	fallback          time.Duration // for a new kernel to respond, before a second one is started
	fonts             time.Duration // for a kernel to find a font; delays the end of its execution
	server            time.Duration // for a server to be installed or started, before Create gives up
}

func defaultTiming() timing {
	return timing{
		watchdog: 5 * time.Second, drain: 500 * time.Millisecond,
		// An interrupt is lost if it arrives while the kernel runs its own code, so it is
		// sent a second time.
		interruptRetry: 2 * time.Second,
		// Longer than interruptRetry, to include the effect of the second interrupt.
		interruptReaction: 5 * time.Second,
		// Code may catch KeyboardInterrupt. Then its execution ends although the code
		// still runs, and the kernel counts as busy until it reports idle.
		interruptGrace: 10 * time.Second,
		// The monotonic clock stops while the machine sleeps, so sleep does not count as
		// the server's absence.
		queueAbsence: 2 * time.Minute,
		// Waiting costs nothing, and an outcome that was given up is lost for good.
		runAbsence: 10 * time.Minute,
		// Importing ipykernel takes long on a slow disk.
		probe: time.Minute,
		// Too short to notice. A loop draws a picture per millisecond; a batch takes 2 ms.
		imageBatch: 20 * time.Millisecond,
		// Eight kernels that start at the same time on two busy cores respond after 9 s.
		fallback: 15 * time.Second,
		// A slow disk reads 20 fonts per second; usually one of the first is sufficient.
		fonts:  2 * time.Second,
		server: 45 * time.Second,
	}
}
