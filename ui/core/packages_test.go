package core

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
)

func TestTheManagedPackagesComeFirstAndOldOnesStay(t *testing.T) {
	environment := func(name string) (python, packages string) {
		root := filepath.Join(t.TempDir(), name)
		packages = filepath.Join(root, "lib", "python3.13", "site-packages")
		require.NoError(t, os.MkdirAll(packages, 0o750))
		return filepath.Join(root, "bin", "python"), packages
	}
	own, ownDir := environment("own")
	first, firstDir := environment("first")
	second, secondDir := environment("second")
	running := []string{first}
	p := &packages{managed: func() string { return own }, kernels: func() []string { return running }}
	if got := p.dirs(); !slices.Equal(got, []string{ownDir, firstDir}) {
		t.Errorf("%q", got)
	}
	running = []string{second}
	p.asked = p.asked.Add(-time.Hour)
	if got := p.dirs(); !slices.Equal(got, []string{ownDir, secondDir, firstDir}) {
		t.Errorf("%q", got)
	}
	own = ""
	if got := p.dirs(); !slices.Equal(got, []string{secondDir, firstDir}) {
		t.Errorf("%q", got)
	}
}
