package managed

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"easel/internal/system"
)

// bootID is different after each boot of the machine.
var bootID = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
})

// processStart returns when pid started, as a text that is different for another process
// with the same id. It is "" if there is no such process, or if it is a zombie.
func processStart(pid int) string {
	s, ok := system.ReadStat(pid)
	if !ok || s.Ended() {
		return ""
	}
	return bootID() + "/" + s.Start
}

// killKernels kills the kernels whose connection file is in runtimeDir, with their
// children, and returns the number of kernels.
func killKernels(runtimeDir string) (n int) {
	prefix := []byte(filepath.Join(runtimeDir, "kernel-"))
	for _, pid := range system.Processes() {
		if pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil || !bytes.Contains(line, prefix) {
			continue
		}
		if group, err := unix.Getpgid(pid); err == nil && group == pid {
			err = system.KillGroup(pid)
			n += one(err)
			continue
		}
		n += one(unix.Kill(pid, unix.SIGKILL))
	}
	return n
}

func one(err error) int {
	if err != nil {
		return 0
	}
	return 1
}
