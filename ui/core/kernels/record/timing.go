package record

import "time"

// A Timing has the intervals and time limits of recorders. Tests shorten them.
type Timing struct {
	Watchdog          time.Duration // between checks of a silent request
	Drain             time.Duration // for earlier iopub messages to arrive after the reply to a probe
	InterruptRetry    time.Duration // before an interrupt that had no effect is repeated
	InterruptReaction time.Duration // for code to end after an interrupt, before the outcome is that it still runs
	InterruptGrace    time.Duration // after the second interrupt, before code is given up
	QueueAbsence      time.Duration // without the server, before queued code ends as lost
	RunAbsence        time.Duration // without the server, before running code ends as lost
	Probe             time.Duration // for a kernel to answer a probe
	ImageBatch        time.Duration // between two batches of pictures from a kernel
	Fonts             time.Duration // for a kernel to find a font; delays the end of its execution
}

// DefaultTiming returns the usual ones.
func DefaultTiming() Timing {
	return Timing{
		Watchdog: 5 * time.Second, Drain: 500 * time.Millisecond,
		// An interrupt is lost if it arrives while the kernel runs its own code, so it is
		// sent a second time.
		InterruptRetry: 2 * time.Second,
		// Longer than InterruptRetry, to include the effect of the second interrupt.
		InterruptReaction: 5 * time.Second,
		// Code may catch KeyboardInterrupt. Then its execution ends although the code
		// still runs, and the kernel counts as busy until it reports idle.
		InterruptGrace: 10 * time.Second,
		// The monotonic clock stops while the machine sleeps, so sleep does not count as
		// the server's absence.
		QueueAbsence: 2 * time.Minute,
		// Waiting costs nothing, and an outcome that was given up is lost for good.
		RunAbsence: 10 * time.Minute,
		// Importing ipykernel takes long on a slow disk.
		Probe: time.Minute,
		// Too short to notice. A loop draws a picture per millisecond; a batch takes 2 ms.
		ImageBatch: 20 * time.Millisecond,
		// A slow disk reads 20 fonts per second; usually one of the first is sufficient.
		Fonts: 2 * time.Second,
	}
}
