package system

import (
	"os"
	"slices"
	"testing"
)

func TestProcesses(t *testing.T) {
	all := Processes()
	for _, pid := range []int{1, os.Getpid(), os.Getppid()} {
		if !slices.Contains(all, pid) {
			t.Errorf("process %d is missing from %v", pid, all)
		}
	}
}
