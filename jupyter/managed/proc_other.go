//go:build unix && !linux && !darwin

package managed

import "golang.org/x/sys/unix"

// processStart is not "" while there is a process pid. When it began is not known here.
func processStart(pid int) string {
	if unix.Kill(pid, 0) != nil {
		return ""
	}
	return "unknown"
}

// killKernels does nothing here: kernels notice themselves that their server is gone.
func killKernels(string) int { return 0 }
