// Package local makes the kernels on this machine that no Jupyter server runs usable like
// those of a server: kernels of jupyter console, Spyder, VS Code and other programs, which
// leave a connection file in Jupyter's runtime directory or, like papermill, among the temporary files.
//
// A [Finder] finds them and their processes. It reads files and, on Linux, /proc; it says
// nothing to a kernel. A [Gateway] offers them to a client of package jupyter as a Jupyter
// server would: over HTTP and websockets, but within this process, so nobody else can
// reach it. It connects to a kernel when its client does. It can interrupt a kernel, but
// never start, restart or end one. A [Guest] is a kernel of an editor that says itself what it runs.
//
// # Goroutines
//
// A Finder has none. A Gateway has one that serves, one for each request, five for each
// followed kernel, and one more for each followed guest; Close ends them and waits.
package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"easel/jupyter"
	"easel/jupyter/connection"
)

// A Kernel is a running kernel with a connection file.
type Kernel struct {
	// ID is made from the connection file's path and key, and from the process and its
	// start. So a kernel that its program restarts is another kernel.
	ID   string
	File string
	Spec Spec
	// Process is what is known about the kernel's process. Systems other than Linux do
	// not tell which process listens.
	Process jupyter.Process
	// Problem says why Easel cannot connect to the kernel; it is nil if it can.
	Problem error

	conn connection.File
}

// Format keeps the key out of formatted output.
func (k Kernel) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "%s (%s)", k.Spec.Name, k.File)
}

// A Finder finds kernels.
type Finder struct {
	dirs  []string // where connection files are
	temp  string   // where those are that have names of temporary files; "": nowhere
	specs []string // where kernelspecs are, besides the environment of a kernel

	mu     sync.Mutex
	owners owners // what was found before, so that the next time is cheap
}

// NewFinder returns a finder for Jupyter's runtime and data directories. temp is the directory
// of temporary files, where jupyter_client puts a connection file if its program, for example
// papermill or nbconvert, names none; it may be "".
func NewFinder(runtimeDirs, dataDirs []string, temp string) *Finder {
	f := &Finder{dirs: runtimeDirs, temp: temp}
	for _, dir := range slices.Concat(dataDirs, systemData) {
		f.specs = append(f.specs, filepath.Join(dir, "kernels"))
	}
	return f
}

// maxFiles is how many connection files Find reads in each directory, the newest first. Files of
// kernels that were killed remain, so a directory may contain many; and anybody can create
// temporary files.
const maxFiles = 500

// Find returns the running kernels, the newest file first. It skips files that do not
// belong to the user alone, that are no connection files, and those on whose ports nothing
// or another user's process listens. Of several files with the same ports, such as that of a
// former kernel, it uses the newest.
func (f *Finder) Find() []Kernel {
	f.mu.Lock()
	defer f.mu.Unlock()
	look := f.owners.look()
	var found []Kernel
	seen := make(map[string]bool)
	for _, file := range f.files() {
		k, ok := f.read(file, look)
		if _, address := k.conn.Address(k.conn.ShellPort); ok && !seen[address] {
			seen[address] = true
			found = append(found, k)
		}
	}
	return found
}

// Current reports whether k is still running and still the same.
func (f *Finder) Current(k Kernel) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(k.File)
	if err != nil {
		return false
	}
	now, ok := f.read(candidate{k.File, info.ModTime()}, f.owners.look())
	return ok && now.ID == k.ID
}

// A candidate may be a connection file.
type candidate struct {
	path    string
	written time.Time
}

func (f *Finder) files() (files []candidate) {
	newest := func(a, b candidate) int { return b.written.Compare(a.written) }
	add := func(dir string, is func(name string) bool) {
		var in []candidate
		entries, _ := os.ReadDir(dir) // there may be none
		for _, e := range entries {
			if !is(e.Name()) {
				continue
			}
			if info, err := e.Info(); err == nil {
				in = append(in, candidate{filepath.Join(dir, e.Name()), info.ModTime()})
			}
		}
		slices.SortStableFunc(in, newest)
		files = append(files, in[:min(len(in), maxFiles)]...)
	}
	for _, dir := range f.dirs {
		add(dir, isCandidate)
	}
	if f.temp != "" {
		add(f.temp, temporary.MatchString)
	}
	slices.SortStableFunc(files, newest)
	return files
}

// isCandidate reports whether the name may be that of a connection file. Most programs call
// theirs kernel-….json, but the user may choose another name. The others are those of
// servers.
func isCandidate(name string) bool {
	return filepath.Ext(name) == ".json" && !strings.HasPrefix(name, "jpserver-") && !strings.HasPrefix(name, "nbserver-")
}

// temporary matches the name of a connection file that Python's tempfile has chosen.
var temporary = regexp.MustCompile(`^tmp[a-z0-9_]{8}\.json$`)

// read returns the kernel of a connection file, if it runs.
func (f *Finder) read(c candidate, look *look) (Kernel, bool) {
	conn, err := connection.Read(c.path)
	if err != nil {
		return Kernel{}, false
	}
	k := Kernel{File: c.path, conn: conn, Problem: conn.Check()}
	if errors.Is(k.Problem, connection.ErrElsewhere) {
		return Kernel{}, false
	}
	p, ok := look.owner(conn)
	if !ok {
		return Kernel{}, false
	}
	started := p.start
	if p.PID == 0 { // the file is written when the kernel starts
		started, p.Started = c.written.UTC().Format(time.RFC3339Nano), c.written.UTC()
	}
	k.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join([]string{c.path, conn.Key, strconv.Itoa(p.PID), started}, "\x00"))).String()
	k.Process, k.Process.File = p.Process, c.path
	k.Spec = f.spec(conn.KernelName, p)
	return k, true
}

// A process is what is known about a process.
type process struct {
	jupyter.Process
	start string   // when it began, in a form that is unique since the machine started
	args  []string // what it was started with
}
