package desktop

import "time"

// The programs of the tests end by themselves: what they said is there then, however
// long a busy machine takes to run them.
func init() { startupGrace = time.Minute }
