package project

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"easel/internal/system"
)

// maxFile is the maximum size of the files that are read, in bytes. Lock files are larger, and
// are not read.
const maxFile = 1 << 20

// readSmall returns the text of a regular file, or "".
func readSmall(path string) string {
	text, err := system.ReadRegular(path, maxFile)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}

// isEnvironment reports whether a directory is one of Python's or conda's environments.
func isEnvironment(prefix string) bool {
	return exists(filepath.Join(prefix, "pyvenv.cfg")) || exists(filepath.Join(prefix, "conda-meta", "history"))
}

// isCondaBase reports whether an environment is an installation of conda itself.
func isCondaBase(prefix string) bool {
	return exists(filepath.Join(prefix, "conda-meta", "history")) && exists(filepath.Join(prefix, "condabin"))
}

// sameFile reports whether two paths lead to the same file or directory.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return a == b
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// examine describes the environment with this prefix.
func (f *finder) examine(prefix string) Environment {
	e := Environment{Prefix: prefix, Kind: Venv}
	cfg := readConfig(filepath.Join(prefix, "pyvenv.cfg"))
	switch {
	case cfg["uv"] != "":
		e.Kind = UV
	case cfg == nil && strings.Contains(filepath.ToSlash(prefix), "/.pixi/envs/"):
		e.Kind = Pixi
	case cfg == nil:
		e.Kind = Conda
	}
	e.Python, e.Broken = interpreter(prefix, cfg)
	e.Version = numbers(cfg["version"])
	if e.Version == "" {
		e.Version = numbers(cfg["version_info"]) // of virtualenv and uv
	}
	if e.Version == "" {
		e.Version = installed(prefix)
	}
	if e.Works() {
		e.Broken = unsuitable(e)
	}
	return e
}

// readConfig returns the keys and values of a pyvenv.cfg, or nil if there is none.
func readConfig(path string) map[string]string {
	text := readSmall(path)
	if text == "" && !exists(path) {
		return nil
	}
	cfg := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, "="); ok {
			cfg[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return cfg
}

// executables are where environments have their interpreter, on any system, the usual first.
var executables = func() []string {
	unix, windows := []string{"bin/python", "bin/python3"}, []string{"Scripts/python.exe", "python.exe", "bin/python.exe"}
	if runtime.GOOS == "windows" {
		return append(windows, unix...)
	}
	return append(unix, windows...)
}()

// interpreter returns the interpreter of an environment, and what is wrong with it.
func interpreter(prefix string, cfg map[string]string) (python string, broken Reason) {
	for _, name := range executables {
		python = filepath.Join(prefix, filepath.FromSlash(name))
		link, err := os.Lstat(python)
		if err != nil {
			continue
		}
		info, err := os.Stat(python)
		switch foreign := strings.HasSuffix(name, ".exe") != (runtime.GOOS == "windows"); {
		case foreign && runtime.GOOS == "windows":
			return python, Reason{"other", "Windows"}
		case foreign:
			return python, Reason{Kind: "windows_own"}
		case err != nil && link.Mode()&os.ModeSymlink != 0:
			return python, Reason{"removed", deadEnd(python)}
		case err != nil:
			return python, Reason{"unopenable", err.Error()}
		case info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
			return python, Reason{"not_program", python}
		}
		if home := cfg["home"]; filepath.IsAbs(home) && !exists(home) {
			return python, Reason{"removed", home}
		}
		return python, Reason{}
	}
	return filepath.Join(prefix, filepath.FromSlash(executables[0])), Reason{Kind: "no_python"}
}

// deadEnd returns the path that is missing at the end of a chain of links.
func deadEnd(link string) string {
	for range 40 { // a circle of links has no end
		target, err := os.Readlink(link)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		link = target
	}
	return link
}

// unsuitable returns why an interpreter that exists cannot be used, or the zero Reason.
func unsuitable(e Environment) Reason {
	if v := parse(e.Version); len(v) > 1 && (v[0] < 3 || v[0] == 3 && v[1] < oldestMinor) {
		return Reason{"too_old", e.Version}
	}
	real, err := filepath.EvalSymlinks(e.Python)
	if err != nil {
		return Reason{"unopenable", err.Error()}
	}
	if m := pythonName.FindStringSubmatch(filepath.Base(real)); m != nil && len(parse(e.Version)) > 1 && m[1] != minor(e.Version) {
		return Reason{"changed", minor(e.Version) + " → " + m[1]}
	}
	return wrongMachine(real)
}

// oldestMinor is the minor version of the oldest Python 3 in which Easel can run a kernel.
const oldestMinor = 8

var (
	pythonName  = regexp.MustCompile(`^python(\d+\.\d+)(\.exe)?$`)
	numberParts = regexp.MustCompile(`^\d+\.\d+(\.\d+)?`)
)

// numbers returns the numbers of a version: 3.12.1 of 3.12.1.final.0.
func numbers(version string) string { return numberParts.FindString(version) }

// parse returns the numbers of a version.
func parse(version string) (v []int) {
	for part := range strings.SplitSeq(numbers(version), ".") {
		if n, err := strconv.Atoi(part); err == nil {
			v = append(v, n)
		}
	}
	return v
}

// minor returns the major and minor version.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// installed returns the version of Python by the files that its installation has.
func installed(prefix string) string {
	for _, path := range system.Glob(prefix, "conda-meta/python-[0-9]*.json") {
		if v := numbers(strings.TrimPrefix(filepath.Base(path), "python-")); v != "" {
			return v
		}
	}
	if dir := filepath.Base(filepath.Dir(prefix)); dir == "versions" && len(parse(filepath.Base(prefix))) == 3 {
		return numbers(filepath.Base(prefix)) // of pyenv
	}
	for _, path := range system.Glob(prefix, "lib/python3*") {
		if v := numbers(strings.TrimPrefix(filepath.Base(path), "python")); v != "" {
			return v
		}
	}
	return ""
}
