// Package private keeps tools out of Easel's own data directory, which holds its tokens and
// the servers' tokens. It is the one place that says whether a path leads there.
//
// # Goroutines
//
// The package starts none. A Directory is safe for concurrent use.
package private

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// What Why returns; it follows the name of the path or parameter.
const (
	// Reason says that a path leads into the directory.
	Reason  = "leads into Easel's own data directory (its tokens and settings), which tools neither read nor write"
	process = "leads through /proc, which tools do not follow, because it means something else in each process"
)

// A Directory is Easel's data directory. The methods of nil hold nothing.
type Directory struct {
	path string
	root string // working folder; what is in it is not private, even if it is in the data directory
}

// New returns the data directory at path. root is the working folder.
func New(path, root string) *Directory { return &Directory{path, root} }

// Why says why tools must not use a path of this machine: a predicate such as "leads into …",
// or "" if they may. A path leads into the directory by its name in any spelling, through
// symbolic links (also those that lead to nothing yet), as a hard link, or through a mount of
// the same files.
func (d *Directory) Why(path string) string {
	if d == nil || d.path == "" {
		return ""
	}
	real, special := follow(path)
	if special {
		return process
	}
	if d.holds(real) {
		return Reason
	}
	return ""
}

func (d *Directory) holds(real string) bool {
	home, _ := follow(d.path)
	work, _ := follow(d.root)
	exempt := d.root != "" && below(work, home)
	itself, err := os.Stat(home)
	if err != nil { // not created yet
		return below(real, home) && (!exempt || !below(real, work))
	}
	kept := append(d.files(), itself)
	for at := real; ; at = filepath.Dir(at) {
		if exempt && at == work {
			return false
		}
		if info, err := os.Stat(at); err == nil && slices.ContainsFunc(kept, func(k os.FileInfo) bool { return os.SameFile(info, k) }) {
			return true
		}
		if filepath.Dir(at) == at {
			return below(real, home)
		}
	}
}

// bulky are the directories whose contents files leaves out: packages, which uv shares with
// its cache by hard links, and plots and outputs, which tools return anyway.
var bulky = []string{
	"jupyter/env-", "jupyter/python", "jupyter/uv", "jupyter/cache", "jupyter/overlays", "jupyter/layers",
	"library/images", "library/thumbs", "library/output", "library/lost",
}

// checkpoints is the name of directories in which Jupyter keeps copies of the user's notebooks.
const checkpoints = ".ipynb_checkpoints"

// each calls do for everything in the directory, except what is in the bulky directories, in the working
// folder and in checkpoints, until do returns false.
func (d *Directory) each(do func(path string, info os.FileInfo) bool) {
	_ = filepath.WalkDir(d.path, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read has nothing to compare with
		}
		name, _ := filepath.Rel(d.path, path)
		if path == d.root {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err == nil && name != "." && info.Mode()&fs.ModeSymlink == 0 && !do(path, info) {
			return filepath.SkipAll
		}
		isBulky := func(b string) bool { return strings.HasPrefix(filepath.ToSlash(name), b) }
		if e.IsDir() && (e.Name() == checkpoints || slices.ContainsFunc(bulky, isBulky)) {
			return filepath.SkipDir
		}
		return nil
	})
}

func (d *Directory) files() (all []os.FileInfo) {
	d.each(func(_ string, info os.FileInfo) bool {
		all = append(all, info)
		return true
	})
	return all
}

// least is the size of the smallest file whose content HasCopy recognises, in bytes.
const least = 16

// HasCopy reports whether data is the whole content of a file in the directory. It recognises
// what a server has read at a place that this process does not know.
func (d *Directory) HasCopy(data []byte) (found bool) {
	if d == nil || d.path == "" || len(data) < least {
		return false
	}
	d.each(func(path string, info os.FileInfo) bool {
		if info.Mode().IsRegular() && info.Size() == int64(len(data)) {
			content, err := os.ReadFile(path)
			found = err == nil && bytes.Equal(content, data)
		}
		return !found
	})
	return found
}

// Outside returns where path leads if that is not below root, or "".
func Outside(root, path string) string {
	if root == "" {
		return ""
	}
	real, _ := follow(path)
	if from, _ := follow(root); below(real, from) {
		return ""
	}
	return real
}

// Real returns where an absolute path leads, through all symbolic links. What does not exist
// stays as it is.
func Real(path string) string {
	real, _ := follow(path)
	return real
}

// mostLinks is how many symbolic links follow follows, as many as Linux does.
const mostLinks = 40

// follow returns where an absolute path leads, through all symbolic links. The rest of a path
// that does not exist is kept. special reports a way through /proc.
func follow(path string) (real string, special bool) {
	if !filepath.IsAbs(path) {
		path, _ = filepath.Abs(path)
	}
	at, rest := split(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		special = special || runtime.GOOS == "linux" && next == "/proc"
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
			at = next
			continue
		}
		to, err := os.Readlink(next)
		if links++; err != nil || links > mostLinks {
			at = next
			continue
		}
		from, more := split(to)
		if from != "" {
			at = from
		}
		rest = append(more, rest...)
	}
	return at, special
}

// split returns the root of an absolute path, or "", and the names in the path. It keeps "..",
// which means something else behind a link.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	if filepath.IsAbs(path) {
		root = volume + string(filepath.Separator)
	}
	for _, name := range strings.FieldsFunc(path[len(volume):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(byte(r)) }) {
		if name != "." {
			names = append(names, name)
		}
	}
	return root, names
}

// below reports whether path is dir or in it, by their names.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
