package kernels

import "time"

// A timing is how long a manager waits for things. Tests shorten it.
type timing struct {
	watchdog          time.Duration // between checks of a request of which nothing is heard
	drain             time.Duration // for what was said before a probe's answer to come, of a kernel whose iopub does not tell of it
	interruptRetry    time.Duration // before an interrupt without effect is sent again
	interruptReaction time.Duration // for code to end after an interrupt before it is told that it still runs
	interruptGrace    time.Duration // before code that catches interrupts is given up
	queueAbsence      time.Duration // before what a server that does not answer had to do counts as lost
	runAbsence        time.Duration // the same, for code that the kernel has started
	probe             time.Duration // for a kernel to serve again
	silence           time.Duration // before a connection that says nothing counts as dead; 0: the client's
	check             time.Duration // between questions whether a kernel still exists; 0: the client's
	imageBatch        time.Duration // between two batches of pictures of a kernel
	fallback          time.Duration // for a new kernel to answer, before a second one is started
	fonts             time.Duration // for a kernel to find a font, while its execution's end waits
	prestart          time.Duration // for the prestarted kernel to answer, before another is started instead
}

func defaultTiming() timing {
	return timing{
		watchdog: 5 * time.Second, drain: 500 * time.Millisecond,
		// An interrupt that arrives while the kernel is between two steps of its
		// own is lost; one more is sent.
		interruptRetry: 2 * time.Second,
		// Longer than retry, so that the second interrupt has had its effect, too.
		interruptReaction: 5 * time.Second,
		// Code may catch KeyboardInterrupt. Then a timed out or cancelled execution
		// ends without it, and the kernel counts as busy until it is idle.
		interruptGrace: 10 * time.Second,
		// The clock stands still while the machine sleeps, so a laptop that was shut
		// does not look like a server that is gone.
		queueAbsence: 2 * time.Minute,
		// It costs nothing to wait, and an outcome that was given up is never told.
		runAbsence: 10 * time.Minute,
		// An import of ipykernel on a slow disk.
		probe: time.Minute,
		// Less than one notices. A loop draws one each millisecond, and a batch takes two.
		imageBatch: 20 * time.Millisecond,
		// Eight kernels that start at once on two busy cores answer after nine seconds.
		fallback: 15 * time.Second,
		// Twenty fonts a second, on a slow disk; nearly always one of the first has it.
		fonts:    2 * time.Second,
		prestart: time.Second,
	}
}
