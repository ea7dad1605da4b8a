package system

import (
	"os"
	"strconv"
)

// Processes returns the ids of all processes, in no order. A pattern such as
// /proc/[0-9]*/stat takes five times as long, because it lists the files of each process.
func Processes() []int {
	entries, _ := os.ReadDir("/proc") // what could be read
	pids := make([]int, 0, len(entries))
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
