package kernels

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"easel/internal/system"
)

// interpretersOf finds the processes of kernels by their arguments, which contain the name
// of the kernel's connection file. It prefers the path that the program was started with.
// For a virtual environment, /proc/<pid>/exe is the Python that it was created from.
func interpretersOf(kernels []string) (paths []string) {
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

// folderOf returns the working directory of a kernel on this machine; "" if it is not known, or
// if several processes of the kernel differ.
func folderOf(kernelID string) (folder string) {
	for _, pid := range system.Processes() {
		if !runsHere(pid, kernelID) {
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
