package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/internal/system"
)

// systems are the files and folders of the system that every program needs. /etc is not among
// them as a whole: root's files there have passwords.
var systems = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/run/current-system/sw", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf", "/etc/os-release", "/etc/debian_version", "/etc/mime.types",
	"/etc/fonts", "/etc/R", "/etc/python3", "/etc/jupyter", "/etc/ipython", "/etc/magic", "/etc/bash.bashrc", "/etc/profile", "/etc/inputrc",
	"/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/protocols", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
	"/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/crypto-policies", "/etc/OpenCL", "/etc/java",
	"/var/cache/fontconfig", "/sys/devices/system", "/sys/fs/cgroup",
}

// online are those that only the network needs.
var online = []string{"/etc/resolv.conf"}

// fonts are the user's, below the home directory.
var fonts = []string{".fonts", ".local/share/fonts", ".config/fontconfig", ".cache/fontconfig"}

// places returns what a program reads and what it writes, absolute and existing. home is the user's.
func (s *Start) places(home string, environ []string) (read, write []string) {
	write = existing(slices.Concat([]string{s.Root, s.Home, s.Temp}, s.Own), nil)
	for _, path := range slices.Sorted(slices.Values(s.Write)) { // outer folders first
		write = append(write, existing([]string{path}, write)...)
	}
	read = slices.Concat(systems, s.Read, s.Given, interpreters(s.Argv, write))
	if s.Network {
		read = append(read, online...)
	}
	for _, dir := range fonts {
		read = append(read, filepath.Join(home, dir))
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "EASEL_OVERLAY", "EASEL_CLOUDPICKLE":
			read = append(read, value)
		case "EASEL_UV":
			read = append(read, filepath.Dir(value))
		case "EASEL_PLOT_FONTS":
			read = append(read, filepath.SplitList(value)...)
		case "VIRTUAL_ENV", "CONDA_PREFIX":
			read = append(read, environment(value, write)...)
		}
	}
	return existing(read, write), write
}

// within reports whether a path is one of some folders, or below one.
func within(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// resolve returns a path without links. It is "" if the path does not exist, or leads through one of the
// folders that a program writes: what is there may be a link by now, and the program can use it anyway.
func resolve(path string, written []string) string {
	at := "/"
	rest := strings.Split(filepath.Clean(path), "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		at = filepath.Join(at, name)
		if within(at, written) {
			return ""
		}
		st, err := os.Lstat(at)
		if err != nil {
			return ""
		}
		if st.Mode()&os.ModeSymlink == 0 {
			continue
		}
		to, err := os.Readlink(at)
		if links++; err != nil || links > 40 {
			return ""
		}
		at = filepath.Dir(at)
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return at
}

// interpreters returns what an interpreter needs to read: its environment, the one that it was made
// from, and the folder of the script that it runs. Nothing is run for that, because the project may
// have changed the interpreter. So each folder must look like an environment: nothing else may become
// readable because of a link in the project.
func interpreters(argv, written []string) (dirs []string) {
	if len(argv) == 0 || !filepath.IsAbs(argv[0]) {
		return nil
	}
	dirs = environment(filepath.Dir(filepath.Dir(argv[0])), written)
	if real, err := filepath.EvalSymlinks(argv[0]); err == nil {
		dirs = append(dirs, environment(filepath.Dir(filepath.Dir(real)), written)...)
	}
	for next, n := argv[0], 0; n < 5; n++ { // the chain of links, for example of uv's versions
		to, err := os.Readlink(next)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(next), to)
		}
		next = to
		dirs = append(dirs, environment(filepath.Dir(filepath.Dir(next)), written)...)
	}
	if len(argv) > 1 && filepath.IsAbs(argv[1]) && filepath.Base(argv[1]) == "launcher.py" { // Easel's own
		dirs = append(dirs, filepath.Dir(argv[1]))
	}
	return dirs
}

// parts are the folders of an environment that its programs read. The whole of it may be a home
// directory, with everything in it.
var parts = []string{"bin", "lib", "lib64", "include", "share", "libexec", "pyvenv.cfg", "conda-meta", "ssl", "x86_64-conda-linux-gnu"}

// environment returns the parts of a Python environment, those of the one that it was made from, and the folders of
// packages that are installed there as links; nil if it is none. An environment that the program writes says nothing
// about other folders.
func environment(prefix string, written []string) (dirs []string) {
	if prefix == "/" || prefix == "." || prefix == "" || !isEnvironment(prefix) {
		return nil
	}
	for _, part := range parts {
		dirs = append(dirs, filepath.Join(prefix, part))
	}
	if resolve(prefix, written) != "" {
		dirs = append(dirs, linked(prefix)...)
	}
	if exists(filepath.Join(prefix, "conda-meta")) {
		dirs = append(dirs, filepath.Join(prefix, "etc"))
	}
	if base := madeFrom(prefix); base != "" && base != "/" && base != prefix && isEnvironment(base) {
		for _, part := range parts {
			dirs = append(dirs, filepath.Join(base, part))
		}
	}
	return dirs
}

// linked returns the folders that an environment's .pth files add to Python's path.
func linked(prefix string) (dirs []string) {
	files, _ := filepath.Glob(filepath.Join(prefix, "lib*", "python3*", "site-packages", "*.pth"))
	for _, file := range files {
		text, err := system.ReadRegular(file, 1<<16)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if dir := strings.TrimSpace(line); filepath.IsAbs(dir) && strings.Count(filepath.Clean(dir), "/") > 2 { // no home directory
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// isEnvironment reports whether a folder has a Python: its standard library, or what a virtual
// environment has.
func isEnvironment(prefix string) bool {
	if exists(filepath.Join(prefix, "pyvenv.cfg")) && exists(filepath.Join(prefix, "bin")) {
		return true
	}
	found, _ := filepath.Glob(filepath.Join(prefix, "lib*", "python3*", "os.py"))
	return len(found) > 0
}

// madeFrom returns the prefix of the Python that a virtual environment was made from, or "".
func madeFrom(prefix string) string {
	text, err := system.ReadRegular(filepath.Join(prefix, "pyvenv.cfg"), 1<<16)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) == "home" {
			return filepath.Dir(filepath.Clean(strings.TrimSpace(value)))
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// existing returns the absolute ones of paths that exist, without links too, each once and sorted.
func existing(paths, written []string) (found []string) {
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			continue
		}
		if real := resolve(p, written); real != "" && real != "/" {
			found = append(found, filepath.Clean(p), real)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Allows reports whether a kernel may read and change a path.
func (s Start) Allows(path string) (reads, writes bool) {
	path = filepath.Clean(path)
	writes = within(path, slices.Concat([]string{s.Root, s.Home, s.Temp}, s.Write, s.Own))
	reads = writes || within(path, slices.Concat(systems, s.Read, s.Given, []string{"/proc"}, interpreters(s.Argv, nil)))
	return reads, writes
}
