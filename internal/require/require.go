// Package require ends a test that cannot continue.
//
// # Goroutines
//
// None. Every function is called from the goroutine of a test.
package require

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// NoError ends the test if a step that it needs has failed.
func NoError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Link makes a symbolic link at a path, and returns the path. On Windows it skips the test if the user may make none,
// or if the system does not follow it, like Wine.
func Link(t testing.TB, to, at string) string {
	t.Helper()
	err := os.Symlink(to, at)
	if runtime.GOOS == "windows" {
		if info, lost := os.Lstat(at); err != nil || lost != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Skipf("links do not work here: %v, %v", err, lost)
		}
	}
	NoError(t, err)
	return at
}

// Eventually waits until ok returns true, for what notifies nobody.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

const patience = 2 * time.Minute
