package desktop

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestTheCacheIsMadeForANewUser(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("the cache has another place there")
	}
	home := filepath.Join(t.TempDir(), "new", "cache")
	t.Setenv("XDG_CACHE_HOME", home)
	MakeCache("io.github.example")
	if info, err := os.Stat(filepath.Join(home, "fyne", "io.github.example")); err != nil || !info.IsDir() {
		t.Errorf("there is no cache: %v", err)
	}
	t.Setenv("XDG_CACHE_HOME", "/proc/none") // it cannot be created, which is not an error
	MakeCache("io.github.example")
}
