package bridge

import "time"

// A busy machine may take longer for an answer than a client waits for the end.
func init() { drainTimeout = time.Minute }
