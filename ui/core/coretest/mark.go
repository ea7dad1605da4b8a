package coretest

import (
	"context"
	"testing"

	"easel/ui/core/library"
)

// Mark changes the marks of images.
func Mark(t testing.TB, a *library.Annotations, edit func(*library.Marks) error, ids ...string) {
	t.Helper()
	targets := make([]library.Target, len(ids))
	for i, id := range ids {
		targets[i].ID = id
	}
	if _, err := a.Mark(context.Background(), targets, func(_ int, m *library.Marks) error { return edit(m) }); err != nil {
		t.Fatal(err)
	}
}
