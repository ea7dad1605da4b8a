package execution

import "easel/mcphost/catalog"

// AwaitInput notes what x, which runs, asks the user for; nil if nothing any more.
func (x *Execution) AwaitInput(in *catalog.AwaitedInput) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.input = in
	if in != nil {
		clear(x.told)
		close(x.asks)
		x.asks = make(chan struct{})
	}
}

// Asks returns a channel that is closed once x asks the user for input, if a caller has not been told that
// yet: see ToldInput.
func (x *Execution) Asks(caller string) <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.input != nil && !x.told[caller] {
		now := make(chan struct{})
		close(now)
		return now
	}
	return x.asks
}

// ToldInput notes that a caller has been told that x asks for input.
func (x *Execution) ToldInput(caller string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.told == nil {
		x.told = make(map[string]bool)
	}
	x.told[caller] = true
}
