package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// An Environment is what a plot's kernel ran in when it drew the plot.
type Environment struct {
	Name       string    `json:"name,omitempty" jsonschema:"name of the project's environment"`
	Language   string    `json:"language" jsonschema:"language of the kernel"`
	Version    string    `json:"version,omitempty" jsonschema:"its version"`
	Executable string    `json:"executable,omitempty" jsonschema:"path of the interpreter"`
	Directory  string    `json:"directory,omitempty" jsonschema:"the kernel's working directory"`
	Packages   []Package `json:"packages,omitempty" jsonschema:"imported packages; those that the code names first"`
	LockFile   string    `json:"lock_file,omitempty" jsonschema:"lock file of the project"`
	LockHash   string    `json:"lock_hash,omitempty" jsonschema:"SHA-256 of the lock file"`
	Commit     string    `json:"commit,omitempty" jsonschema:"git commit of the directory"`
	Dirty      *bool     `json:"dirty,omitempty" jsonschema:"whether there were uncommitted changes; absent if unknown"`
	DirtyHash  string    `json:"dirty_hash,omitempty" jsonschema:"hash of the uncommitted changes; absent if there are none or too many"`
}

// A Package is a Python distribution of which a kernel had imported a module.
type Package struct {
	Name    string `json:"name" jsonschema:"normalised name of the distribution"`
	Version string `json:"version,omitempty" jsonschema:"its version"`
	Used    bool   `json:"used,omitempty" jsonschema:"whether the code imported it by name"`
	Source  string `json:"source,omitempty" jsonschema:"URL that it was installed from, if not an index"`
}

// mostNamed is how many packages the short form of an Environment names.
const mostNamed = 6

// String returns the short form: "proj/.venv, Python 3.12.1, pandas 2.1.4, matplotlib 3.8.0, commit
// abc1234 (dirty)".
func (e Environment) String() string {
	words := []string{e.Interpreter()}
	if e.Name != "" {
		words = []string{e.Name, e.Interpreter()}
	}
	named := e.Named()
	for _, p := range named[:min(len(named), mostNamed)] {
		words = append(words, p.String())
	}
	if more := len(named) - mostNamed; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	if e.Commit != "" {
		words = append(words, "commit "+e.Revision())
	}
	return strings.Join(words, ", ")
}

// Interpreter returns the language and its version, such as "Python 3.12.1".
func (e Environment) Interpreter() string { return strings.TrimSpace(e.Language + " " + e.Version) }

// Revision returns the short commit, and whether there were changes: "abc1234 (dirty)".
func (e Environment) Revision() string {
	short := e.Commit[:min(7, len(e.Commit))]
	if e.Dirty != nil && *e.Dirty {
		short += " (dirty)"
	}
	return short
}

// Used returns the packages that the code imported by name.
func (e Environment) Used() []Package {
	return slices.DeleteFunc(e.Imported(), func(p Package) bool { return !p.Used })
}

// kernelPackages are what a kernel itself imports, whatever its code does.
var kernelPackages = map[string]bool{
	"appnope": true, "asttokens": true, "backcall": true, "colorama": true, "comm": true, "debugpy": true, "decorator": true,
	"entrypoints": true, "exceptiongroup": true, "executing": true, "importlib-metadata": true, "importlib-resources": true,
	"ipykernel": true, "ipython": true, "ipython-genutils": true, "ipython-pygments-lexers": true, "jedi": true, "jupyter-client": true,
	"jupyter-core": true, "matplotlib-inline": true, "nest-asyncio": true, "nest-asyncio2": true, "packaging": true, "parso": true,
	"pexpect": true, "pickleshare": true, "platformdirs": true, "prompt-toolkit": true, "psutil": true, "ptyprocess": true,
	"pure-eval": true, "pygments": true, "python-dateutil": true, "pywin32": true, "pyzmq": true, "setuptools": true, "six": true,
	"stack-data": true, "tornado": true, "traitlets": true, "typing-extensions": true, "wcwidth": true, "zipp": true,
}

// Imported returns the packages without those that only the kernel needs. Without an ipykernel of its own,
// all are needed by the code.
func (e Environment) Imported() []Package {
	own := slices.ContainsFunc(e.Packages, func(p Package) bool { return p.Name == "ipykernel" })
	return slices.DeleteFunc(slices.Clone(e.Packages), func(p Package) bool {
		return own && kernelPackages[p.Name] && !p.Used || p.Name == "ipython" // whose display() is in the code
	})
}

// Named returns the packages that matter most: those that the code imported by name, or else all that
// not only the kernel needs.
func (e Environment) Named() []Package {
	if used := e.Used(); len(used) > 0 {
		return used
	}
	return e.Imported()
}

// Others returns the packages that Named does not.
func (e Environment) Others() []Package {
	named := e.Named()
	return slices.DeleteFunc(slices.Clone(e.Packages), func(p Package) bool { return slices.Contains(named, p) })
}

// Portable returns what is of use on other machines: without the paths of this one.
func (e Environment) Portable() Environment {
	e.Executable, e.Directory = "", ""
	e.LockFile = e.LockFile[strings.LastIndexAny(e.LockFile, `/\`)+1:]
	e.Packages = slices.Clone(e.Packages)
	for i, p := range e.Packages {
		if strings.HasPrefix(p.Source, "file:") {
			e.Packages[i].Source = "file:"
		}
	}
	return e
}

// String returns the name and the version.
func (p Package) String() string { return strings.TrimSpace(p.Name + " " + p.Version) }
