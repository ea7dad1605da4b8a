package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// places holds the directories for configuration files on this computer.
type places struct {
	home   string
	apps   string // for desktop programs: ~/.config, Application Support or AppData
	config string // for programs that use ~/.config on all systems
	env    func(name string) string
}

func here() (places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return places{}, err
	}
	return placesOf(runtime.GOOS, home, os.Getenv), nil
}

func placesOf(system, home string, env func(string) string) places {
	p := places{home: home, env: env, config: cmp.Or(env("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))}
	switch system {
	case "darwin":
		p.apps = filepath.Join(home, "Library", "Application Support")
	case "windows":
		p.apps = cmp.Or(env("APPDATA"), filepath.Join(home, "AppData", "Roaming"))
	default:
		p.apps = p.config
	}
	return p
}

// in returns a path in the directory that an environment variable names, or else in the
// directory otherwise of the home directory.
func (p places) in(variable, otherwise string, path ...string) string {
	dir := p.env(variable)
	dir = cmp.Or(dir, filepath.Join(p.home, otherwise))
	return filepath.Join(append([]string{dir}, path...)...)
}

// homeFile returns a function for Client.files that returns a path in the home directory.
func homeFile(path ...string) func(places) []string {
	return func(p places) []string { return []string{filepath.Join(append([]string{p.home}, path...)...)} }
}

// Tilde returns path with the home directory abbreviated to ~, except on Windows, whose
// programs do not know that.
func Tilde(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); err == nil && ok {
		return filepath.Join("~", rest)
	}
	return path
}
