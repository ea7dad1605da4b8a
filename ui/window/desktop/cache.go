package desktop

import (
	"os"
	"path/filepath"
)

// MakeCache makes the directory in which Fyne keeps the app's icon for notifications, below
// the platform's cache ($XDG_CACHE_HOME or ~/.cache). Fyne makes only the last directory and
// reports an error for a new user, who has none of them. Call it before Fyne's app is made.
// Without a cache Easel works too.
func MakeCache(appID string) {
	if dir, err := os.UserCacheDir(); err == nil {
		_ = os.MkdirAll(filepath.Join(dir, "fyne", appID), 0o700)
	}
}
