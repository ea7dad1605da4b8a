package system

import (
	"errors"
	"syscall"
)

// isAny reports whether err is one of the codes.
func isAny(err error, codes []syscall.Errno) bool {
	for _, c := range codes {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}
