package inspect

import (
	"bytes"
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
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !slices.ContainsFunc(kernels, func(id string) bool { return bytes.Contains(args, []byte("kernel-"+id+".json")) }) {
			continue
		}
		program, _, _ := bytes.Cut(args, []byte{0})
		path := string(program)
		if !filepath.IsAbs(path) {
			if path, err = os.Readlink(filepath.Join(dir, "exe")); err != nil {
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
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		// The state and the parent follow the name, which is in parentheses.
		if f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(f) > 1 {
			if parent, err := strconv.Atoi(string(f[1])); err == nil {
				children[parent] = append(children[parent], pid)
			}
		}
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !bytes.Contains(args, []byte("kernel-")) {
			continue
		}
		for _, id := range kernels {
			if bytes.Contains(args, []byte("kernel-"+id+".json")) {
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
	sum := processMemory(pid)
	for _, c := range children[pid] {
		sum += treeMemory(c, children)
	}
	return sum
}

func processMemory(pid int) int64 {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if raw, err := os.ReadFile(filepath.Join(dir, "smaps_rollup")); err == nil {
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
