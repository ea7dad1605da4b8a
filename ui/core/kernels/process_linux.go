package kernels

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// runsHere tells whether pid is, on this machine, the running process of a kernel:
// its arguments name the kernel's connection file, and it is neither stopped nor
// dead (proc(5)). False says nothing: the kernel may run elsewhere, or not be called so.
func runsHere(pid int, kernelID string) bool {
	if pid <= 0 || kernelID == "" {
		return false
	}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return false
	}
	// The state follows the name, which is in parentheses and may hold some itself.
	rest := bytes.TrimLeft(stat[bytes.LastIndexByte(stat, ')')+1:], " ")
	if len(rest) == 0 || !bytes.ContainsRune([]byte("RSDI"), rune(rest[0])) {
		return false
	}
	args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	return err == nil && bytes.Contains(args, []byte("kernel-"+kernelID+".json"))
}
