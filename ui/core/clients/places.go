package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// places are the folders that configuration is kept in on this computer.
type places struct {
	home   string
	apps   string // of desktop programs: ~/.config, Application Support, AppData
	config string // of programs that use ~/.config on macOS and Windows, too
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

// in is a path under a variable's directory, or under one of the home directory.
func (p places) in(variable, otherwise string, path ...string) string {
	dir := p.env(variable)
	if dir == "" {
		dir = filepath.Join(p.home, otherwise)
	}
	return filepath.Join(append([]string{dir}, path...)...)
}

// homeFile gives a file under the home directory.
func homeFile(path ...string) func(places) []string {
	return func(p places) []string { return []string{filepath.Join(append([]string{p.home}, path...)...)} }
}

// Tilde is a path with ~ for the home directory.
func Tilde(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); err == nil && ok {
		return filepath.Join("~", rest)
	}
	return path
}
