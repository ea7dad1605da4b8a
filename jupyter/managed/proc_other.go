//go:build unix && !linux && !darwin

package managed

import "golang.org/x/sys/unix"

// processStart is not "" while there is a process pid. Its start time is not known here.
func processStart(pid int) string {
	if unix.Kill(pid, 0) != nil {
		return ""
	}
	return "unknown"
}

// killKernels does nothing here: kernels notice by themselves that their server is gone.
func killKernels(string) int { return 0 }
