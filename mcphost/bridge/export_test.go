package bridge

import "time"

// On a busy machine, an answer may take longer than drainTimeout.
func init() { drainTimeout = time.Minute }
