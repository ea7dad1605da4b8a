package attack

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"easel/internal/require"
)

// unlock makes the other end of a terminal usable, and returns its path.
func unlock(t *testing.T, f *os.File) string {
	t.Helper()
	fd := int(f.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	return fmt.Sprintf("/dev/pts/%d", n)
}
