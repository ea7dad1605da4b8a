//go:build unix

package settings

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"easel/internal/require"
)

// irregular are things that can be in the place of a file, with what makes them.
var irregular = map[string]func(path string) error{
	"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"a link to a pipe": func(path string) error {
		return errors.Join(syscall.Mkfifo(path+".pipe", 0o600), os.Symlink(path+".pipe", path))
	},
	"a directory": func(path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
	"a link to nowhere": func(path string) error {
		return os.Symlink(filepath.Join(filepath.Dir(path), "nothing"), path)
	},
	"a link to itself": func(path string) error { return os.Symlink(path, path) },
	"a device":         func(path string) error { return os.Symlink("/dev/zero", path) },
	"a huge file":      func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) },
}

// TestSettingsThatAreNoFileMeanReadOnly also covers a pipe, on which a program could wait for
// good.
func TestSettingsThatAreNoFileMeanReadOnly(t *testing.T) {
	for name, create := range irregular {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, fileName)
			require.NoError(t, create(path))
			if Check(dir) == "" {
				t.Error("Check finds nothing")
			}
			s, problem, err := Load(dir)
			if err != nil || problem.Reason == "" || s.Access != "read_only" || !s.ChooseAccess {
				t.Fatalf("got %+v, %+v, %v", s, problem, err)
			}
			if again, problem, err := Load(dir); err != nil || problem != (Problem{}) || again != s {
				t.Errorf("after a restart: %+v, %+v, %v", again, problem, err)
			}
			if problem.Aside != "" {
				if _, err := os.Lstat(problem.Aside); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestServersThatAreNoFile covers the other file of this package.
func TestServersThatAreNoFile(t *testing.T) {
	for name, create := range irregular {
		dir := t.TempDir()
		require.NoError(t, create(filepath.Join(dir, serversFile)))
		if got, err := LoadServers(dir); err == nil || len(got) > 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
