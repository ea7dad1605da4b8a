// Package require ends a test that cannot continue.
package require

import (
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
