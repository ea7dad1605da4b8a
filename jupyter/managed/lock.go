package managed

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// wheelList contains the wheels of the pinned packages, with their hashes and sizes.
//
//go:embed wheels.txt
var wheelList string

// A stage is a part of the installation.
type stage int

const (
	first stage = iota // what the first plot needs
	rest               // the other packages; they are installed while the user works
)

// A wheel is a file that contains a package.
type wheel struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// A pin is a pinned package. One package may have several, for different interpreters.
type pin struct {
	name, version string
	marker        string // when it applies; "" means always
	stage         stage
	wheels        []wheel
}

// line returns the pin as a line of a requirements file.
func (p pin) line() string {
	if p.marker == "" {
		return p.name + "==" + p.version + "\n"
	}
	return p.name + "==" + p.version + " ; " + p.marker + "\n"
}

// A lockfile is requirements.txt with wheels.txt.
type lockfile struct {
	pins      []pin
	installer pin // uv
}

// locked returns the pinned packages. Its tests check that the files can be parsed.
var locked = sync.OnceValue(func() lockfile {
	l, err := parseLock(string(requirements), wheelList)
	if err != nil {
		panic(err) // the files are part of the program, and a test parses them
	}
	return l
})

// parseLock parses requirements.txt and wheels.txt.
func parseLock(requirements, wheels string) (l lockfile, err error) {
	type entry struct {
		stage  string
		wheels []wheel
	}
	entries := map[string]*entry{} // by "name version"
	var last *entry
	for line := range strings.Lines(wheels) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#" || strings.HasPrefix(f[0], "#"):
		case strings.HasPrefix(line, " ") && last != nil && len(f) == 3:
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return l, fmt.Errorf("wheels.txt: %q: %w", line, err)
			}
			last.wheels = append(last.wheels, wheel{SHA256: f[0], Bytes: n, File: f[2]})
		case len(f) == 2 || len(f) == 3:
			last = &entry{}
			if len(f) == 3 {
				last.stage = f[2]
			}
			entries[f[0]+" "+f[1]] = last
			if last.stage == "installer" {
				l.installer = pin{name: f[0], version: f[1]}
			}
		default:
			return l, fmt.Errorf("wheels.txt: %q", line)
		}
	}
	if e := entries[l.installer.name+" "+l.installer.version]; e != nil {
		l.installer.wheels = e.wheels
	}
	for line := range strings.Lines(requirements) {
		line, _, _ = strings.Cut(line, "#")
		spec, marker, _ := strings.Cut(line, ";")
		name, version, ok := strings.Cut(strings.TrimSpace(spec), "==")
		if !ok {
			continue
		}
		e := entries[name+" "+version]
		if e == nil {
			return l, fmt.Errorf("wheels.txt has no %s %s: run go generate", name, version)
		}
		p := pin{name: name, version: version, marker: strings.TrimSpace(marker), stage: rest, wheels: e.wheels}
		if e.stage == "first" {
			p.stage = first
		}
		l.pins = append(l.pins, p)
	}
	return l, nil
}

// list returns the packages of a stage, or of both, as a requirements file.
func (l lockfile) list(stages ...stage) []byte {
	var b strings.Builder
	for _, p := range l.pins {
		if slices.Contains(stages, p.stage) {
			b.WriteString(p.line())
		}
	}
	return []byte(b.String())
}

// names returns the names of all packages.
func (l lockfile) names() map[string]bool {
	names := map[string]bool{}
	for _, p := range l.pins {
		names[p.name] = true
	}
	return names
}

// A piece is a package that an interpreter needs, and its wheel. The wheel is empty if
// there is none for that interpreter.
type piece struct {
	pin
	wheel wheel
}

// pieces returns what an interpreter needs of the given stages.
func (l lockfile) pieces(p Interpreter, stages ...stage) (pieces []piece) {
	for _, n := range l.pins {
		if ok, err := p.applies(n.marker); err == nil && ok && slices.Contains(stages, n.stage) {
			w, _ := p.choose(n.wheels)
			pieces = append(pieces, piece{n, w})
		}
	}
	return pieces
}

// download returns the number of bytes that an interpreter needs of the given stages.
func (l lockfile) download(p Interpreter, stages ...stage) (n int64) {
	for _, x := range l.pieces(p, stages...) {
		n += x.wheel.Bytes
	}
	return n
}

// choose returns the wheel that fits the interpreter best.
func (p Interpreter) choose(wheels []wheel) (best wheel, ok bool) {
	top := -1
	for _, w := range wheels {
		if rank := p.rank(w.File); rank > top {
			best, top = w, rank
		}
	}
	return best, top >= 0
}

// rank returns how well a wheel fits the interpreter, or -1 if it does not. The form of a
// file name is name-version-python-abi-platform.whl, with alternatives separated by dots.
func (p Interpreter) rank(file string) int {
	parts := strings.Split(strings.TrimSuffix(file, ".whl"), "-")
	if len(parts) < 5 {
		return -1
	}
	parts = parts[len(parts)-3:]
	best := -1
	for python := range strings.SplitSeq(parts[0], ".") {
		for abi := range strings.SplitSeq(parts[1], ".") {
			for platform := range strings.SplitSeq(parts[2], ".") {
				a, b := p.pythonRank(python, abi), p.platformRank(platform)
				if a >= 0 && b >= 0 {
					best = max(best, a*10000+b)
				}
			}
		}
	}
	return best
}

func (p Interpreter) pythonRank(python, abi string) int {
	minor := p.Version[1]
	own := "cp3" + strconv.Itoa(minor)
	switch {
	case python == own && abi == own:
		return 99
	case abi == "abi3" && strings.HasPrefix(python, "cp3"):
		if n, err := strconv.Atoi(python[3:]); err == nil && n <= minor {
			return n
		}
	case abi == "none" && (python == "py3" || python == own):
		return 1
	}
	return -1
}

// Platforms of wheels: manylinux_2_28_x86_64, musllinux_1_2_aarch64, macosx_11_0_arm64.
var versioned = regexp.MustCompile(`^(manylinux|musllinux|macosx)_(\d+)_(\d+)_(\w+)$`)

// older names the platforms whose names do not contain the version of the C library.
var older = strings.NewReplacer("manylinux2014_", "manylinux_2_17_", "manylinux2010_", "manylinux_2_12_", "manylinux1_", "manylinux_2_5_")

func (p Interpreter) platformRank(platform string) int {
	if platform == "any" {
		return 0
	}
	system, machine := p.system()
	if system == "win" {
		if platform == "win_"+machine {
			return 1
		}
		return -1
	}
	m := versioned.FindStringSubmatch(older.Replace(platform))
	if m == nil || m[1] != system || m[4] != machine && (system != "macosx" || m[4] != "universal2") {
		return -1
	}
	major, _ := strconv.Atoi(m[2])
	minor, _ := strconv.Atoi(m[3])
	if have := p.SystemVersion; slices.Compare([]int{major, minor}, have[:]) > 0 {
		return -1
	}
	return 1 + major*100 + minor
}

// system returns the platform as the names of wheels have it: manylinux, musllinux, macosx
// or win, and the machine.
func (p Interpreter) system() (system, machine string) {
	system, machine, _ = strings.Cut(p.Platform, "-")
	switch system {
	case "linux":
		if p.Libc == "musl" {
			return "musllinux", machine
		}
		return "manylinux", machine
	case "macosx": // macosx-11.0-arm64
		machine = machine[strings.LastIndexByte(machine, '-')+1:]
	}
	return system, machine
}
