//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// autostartFile returns the path of the desktop entry for starting an app at login (XDG
// Desktop Application Autostart).
func autostartFile(id string) (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "autostart", id+".desktop"), nil
}

// Autostarts reports whether the desktop starts the app at login.
func Autostarts(id string) bool {
	path, err := autostartFile(id)
	if err != nil {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && !strings.Contains(string(text), "\nHidden=true")
}

// SetAutostart turns starting a program at login on or off.
func SetAutostart(id string, on bool, exe string, args ...string) error {
	path, err := autostartFile(id)
	if err != nil {
		return err
	}
	if !on {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	line := []string{quoteExec(exe)}
	for _, a := range args {
		line = append(line, quoteExec(a))
	}
	text := "[Desktop Entry]\nType=Application\nName=Easel\nComment=Shows what AI assistants draw in Jupyter\nExec=" + strings.Join(line, " ") +
		"\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"
	return os.WriteFile(path, []byte(text), 0o600)
}

// quoteExec quotes an argument of an Exec line. It escapes twice: for the Exec key, and
// then for a string in a desktop entry.
func quoteExec(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@", r)
	}) {
		return s
	}
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`).Replace(s)
	s = strings.ReplaceAll(s, "%", "%%")
	return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"`
}
