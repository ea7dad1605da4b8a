package output

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/naming"
)

func newFiles(t *testing.T) *Files {
	t.Helper()
	dir := t.TempDir()
	return New(filepath.Join(dir, "output"), disk.Writer{Disk: disk.Real{}, Temp: dir})
}

func TestOutputIsAppendedReadInPartsAndReplaced(t *testing.T) {
	ctx := t.Context()
	o := newFiles(t)
	read := func(from int64, limit int, want string, total int64) {
		t.Helper()
		text, n, err := o.Read(ctx, "e1", Stdout, from, limit)
		if string(text) != want || n != total || err != nil {
			t.Errorf("read %d+%d: %q of %d, %v", from, limit, text, n, err)
		}
	}
	read(0, 10, "", 0)
	for _, s := range []string{"hello ", "", "気温\n"} {
		require.NoError(t, o.Append(ctx, "e1", Stdout, []byte(s)))
	}
	read(0, 0, "hello 気温\n", 13)
	read(6, 3, "気", 13)
	read(12, 100, "\n", 13)
	read(99, 100, "", 13)
	read(-5, 2, "he", 13)
	require.NoError(t, o.Replace(ctx, "e1", Stdout, []byte("new")))
	read(0, 0, "new", 3)
	if text, n, err := o.Read(ctx, "e1", Stderr, 0, 0); len(text) != 0 || n != 0 || err != nil {
		t.Errorf("stderr: %q %d %v", text, n, err)
	}
	for _, bad := range [][2]string{{"../e", Stdout}, {"e1", "stdin"}, {"", Stdout}, {".hidden", Stdout}} {
		if err := o.Append(ctx, bad[0], bad[1], []byte("x")); !errors.Is(err, naming.ErrInvalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestOutputEndsAtItsLimit(t *testing.T) {
	ctx := t.Context()
	o := newFiles(t)
	require.NoError(t, o.Append(ctx, "e1", Stdout, []byte("x")))
	path, err := o.Path("e1", Stdout)
	require.NoError(t, err)
	if err := os.Truncate(path, MaxBytes-3); err != nil { // a hole: takes no space
		t.Fatal(err)
	}
	for range 2 {
		if err := o.Append(ctx, "e1", Stdout, []byte("12345")); !errors.Is(err, ErrLimit) {
			t.Errorf("got %v", err)
		}
	}
	if text, n, err := o.Read(ctx, "e1", Stdout, MaxBytes-3, 0); string(text) != "123" || n != MaxBytes || err != nil {
		t.Errorf("%q %d %v", text, n, err)
	}
}
