package managed

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Step is a step of the installation.
type Step string

// The steps.
const (
	FetchingInstaller Step = "installer" // uv is being downloaded
	FetchingPython    Step = "python"    // uv downloads a Python
	Creating          Step = "creating"  // the environment is being created
	Fetching          Step = "fetching"  // packages are being downloaded
	Unpacking         Step = "unpacking" // packages are being installed
	Checking          Step = "checking"  // the files of a wheelhouse are being checked
)

// Progress is the progress of an installation.
type Progress struct {
	Step    Step
	Package string // that takes longest, if Fetching
	Done    int64  // bytes of Total that have been downloaded
	Total   int64  // bytes to download; 0 if nothing is downloaded
	After   int64  // bytes that will be downloaded later, while the server runs
	Python  string // the interpreter, if Creating, for example Python 3.13.1
}

// String describes the progress in one line.
func (p Progress) String() string {
	switch p.Step {
	case FetchingInstaller:
		return fmt.Sprintf("Downloading uv, which installs Python packages: 0 of %s", megabytes(p.Total)) + p.after()
	case FetchingPython:
		return "Downloading Python with uv"
	case Creating:
		return "Creating an environment with " + p.Python
	case Checking:
		return "Checking the files of the wheelhouse"
	case Unpacking:
		return "Installing Python packages"
	case Fetching:
		if p.Package == "" {
			return fmt.Sprintf("Downloading Python packages: %d of %s", p.Done/1e6, megabytes(p.Total)) + p.after()
		}
		return fmt.Sprintf("Downloading Python packages: %d of %s (%s)", p.Done/1e6, megabytes(p.Total), p.Package) + p.after()
	}
	return ""
}

// after says how much will be downloaded later.
func (p Progress) after() string {
	if p.After == 0 {
		return ""
	}
	return fmt.Sprintf("; about %s more later, while you can work", megabytes(p.After))
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+5e5)/1e6) }

// fraction returns the fraction of Start that has passed.
func (p Progress) fraction() float64 {
	switch p.Step {
	case FetchingInstaller:
		return 0.02
	case FetchingPython:
		return 0.04
	case Creating:
		return 0.1
	case Checking:
		return 0.01
	case Unpacking:
		return 0.7
	case Fetching:
		if p.Total > 0 {
			return 0.12 + 0.56*float64(p.Done)/float64(p.Total)
		}
		return 0.12
	}
	return 0
}

// A meter converts the output of uv and pip to progress. uv only names packages of more
// than a megabyte; the smaller ones are counted in proportion.
type meter struct {
	before  int64            // bytes that have been downloaded for the same purpose: uv
	after   int64            // as in Progress
	sizes   map[string]int64 // bytes of each package to install
	total   int64
	fetched map[string]bool
	waiting []string // packages that are being downloaded
	last    string   // the package that pip has collected last
}

func newMeter(pieces []piece) *meter {
	m := &meter{sizes: map[string]int64{}, fetched: map[string]bool{}}
	for _, p := range pieces {
		m.sizes[p.name] = p.wheel.Bytes
		m.total += p.wheel.Bytes
	}
	return m
}

var (
	uvFetching  = regexp.MustCompile(`^Downloading (\S+) \([\d.]+\s*[KMG]?i?B\)`)
	uvFetched   = regexp.MustCompile(`^\s*Downloaded (\S+)`)
	pipCollects = regexp.MustCompile(`^Collecting ([A-Za-z0-9._-]+)`)
	separators  = regexp.MustCompile(`[-_.]+`)
)

// normal returns the form of a package's name in which names are compared.
func normal(name string) string { return strings.ToLower(separators.ReplaceAllString(name, "-")) }

// read reads one line of output. ok reports whether there is something new to show.
func (m *meter) read(line string) (p Progress, ok bool) {
	switch {
	case strings.HasPrefix(line, "Resolved"):
		return m.fetching(), true
	case strings.HasPrefix(line, "Prepared"), strings.HasPrefix(line, "Installing collected"), strings.HasPrefix(line, "Installed"):
		return Progress{Step: Unpacking, Done: m.before + m.total, Total: m.before + m.total}, true
	}
	if s := uvFetching.FindStringSubmatch(line); s != nil {
		m.waiting = append(m.waiting, normal(s[1]))
		return m.fetching(), true
	}
	if s := uvFetched.FindStringSubmatch(line); s != nil {
		m.fetched[normal(s[1])] = true
		return m.fetching(), true
	}
	if s := pipCollects.FindStringSubmatch(line); s != nil {
		if m.last != "" {
			m.fetched[m.last] = true
		}
		m.last = normal(s[1])
		m.waiting = []string{m.last}
		return m.fetching(), true
	}
	return p, false
}

// mentioned is the size from which uv names the packages that it downloads.
const mentioned = 1 << 20

func (m *meter) fetching() Progress {
	var big, done int64
	for name, size := range m.sizes {
		if m.fetched[name] {
			done += size
		}
		if size >= mentioned {
			big += size
		}
	}
	if m.last == "" && big > 0 { // uv
		done = int64(float64(done) * float64(m.total) / float64(big))
	}
	p := Progress{Step: Fetching, Done: m.before + min(done, m.total), Total: m.before + m.total, After: m.after}
	m.waiting = slices.DeleteFunc(m.waiting, func(name string) bool { return m.fetched[name] })
	for _, name := range m.waiting {
		if p.Package == "" || m.sizes[name] > m.sizes[p.Package] {
			p.Package = name
		}
	}
	return p
}
