package desktop

import (
	"os"
	"path/filepath"
)

// MakeCache creates the directory in which Fyne stores the app's icon for
// notifications, in the platform's cache directory ($XDG_CACHE_HOME or ~/.cache). Fyne
// creates only the last directory of the path, and reports an error for a new user, who
// has none of them. Call it before Fyne's app is created. Easel also works without a
// cache.
func MakeCache(appID string) {
	if dir, err := os.UserCacheDir(); err == nil {
		_ = os.MkdirAll(filepath.Join(dir, "fyne", appID), 0o700)
	}
}
