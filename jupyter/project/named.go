package project

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"easel/internal/system"
)

// conda adds the environment that the environment.yml of a folder names.
func (f *finder) conda(folder string, s Surroundings) {
	u := userDirsHere()
	for _, file := range []string{"environment.yml", "environment.yaml"} {
		text := readSmall(filepath.Join(folder, file))
		why := Reason{"named", file}
		if prefix := u.expand(os.ExpandEnv(yamlValue(text, "prefix")), folder); prefix != "" {
			f.add(prefix, "", why)
		}
		name := yamlValue(text, "name")
		if name == "" || name == "base" || strings.ContainsAny(name, `/\`) {
			continue
		}
		for _, prefix := range condaEnvironments(u) {
			if filepath.Base(prefix) == name {
				f.add(prefix, "", why)
			}
		}
		for _, dir := range condaDirs(u, s) {
			f.add(filepath.Join(dir, name), "", why)
		}
	}
}

var yamlLine = regexp.MustCompile(`(?m)^(name|prefix)[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*?))[ \t\r]*(?:#.*)?$`)

// yamlValue returns the value of name or prefix at the top of a YAML text, or "".
func yamlValue(text, key string) string {
	for _, m := range yamlLine.FindAllStringSubmatch(text, -1) {
		if m[1] == key {
			return first(m[2:]...)
		}
	}
	return ""
}

// condaEnvironments returns the environments that conda has listed for the user.
func condaEnvironments(u userDirs) (prefixes []string) {
	for line := range strings.Lines(readSmall(filepath.Join(u.home, ".conda", "environments.txt"))) {
		if prefix := strings.TrimSpace(line); filepath.IsAbs(prefix) {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// condaRoots are the usual names of installations of conda and mamba.
var condaRoots = []string{"miniconda3", "anaconda3", "miniforge3", "mambaforge", "miniconda", "anaconda", "micromamba", "conda"}

// condaDirs returns the directories that may have named environments of conda.
func condaDirs(u userDirs, s Surroundings) (dirs []string) {
	for _, variable := range []string{"CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"} {
		dirs = append(dirs, filepath.SplitList(os.Getenv(variable))...)
	}
	var roots []string
	if filepath.Base(filepath.Dir(s.CondaPrefix)) == "envs" {
		dirs = append(dirs, filepath.Dir(s.CondaPrefix))
	} else {
		roots = append(roots, s.CondaPrefix)
	}
	if exe := os.Getenv("CONDA_EXE"); exe != "" {
		roots = append(roots, filepath.Dir(filepath.Dir(exe)))
	}
	roots = append(roots, os.Getenv("MAMBA_ROOT_PREFIX"), filepath.Join(u.home, ".conda"), filepath.Join(u.home, ".local", "share", "mamba"))
	for _, parent := range []string{u.home, filepath.Join(u.home, "opt"), u.data, "/opt", os.Getenv("ProgramData")} {
		for _, name := range condaRoots {
			roots = append(roots, filepath.Join(parent, name))
		}
	}
	for _, cask := range []string{"/opt/homebrew/Caskroom", "/usr/local/Caskroom"} {
		roots = append(roots, system.Glob(cask, "*/base")...)
	}
	for _, root := range roots {
		if filepath.IsAbs(root) {
			dirs = append(dirs, filepath.Join(root, "envs"))
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !exists(dir) })
}

// pyenv adds the Python that the next .python-version names, if pyenv has it.
func (f *finder) pyenv() {
	u := userDirsHere()
	roots := []string{os.Getenv("PYENV_ROOT"), filepath.Join(u.home, ".pyenv"), filepath.Join(u.home, ".pyenv", "pyenv-win")}
	for _, folder := range f.folders {
		text := readSmall(filepath.Join(folder, ".python-version"))
		if text == "" {
			continue
		}
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "#")
			for name := range strings.FieldsSeq(line) {
				for _, root := range roots {
					f.pyenvNamed(root, name)
				}
			}
		}
		return
	}
}

// pyenvNamed adds the Python with a name of pyenv's: a version, the beginning of one, or an
// environment.
func (f *finder) pyenvNamed(root, name string) {
	dir := filepath.Join(root, "versions")
	if !filepath.IsAbs(root) || !filepath.IsLocal(name) {
		return
	}
	prefix := filepath.Join(dir, filepath.FromSlash(name))
	if !exists(prefix) {
		matching := slices.DeleteFunc(system.Glob(dir, "*"), func(path string) bool {
			return !strings.HasPrefix(filepath.Base(path), name+".") || strings.Trim(filepath.Base(path), "0123456789.") != ""
		})
		if len(matching) == 0 {
			return
		}
		prefix = slices.MaxFunc(matching, func(a, b string) int {
			return slices.Compare(parse(filepath.Base(a)), parse(filepath.Base(b)))
		})
	}
	f.put(prefix, Pyenv, Reason{"named", ".python-version"})
}
