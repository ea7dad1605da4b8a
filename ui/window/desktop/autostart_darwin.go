package desktop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// agentFile returns the path of the property list of an app.
func agentFile(id string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "Library", "LaunchAgents", id+".plist"), nil
}

// Autostarts reports whether launchd starts the app at login.
func Autostarts(id string) bool {
	path, err := agentFile(id)
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// SetAutostart turns starting a program at login on or off. It takes effect at the next
// login.
func SetAutostart(id string, on bool, exe string, args ...string) error {
	path, err := agentFile(id)
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
	return os.WriteFile(path, []byte(launchAgent(id, exe, args...)), 0o600)
}
