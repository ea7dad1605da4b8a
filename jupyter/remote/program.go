package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Programs finds Easel's program without a window for other machines.
type Programs struct {
	// Self is this program, if it has no window and so runs on any machine of the same kind. "" if
	// it has one.
	Self string
	// Dirs are where the programs for other systems may be.
	Dirs []string
}

// machines are Go's names of what uname calls a machine.
var machines = map[string]string{"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

// find returns the program for a system as uname names it: Linux x86_64.
func (p Programs) find(system, machine string) (string, error) {
	goos, goarch := strings.ToLower(system), machines[machine]
	if goos != "linux" && goos != "darwin" || goarch == "" {
		return "", &Error{
			Kind: NoProgram, Text: fmt.Sprintf("Easel does not run on that machine, which is %s on %s: it runs on Linux and macOS, on x86-64 and ARM64", system, machine),
			Remedy: "Start Jupyter there, and use it with ssh://HOST.",
		}
	}
	if goos == runtime.GOOS && goarch == runtime.GOARCH && p.Self != "" {
		return p.Self, nil
	}
	name := fmt.Sprintf("easel-headless-%s-%s", goos, goarch)
	for _, dir := range p.Dirs {
		files := []string{name}
		if goos == runtime.GOOS && goarch == runtime.GOARCH {
			files = append(files, "easel-headless") // as make names it
		}
		for _, file := range files {
			if info, err := os.Stat(filepath.Join(dir, file)); err == nil && info.Mode().IsRegular() {
				return filepath.Join(dir, file), nil
			}
		}
	}
	return "", &Error{
		Kind: NoProgram, Text: fmt.Sprintf("the file %s is missing, which is Easel's program for that machine", name),
		Remedy: fmt.Sprintf("Put it into %s. It is the program in the package easel-headless for %s on %s; `make companions` builds it, too.", strings.Join(p.Dirs, " or "), goos, goarch),
	}
}

// names returns a line for each program that there is: what uname says on its machine, the name that
// it has there, and its size.
func (p Programs) names() string {
	var lines strings.Builder
	for _, system := range []string{"Linux", "Darwin"} {
		for _, machine := range slices.Sorted(maps.Keys(machines)) {
			path, err := p.find(system, machine)
			if err != nil {
				continue
			}
			if x, err := examine(path); err == nil {
				fmt.Fprintf(&lines, "%s %s %s %d\n", system, machine, x.name, x.size)
			}
		}
	}
	return lines.String()
}

// A program is a file to copy.
type program struct {
	path string
	size int64
	name string // there; it has a hash of the content
}

// examine reads a program.
func examine(path string) (program, error) {
	f, err := os.Open(path)
	if err != nil {
		return program{}, err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return program{path, n, "agent-" + hex.EncodeToString(sum.Sum(nil))[:20]}, err
}
