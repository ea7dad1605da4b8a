package desktop

import "time"

// The tests' programs end by themselves. With a long grace period, their output is
// complete even on a busy machine.
func init() { startupGrace = time.Minute }
