package project

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// borders are the folders at which a search upwards ends, because they belong to the system, to
// programs, or to everything that a user has.
type borders struct {
	home     string
	single   map[string]string // these folders themselves, and what they are: kinds of reasons
	trees    map[string]string // these and all below, likewise
	programs []string          // programs keep files here, and some people projects
	users    []string          // folders within programs that have the user's files
}

// bordersHere returns the borders on this machine.
func bordersHere(own []string) borders {
	b := borders{single: map[string]string{}, trees: map[string]string{}}
	add := func(into map[string]string, what string, paths ...string) {
		for _, path := range paths {
			if path != "" && filepath.IsAbs(path) {
				into[clean(path)] = what
				if real, err := filepath.EvalSymlinks(path); err == nil {
					into[clean(real)] = what
				}
			}
		}
	}
	home, _ := os.UserHomeDir()
	if filepath.IsAbs(home) && filepath.Dir(home) != home {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		b.home = home
		add(b.single, "home", home)
		add(b.single, "homes", filepath.Dir(home))
		for _, name := range []string{"Library", "AppData", "Applications", "snap", "scoop"} {
			b.programs = append(b.programs, filepath.Join(home, name))
		}
		for _, name := range []string{"Mobile Documents", "CloudStorage"} {
			b.users = append(b.users, filepath.Join(home, "Library", name))
		}
	}
	add(b.single, "temporary", os.TempDir())
	if runtime.GOOS == "windows" {
		add(b.trees, "windows", os.Getenv("SystemRoot"))
		add(b.trees, "programs", os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)"), os.Getenv("ProgramW6432"), os.Getenv("ProgramData"))
	} else {
		add(b.single, "temporary", "/tmp", "/var/tmp", "/dev/shm")
		add(b.single, "system", "/home", "/Users", "/var", "/run", "/dev", "/mnt", "/media", "/srv", "/opt", "/Volumes", "/private", "/nix")
		add(b.trees, "system", "/bin", "/boot", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr", "/snap", "/nix/store", "/System",
			"/Library")
		add(b.trees, "programs", "/Applications")
		b.programs = append(b.programs, "/opt")
	}
	if program, err := os.Executable(); err == nil {
		b.programs = append(b.programs, filepath.Dir(program))
	}
	if temporary, err := filepath.EvalSymlinks(os.TempDir()); err == nil {
		b.users = append(b.users, temporary)
	}
	add(b.trees, "easel", own...)
	return b
}

// refuse returns why a directory is in no project, or nil.
func (b borders) refuse(dir string) error {
	if filepath.Dir(dir) == dir {
		return &Error{Directory: dir, Reason: Reason{Kind: "disk"}, Remedy: chooseFolder}
	}
	if what, ok := b.single[clean(dir)]; ok {
		return &Error{Directory: dir, Reason: Reason{Kind: what}, Remedy: "Choose a folder in it that has your code and data."}
	}
	for folder := dir; filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		what, ok := b.trees[clean(folder)]
		if !ok && isProgram(folder) {
			what, ok = "program", true
		}
		switch {
		case ok && folder == dir:
			return &Error{Directory: dir, Reason: Reason{Kind: what}, Remedy: chooseFolder}
		case ok:
			return &Error{Directory: dir, Reason: Reason{"in_" + what, folder}, Remedy: chooseFolder}
		}
	}
	return nil
}

// isProgram reports whether a folder is what an installer or an archive of a program made: an
// application of macOS, a mounted AppImage, or a program made with Electron, such as VS Code.
// Some of these start servers in their own folder.
func isProgram(folder string) bool {
	return strings.HasSuffix(folder, ".app") && exists(filepath.Join(folder, "Contents", "Info.plist")) ||
		strings.HasPrefix(filepath.Base(folder), ".mount_") && exists(filepath.Join(folder, "AppRun")) ||
		exists(filepath.Join(folder, "chrome_100_percent.pak"))
}

// program returns the folder for programs that dir is in.
func (b borders) program(dir string) (string, bool) {
	programs := b.programs
	if rel, err := filepath.Rel(b.home, dir); b.home != "" && err == nil && strings.HasPrefix(rel, ".") && !strings.HasPrefix(rel, "..") {
		first, _, _ := strings.Cut(rel, string(filepath.Separator))
		programs = append(slices.Clip(programs), filepath.Join(b.home, first))
	}
	for _, p := range programs {
		isUsers := func(folder string) bool { return within(folder, p) && within(dir, folder) }
		if within(dir, p) && !slices.ContainsFunc(b.users, isUsers) {
			return p, true
		}
	}
	return "", false
}

// climb returns dir and the folders above it that may belong to the same project: up to the
// repository's root, and below the borders.
func (b borders) climb(dir string) (folders []string) {
	for {
		if b.refuse(dir) != nil {
			return folders
		}
		folders = append(folders, dir)
		if hasAny(dir, repositories) {
			return folders
		}
		dir = filepath.Dir(dir)
	}
}

// within reports whether a path is a folder or in it. Both are without links.
func within(path, folder string) bool {
	path, folder = clean(path), clean(folder)
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}

// clean returns a path in the form in which two are compared.
func clean(path string) string {
	path = filepath.Clean(path)
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(path) // their file systems ignore case
	}
	return path
}
