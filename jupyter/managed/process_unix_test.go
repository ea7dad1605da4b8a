//go:build unix

package managed

import (
	"testing"

	"golang.org/x/sys/unix"

	"easel/internal/require"
)

// suspend stops a process as Ctrl-Z does.
func suspend(t *testing.T, pid int) { t.Helper(); send(t, pid, unix.SIGSTOP) }

// resume continues a process that suspend has stopped.
func resume(t *testing.T, pid int) { t.Helper(); send(t, pid, unix.SIGCONT) }

func kill(t *testing.T, pid int) { t.Helper(); send(t, pid, unix.SIGKILL) }

func send(t *testing.T, pid int, s unix.Signal) {
	t.Helper()
	require.NoError(t, unix.Kill(pid, s))
}
