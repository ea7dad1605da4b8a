// Package project finds the project that a directory belongs to, and the Python environments
// that people and tools have made for it. It reads files. It asks a tool only if no
// file decides, with a time limit, and it never runs a Python: the user may not have allowed the
// project yet.
//
// # Goroutines
//
// It starts none; its functions run on their caller's goroutine, and any goroutine may call
// them. They look at files, so they may wait for a disk.
package project

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"easel/internal/system"
)

// A Project is a folder in which somebody works.
type Project struct {
	Root string `json:"root"` // absolute, with links resolved, so that two can be compared
	Name string `json:"name"` // the folder's name
	// Confined means that code in the folder is not trusted: no tool is asked about it that may run some.
	Confined bool `json:"-"`
}

// An Error says why a directory belongs to no project. If the directory does not exist,
// the error matches [fs.ErrNotExist].
type Error struct {
	Directory string
	Reason    Reason // continues a sentence that begins with the directory
	Remedy    string // what to do, in one sentence

	err error
}

func (e *Error) Error() string { return e.Directory + " " + e.Reason.String() + ". " + e.Remedy }

// Unwrap returns the error of the file system, or nil.
func (e *Error) Unwrap() error { return e.err }

// Of returns the project that a directory belongs to: the nearest folder upwards, at most the
// repository's root, that has a file or folder which only projects have. Without one, the
// directory is a project of its own. Folders of the system and of programs, and those in own,
// are no projects; own usually has Easel's data directory. The error is an [*Error].
func Of(dir string, own ...string) (Project, error) {
	dir, err := Resolve(dir)
	if err != nil {
		return Project{}, err
	}
	b := bordersHere(own)
	if e := b.refuse(dir); e != nil {
		return Project{}, e
	}
	root, weak := "", ""
	for _, folder := range b.climb(dir) {
		if root == "" && isMarked(folder) {
			root = folder
		}
		if weak == "" && hasAny(folder, weakMarkers) {
			weak = folder
		}
	}
	root = cmp.Or(root, weak)
	if root == "" {
		if program, ok := b.program(dir); ok {
			return Project{}, &Error{Directory: dir, Reason: Reason{"unmarked", program}, Remedy: chooseFolder}
		}
		root = dir
	}
	if strings.ContainsFunc(root, unicode.IsControl) { // questions, settings and error texts could not show it as it is
		return Project{}, &Error{
			Directory: strconv.Quote(root), Reason: Reason{Kind: "control"}, Remedy: "Rename the folder, or choose another one.",
		}
	}
	return Project{Root: root, Name: filepath.Base(root)}, nil
}

const chooseFolder = "Choose the folder that has your code and data."

// Resolve returns a directory's absolute path without links. The error is an [*Error].
func Resolve(dir string) (string, error) {
	if strings.TrimSpace(dir) == "" {
		return "", &Error{Directory: "The directory", Reason: Reason{Kind: "empty"}, Remedy: "Give the path of your project's folder."}
	}
	if home, err := os.UserHomeDir(); err == nil && (dir == "~" || strings.HasPrefix(dir, "~/")) {
		dir = home + dir[1:]
	}
	if !filepath.IsAbs(dir) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", &Error{Directory: dir, Reason: Reason{"unreadable", err.Error()}, Remedy: "Give an absolute path.", err: err}
		}
		dir = abs
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Error{Directory: dir, Reason: missing(dir), Remedy: "Create it, or give the path of an existing folder.", err: fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return "", &Error{
			Directory: dir, Reason: Reason{Kind: "forbidden"}, Remedy: "Change its permissions, or choose another folder.",
			err: err,
		}
	case err != nil:
		return "", &Error{Directory: dir, Reason: Reason{"unreadable", err.Error()}, Remedy: "Choose another folder.", err: err}
	case !info.IsDir():
		return "", &Error{Directory: dir, Reason: Reason{Kind: "file"}, Remedy: "Give its folder: " + filepath.Dir(dir) + "."}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", &Error{Directory: dir, Reason: Reason{"unreadable", err.Error()}, Remedy: "Choose another folder.", err: err}
	}
	return real, nil
}

// missing says what of a path does not exist.
func missing(dir string) Reason {
	if target, err := os.Readlink(dir); err == nil {
		return Reason{"dead_link", target}
	}
	return Reason{Kind: "missing"}
}

// markers are the files and folders that only projects have.
var markers = []string{
	".git", ".hg", ".jj", ".svn",
	"pyproject.toml", "uv.lock", "uv.toml", "poetry.lock", "poetry.toml", "pdm.lock", "pylock.toml", "Pipfile", "Pipfile.lock", "hatch.toml",
	"pixi.toml", "pixi.lock", ".pixi", "environment.yml", "environment.yaml", "conda-lock.yml", "anaconda-project.yml",
	".python-version", "setup.py", "setup.cfg", "tox.ini", "noxfile.py",
}

// weakMarkers are also in parts of projects, such as the folder of their documentation.
var weakMarkers = []string{"requirements.txt", "requirements.in"}

// isMarked reports whether a folder has a marker, or an environment of its own.
func isMarked(folder string) bool {
	return hasAny(folder, markers) || IsR(folder) ||
		slices.ContainsFunc(usualNames, func(name string) bool { return isEnvironment(filepath.Join(folder, name)) })
}

// IsR reports whether a folder has a file of renv or RStudio. renv writes no lock file before its first snapshot.
func IsR(folder string) bool {
	return hasAny(folder, []string{"renv.lock", filepath.Join("renv", "activate.R")}) || len(system.Glob(folder, "*.Rproj")) > 0
}

// repositories are the folders (for a worktree of git, the file) in the root of a repository.
var repositories = []string{".git", ".hg", ".jj", ".svn"}

func hasAny(folder string, names []string) bool {
	for _, name := range names {
		if exists(filepath.Join(folder, name)) {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
