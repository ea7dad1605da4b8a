package desktop

import (
	"os"
	"path/filepath"
	"runtime"
)

// FyneDirs returns the directories in which Fyne keeps an app's settings and icon.
func FyneDirs(appID string) (dirs []string) {
	config, err := os.UserConfigDir()
	if runtime.GOOS == "darwin" && err == nil {
		config = filepath.Join(filepath.Dir(config), "Preferences")
	}
	if err == nil {
		dirs = append(dirs, filepath.Join(config, "fyne", appID))
	}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "fyne", appID))
	}
	return dirs
}
