//go:build !linux

package vlconvert

import "syscall"

// endsWithUs leaves it to the end of its input, and to its limit of time.
func endsWithUs() *syscall.SysProcAttr { return nil }

// resident is not known here.
func resident(int) int64 { return 0 }
