package kernels

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// runsHere reports whether pid is the running process of a kernel on this machine: its
// arguments contain the kernel's connection file, and it is neither stopped nor dead
// (proc(5)). If false, the kernel may still run elsewhere, or with other arguments.
func runsHere(pid int, kernelID string) bool {
	if pid <= 0 || kernelID == "" {
		return false
	}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return false
	}
	// The state follows the name, which is in parentheses and may contain parentheses.
	rest := bytes.TrimLeft(stat[bytes.LastIndexByte(stat, ')')+1:], " ")
	if len(rest) == 0 || !bytes.ContainsRune([]byte("RSDI"), rune(rest[0])) {
		return false
	}
	args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	return err == nil && bytes.Contains(args, []byte("kernel-"+kernelID+".json"))
}
