package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"easel/internal/system"
)

// The layouts in this file were checked with Poetry 2.5.1, Hatch 1.18.2 and Pipenv 2026.10.3,
// in folders with spaces, Japanese names and links.

// userDirs are where programs keep a user's data, settings and caches.
type userDirs struct{ home, data, config, cache string }

func userDirsHere() userDirs {
	home, _ := os.UserHomeDir()
	or := func(variable string, parts ...string) string {
		if dir := os.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(append([]string{home}, parts...)...)
	}
	switch runtime.GOOS {
	case "windows":
		local := or("LOCALAPPDATA", "AppData", "Local")
		return userDirs{home, local, or("APPDATA", "AppData", "Roaming"), local}
	case "darwin":
		support := filepath.Join(home, "Library", "Application Support")
		return userDirs{home, support, support, filepath.Join(home, "Library", "Caches")}
	}
	return userDirs{home, or("XDG_DATA_HOME", ".local", "share"), or("XDG_CONFIG_HOME", ".config"), or("XDG_CACHE_HOME", ".cache")}
}

// expand returns a path of a settings file: "~" is the home directory, and a relative path
// is one in base. "" stays "".
func (u userDirs) expand(path, base string) string {
	switch {
	case path == "":
		return ""
	case path == "~" || strings.HasPrefix(path, "~/"):
		return filepath.Join(u.home, path[1:])
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(base, filepath.FromSlash(path))
}

// nameHash returns the short hash of a path that Poetry and Hatch put into names.
func nameHash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return base64.URLEncoding.EncodeToString(sum[:])[:8]
}

// poetry adds the environments that Poetry keeps for a folder: the active one first, then
// those for newer Pythons.
func (f *finder) poetry(ctx context.Context, folder string) {
	if !exists(filepath.Join(folder, "pyproject.toml")) {
		return
	}
	dir := poetryDir(folder)
	hash := nameHash(folder)
	if runtime.GOOS == "windows" {
		hash = nameHash(strings.ToLower(folder))
	}
	why := Reason{"made", "Poetry"}
	found := system.Glob(dir, "*-"+hash+"-py*")
	if len(found) == 0 && !exists(dir) && (exists(filepath.Join(folder, "poetry.lock")) || readTools(folder).has("poetry")) {
		f.add(f.ask(ctx, folder, "poetry", "env", "info", "--path", "--no-interaction", "--no-plugins"), Poetry, why)
		return
	}
	var active map[string]struct{ Minor string }
	_ = toml.Unmarshal([]byte(readSmall(filepath.Join(dir, "envs.toml"))), &active) // without it, none is active
	rank := func(path string) (bool, []int) {
		name, version, _ := cutLast(filepath.Base(path), "-py")
		return active[name].Minor == version, parse(version)
	}
	slices.SortStableFunc(found, func(a, b string) int {
		x, v := rank(a)
		y, w := rank(b)
		if x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return slices.Compare(w, v)
	})
	for _, path := range found {
		f.add(path, Poetry, why)
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// poetryDir returns the directory of Poetry's environments, by its settings.
func poetryDir(folder string) string {
	type settings struct {
		CacheDir    string `toml:"cache-dir"`
		Virtualenvs struct {
			Path string `toml:"path"`
		} `toml:"virtualenvs"`
	}
	u := userDirsHere()
	config := os.Getenv("POETRY_CONFIG_DIR")
	config = cmp.Or(config, filepath.Join(u.config, "pypoetry"))
	var users, own settings // a file with an error counts as none
	_ = toml.Unmarshal([]byte(readSmall(filepath.Join(config, "config.toml"))), &users)
	_ = toml.Unmarshal([]byte(readSmall(filepath.Join(folder, "poetry.toml"))), &own)
	standard := filepath.Join(u.cache, "pypoetry")
	if runtime.GOOS == "windows" {
		standard = filepath.Join(standard, "Cache")
	}
	cache := u.expand(first(os.Getenv("POETRY_CACHE_DIR"), own.CacheDir, users.CacheDir, standard), folder)
	path := first(os.Getenv("POETRY_VIRTUALENVS_PATH"), own.Virtualenvs.Path, users.Virtualenvs.Path, "{cache-dir}/virtualenvs")
	return u.expand(strings.ReplaceAll(path, "{cache-dir}", cache), folder)
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	i := slices.IndexFunc(texts, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return texts[i]
}

// hatch adds the environments that Hatch keeps for a folder, the default one first. Hatch itself
// is not asked: it runs the project's own plugins.
func (f *finder) hatch(folder string) {
	if !hasAny(folder, []string{"pyproject.toml", "hatch.toml"}) {
		return
	}
	u, dir := hatchDir(folder)
	hash := nameHash(folder)
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		hash = nameHash(strings.ToLower(folder))
	}
	found := system.Glob(dir, "*/"+hash+"/*")
	isDefault := func(path string) bool { return filepath.Base(path) == filepath.Base(filepath.Dir(filepath.Dir(path))) }
	if flat := dir == filepath.Join(u.home, ".virtualenvs"); flat || within(dir, folder) {
		name := projectName(folder)
		isDefault = func(path string) bool { return filepath.Base(path) == name }
		found = slices.DeleteFunc(system.Glob(dir, "*"), func(path string) bool { return flat && !isDefault(path) })
	}
	slices.SortStableFunc(found, func(a, b string) int {
		if isDefault(a) != isDefault(b) {
			return map[bool]int{true: -1, false: 1}[isDefault(a)]
		}
		return strings.Compare(a, b)
	})
	for _, path := range found {
		// Hatch's own, for its commands
		if name := filepath.Base(path); !strings.HasPrefix(name, "hatch-") && !strings.HasSuffix(name, "-build") {
			f.add(path, Hatch, Reason{"made", "Hatch"})
		}
	}
}

// hatchDir returns the directory of Hatch's environments, by its settings.
func hatchDir(folder string) (userDirs, string) {
	var settings struct {
		Dirs struct {
			Data string            `toml:"data"`
			Env  map[string]string `toml:"env"`
		} `toml:"dirs"`
	}
	u := userDirsHere()
	config := first(os.Getenv("HATCH_CONFIG"), filepath.Join(u.config, "hatch", "config.toml"))
	_ = toml.Unmarshal([]byte(readSmall(config)), &settings) // a file with an error counts as none
	if dir := u.expand(settings.Dirs.Env["virtual"], folder); dir != "" {
		return u, dir
	}
	data := u.expand(first(os.Getenv("HATCH_DATA_DIR"), settings.Dirs.Data, filepath.Join(u.data, "hatch")), folder)
	return u, filepath.Join(data, "env", "virtual")
}

// projectName returns the name of the package in a folder as tools normalise it.
func projectName(folder string) string {
	var file struct{ Project struct{ Name string } }
	if toml.Unmarshal([]byte(readSmall(filepath.Join(folder, "pyproject.toml"))), &file) != nil {
		return ""
	}
	parts := strings.FieldsFunc(strings.ToLower(file.Project.Name), func(r rune) bool { return strings.ContainsRune("-_.", r) })
	return strings.Join(parts, "-")
}

// pipenv adds the environments that Pipenv keeps for a folder. Each has a file that names it.
func (f *finder) pipenv(ctx context.Context, folder string) {
	if !exists(filepath.Join(folder, "Pipfile")) {
		return
	}
	u := userDirsHere()
	dir := u.expand(os.ExpandEnv(os.Getenv("WORKON_HOME")), folder)
	switch {
	case dir != "":
	case runtime.GOOS == "windows":
		dir = filepath.Join(u.home, ".virtualenvs")
	default:
		dir = filepath.Join(first(os.Getenv("XDG_DATA_HOME"), filepath.Join(u.home, ".local", "share")), "virtualenvs")
	}
	why := Reason{"made", "Pipenv"}
	for _, file := range system.Glob(dir, "*/.project") {
		if sameFile(firstLine(file), folder) {
			f.add(filepath.Dir(file), Pipenv, why)
		}
	}
	if !exists(dir) {
		f.add(f.ask(ctx, folder, "pipenv", "--venv"), Pipenv, why)
	}
}
