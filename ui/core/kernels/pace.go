package kernels

import "time"

// A pace is how patient a manager is. Tests make it quicker.
type pace struct {
	look   time.Duration // between looks at a request that says nothing
	settle time.Duration // for what was said before a probe's answer to come, of a kernel whose iopub does not tell of it
	retry  time.Duration // before an interrupt without effect is sent again
	react  time.Duration // for code to end after an interrupt before it is told that it still runs
	grace  time.Duration // before code that catches interrupts is given up
	away   time.Duration // before what a server that does not answer had to do counts as lost
	forgo  time.Duration // the same, for code that it has begun: one looks for its outcome that long
	probe  time.Duration // for a kernel to serve again
	still  time.Duration // before a connection that says nothing counts as dead; 0: the client's
	check  time.Duration // between questions whether a kernel still exists; 0: the client's
	gather time.Duration // between two batches of pictures of a kernel
	beside time.Duration // for a new kernel to answer, before another is started beside it
	fonts  time.Duration // for a kernel to find a font, while its execution's end waits
	spare  time.Duration // for the spare kernel to show that it lives, before another is started in its place
}

func defaultPace() pace {
	return pace{
		look: 5 * time.Second, settle: 500 * time.Millisecond,
		// An interrupt that arrives while the kernel is between two steps of its
		// own is lost; one more is sent.
		retry: 2 * time.Second,
		// Longer than retry, so that the second interrupt has had its effect, too.
		react: 5 * time.Second,
		// Code may catch KeyboardInterrupt. Then a timed out or cancelled execution
		// ends without it, and the kernel counts as busy until it is idle.
		grace: 10 * time.Second,
		// The clock stands still while the machine sleeps, so a laptop that was shut
		// does not look like a server that is gone.
		away: 2 * time.Minute,
		// It costs nothing to wait, and an outcome that was given up is never told.
		forgo: 10 * time.Minute,
		// An import of ipykernel on a slow disk.
		probe: time.Minute,
		// Less than one notices. A loop draws one each millisecond, and a batch takes two.
		gather: 20 * time.Millisecond,
		// Eight kernels that start at once on two busy cores answer after nine seconds.
		beside: 15 * time.Second,
		// Twenty fonts a second, on a slow disk; nearly always one of the first has it.
		fonts: 2 * time.Second,
		spare: time.Second,
	}
}
