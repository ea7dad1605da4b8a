package inspect

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"easel/internal/system"
)

// Interpreters finds the processes of kernels by their arguments, which contain the name
// of the kernel's connection file. It prefers the path that the program was started with.
// For a virtual environment, /proc/<pid>/exe is the Python that it was created from.
func Interpreters(kernels []string) (paths []string) {
	for _, pid := range system.Processes() {
		args := system.Arguments(pid)
		if !slices.ContainsFunc(kernels, func(id string) bool { return isOf(args, id) }) {
			continue
		}
		path := args[0]
		if !filepath.IsAbs(path) {
			var err error
			if path, err = os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe")); err != nil {
				continue
			}
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Folder returns the working directory of a kernel on this machine; "" if it is not known, or
// if several processes of the kernel differ.
func Folder(kernelID string) (folder string) {
	for _, pid := range system.Processes() {
		if !IsKernel(pid, kernelID) {
			continue
		}
		dir, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
		if err != nil || folder != "" && dir != folder {
			return ""
		}
		folder = dir
	}
	return folder
}

// Memory returns the memory in bytes that kernels on this machine use, by kernel id,
// including their child processes. Shared memory is divided among the processes that share
// it (PSS, proc(5)), if the system reports it. Kernels on other machines have no entry.
func Memory(kernels []string) map[string]int64 {
	roots := make(map[int]string)
	children := make(map[int][]int)
	for _, pid := range system.Processes() {
		if s, ok := system.ReadStat(pid); ok {
			children[s.Parent] = append(children[s.Parent], pid)
		}
		args := system.Arguments(pid)
		for _, id := range kernels {
			if isOf(args, id) {
				roots[pid] = id
			}
		}
	}
	held := make(map[string]int64)
	for pid, id := range roots {
		held[id] = max(held[id], treeMemory(pid, children)) // a wrapper process includes the kernel
	}
	return held
}

func treeMemory(pid int, children map[int][]int) int64 {
	sum := ProcessMemory(pid, true)
	for _, c := range children[pid] {
		sum += treeMemory(c, children)
	}
	return sum
}

// ProcessMemory returns the memory in bytes that a process uses. If shared is true, memory that it shares with other
// processes is divided among them, which takes long for large processes.
func ProcessMemory(pid int, shared bool) int64 {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if raw, err := os.ReadFile(filepath.Join(dir, "smaps_rollup")); err == nil && shared {
		for line := range strings.Lines(string(raw)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
				kb, _ := strconv.ParseInt(f[1], 10, 64)
				return kb << 10
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "statm"))
	if f := strings.Fields(string(raw)); err == nil && len(f) > 1 {
		pages, _ := strconv.ParseInt(f[1], 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}

// IsKernel reports whether pid is the running process of a kernel on this machine: its
// arguments contain the kernel's connection file, and it is neither stopped nor dead
// (proc(5)). If false, the kernel may still run elsewhere, or with other arguments.
func IsKernel(pid int, kernelID string) bool {
	if pid <= 0 || kernelID == "" {
		return false
	}
	s, ok := system.ReadStat(pid)
	return ok && strings.IndexByte("RSDI", s.State) >= 0 && isOf(system.Arguments(pid), kernelID)
}

// isOf reports whether the arguments of a process name the connection file of a kernel.
func isOf(args []string, kernelID string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "kernel-"+kernelID+".json") })
}
