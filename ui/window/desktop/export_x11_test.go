//go:build linux || freebsd || openbsd || netbsd

package desktop

import "time"

// The tests' clipboard manager answers, but slowly on a busy machine.
func init() { saveTime = time.Minute }
