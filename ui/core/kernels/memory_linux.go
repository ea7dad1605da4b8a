package kernels

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"easel/internal/system"
)

// memoryOf returns the memory in bytes that kernels on this machine use, by kernel id,
// including their child processes. Shared memory is divided among the processes that share
// it (PSS, proc(5)), if the system reports it. Kernels on other machines have no entry.
func memoryOf(kernels []string) map[string]int64 {
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
