package system

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/windows"

	"easel/internal/require"
)

// TestPatiently renames over a file, and removes one, that are being read until the second
// try.
func TestPatiently(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for name, do := range map[string]func() error{
		"rename": func() error { return os.Rename(from, to) },
		"remove": func() error { return os.Remove(to) },
	} {
		for _, path := range []string{from, to} {
			require.NoError(t, os.WriteFile(path, []byte(path), 0o600))
		}
		reader, err := os.Open(to)
		require.NoError(t, err)
		tries := 0
		err = patiently(to, func() error {
			tries++
			if tries == 2 {
				_ = reader.Close()
			}
			return do()
		})
		if err != nil || tries < 2 {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
}

func TestPatientlyGivesUpAtOnce(t *testing.T) {
	dir := t.TempDir()
	tries := 0
	if err := patiently(dir, func() error { tries++; return windows.ERROR_ACCESS_DENIED }); err == nil || tries != 1 {
		t.Errorf("a directory: %v after %d tries", err, tries)
	}
	tries = 0
	if err := patiently(filepath.Join(dir, "f"), func() error { tries++; return windows.ERROR_DISK_FULL }); !IsDiskFull(err) || tries != 1 {
		t.Errorf("a full disk: %v after %d tries", err, tries)
	}
}

// TestPrivate checks that nobody but the user and the system is on the access list.
func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, MkdirPrivate(dir))
	file, before := filepath.Join(dir, "inherits"), filepath.Join(t.TempDir(), "before")
	for _, path := range []string{file, before} {
		require.NoError(t, os.WriteFile(path, []byte("secret"), 0o600))
	}
	require.NoError(t, MakePrivate(before))
	allowed, err := trusted()
	require.NoError(t, err)
	for _, path := range []string{dir, file, before} {
		got, err := readers(path)
		if err != nil || len(got) == 0 {
			t.Errorf("%s: %v, %v", path, got, err)
		}
		if path != dir && windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
			continue // Wine adds the list of the directory above
		}
		for _, sid := range got {
			if !slices.ContainsFunc(allowed, sid.Equals) {
				t.Errorf("%s may be read by %v", path, sid)
			}
		}
	}
	if err := MkdirPrivate(dir); err != nil { // it is so already
		t.Error(err)
	}
	if text, err := os.ReadFile(before); err != nil || string(text) != "secret" {
		t.Errorf("the user reads %q, %v", text, err)
	}
}

// TestKillTree starts a process that starts another one, and kills the first.
func TestKillTree(t *testing.T) {
	switch os.Getenv("EASEL_TEST_TREE") {
	case "parent":
		t.Setenv("EASEL_TEST_TREE", "child")
		self, _ := os.Executable()
		c := exec.CommandContext(t.Context(), self, "-test.run=^TestKillTree$")
		c.Stdout, c.Stdin = os.Stdout, os.Stdin
		_ = c.Run()
		return
	case "child":
		_, _ = os.Stdout.WriteString("child runs\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the end
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	const marker = "-test.skip=Easel-Marker"
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestKillTree$", marker)
	c.Env = append(os.Environ(), "EASEL_TEST_TREE=parent")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "child runs" {
		t.Log(lines.Text())
	}
	all, err := parents()
	require.NoError(t, err)
	below := descendants(all, uint32(c.Process.Pid))
	if len(below) != 1 {
		t.Fatalf("descendants: %v", below)
	}
	if got := ProcessesWith("-TEST.SKIP=easel-marker"); !slices.Contains(got, c.Process.Pid) || len(got) != 1 {
		t.Errorf("processes with the marker: %v, want %d", got, c.Process.Pid)
	}
	if err := KillTree(c.Process.Pid); err != nil {
		t.Error(err)
	}
	_ = c.Wait()
	if _, err := io.Copy(io.Discard, out); err != nil && !errors.Is(err, os.ErrClosed) { // ends when the child has closed it
		t.Error(err)
	}
	if h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, below[0]); err == nil {
		if ended, err := windows.WaitForSingleObject(h, 10_000); ended != windows.WAIT_OBJECT_0 {
			t.Errorf("the child runs on: %v", err)
		}
		_ = windows.CloseHandle(h)
	}
	if err := KillTree(c.Process.Pid); err != nil {
		t.Errorf("again: %v", err)
	}
}
