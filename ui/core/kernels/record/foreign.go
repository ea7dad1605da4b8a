package record

import "easel/ui/core/kernels/execution"

// unknownRequest stands for code that the kernel executes, or may execute, whose msg_id is
// unknown, for example since before it was joined.
const unknownRequest = "unknown"

// A foreignCode is what the kernel executes that is not the recorder's current request: that of
// another client, or what Easel gave up, or what an earlier run of Easel sent.
type foreignCode struct {
	ledger   *ledger
	request  string           // its msg_id; "" if there is none
	orphaned bool             // request is unknownRequest, and only an earlier run of Easel can have sent it
	alone    bool             // when the kernel was joined, Easel had started it and nobody else was connected
	waiting  []*interruptCall // interrupts that wait for its end
	over     chan struct{}    // closed at its end; nil if nobody waits
	unmoved  bool             // it has not reacted to an interrupt, and its run is unknown
}

// runs reports whether there is any.
func (f *foreignCode) runs() bool { return f.request != "" }

// run returns its run; nil if that is unknown.
func (f *foreignCode) run() *queuedExecution { return f.ledger.byID[f.request] }

// theirs reports whether it is another client's.
func (f *foreignCode) theirs() bool {
	u := f.run()
	return f.runs() && !f.orphaned && (u == nil || !u.own)
}

// running returns what clients see of it; nil if there is none.
func (f *foreignCode) running() *execution.RunningCode {
	switch u := f.run(); {
	case !f.runs():
		return nil
	case u != nil:
		return u.running()
	default:
		return &execution.RunningCode{Unmoved: f.unmoved}
	}
}

// set records that the kernel executes a request, or none if it is "".
func (f *foreignCode) set(request string) {
	if f.request != request && (request == "" || f.request != unknownRequest) {
		f.wake(f.run())
	}
	f.request, f.orphaned = request, false
}

// setUnknown records that the kernel executes something. If Easel started the kernel and is alone
// in it, no other client can have sent that.
func (f *foreignCode) setUnknown(alone bool) {
	f.set(unknownRequest)
	f.orphaned = alone
}

// claim records that it has become the current request, and so has not ended.
func (f *foreignCode) claim() { f.request, f.orphaned, f.unmoved = "", false, false }

// end records its end. u is its run, or nil if that is unknown.
func (f *foreignCode) end(u *queuedExecution) {
	f.wake(u)
	f.set("")
}

// wait returns a channel that is closed at its end. i.target is then set to its run, if that is
// known.
func (f *foreignCode) wait(i *interruptCall) <-chan struct{} {
	if f.over == nil {
		f.over = make(chan struct{})
	}
	f.waiting = append(f.waiting, i)
	return f.over
}

// wake wakes the interrupts that wait for its end. u is its run, or nil if that is unknown.
func (f *foreignCode) wake(u *queuedExecution) {
	if f.over == nil {
		return
	}
	f.unmoved = false
	for _, i := range f.waiting {
		if i.target == nil {
			i.target = u
		}
	}
	close(f.over)
	f.over, f.waiting = nil, nil
}
