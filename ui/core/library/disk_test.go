package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"easel/internal/require"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/output"
)

// A fullDisk has room for so many more writes, syncs and renames, then none.
type fullDisk struct {
	disk.Real
	remaining atomic.Int64
}

func (d *fullDisk) take() error {
	if d.remaining.Add(-1) < 0 {
		return &os.PathError{Op: "write", Path: "disk", Err: syscall.ENOSPC}
	}
	return nil
}

func (d *fullDisk) Write(f *os.File, b []byte) (int, error) {
	if err := d.take(); err != nil {
		n, _ := f.Write(b[:len(b)/2]) // a full disk takes what still fits
		return n, err
	}
	return d.Real.Write(f, b)
}

func (d *fullDisk) Sync(f *os.File) error {
	if err := d.take(); err != nil {
		return err
	}
	return d.Real.Sync(f)
}

func (d *fullDisk) Rename(from, to string) error {
	if err := d.take(); err != nil {
		return err
	}
	return d.Real.Rename(from, to)
}

func (d *fullDisk) SyncDir(dir string) error {
	if err := d.take(); err != nil {
		return err
	}
	return d.Real.SyncDir(dir)
}

func TestAFullDiskLosesNothingAndLeavesNothingHalfDone(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	d := &fullDisk{}
	d.remaining.Store(1 << 40)
	l, err := Open(ctx, dir, Options{Disk: d})
	require.NoError(t, err)
	kept := add(t, l, 1)
	require.NoError(t, l.Output.Append(ctx, "e1", output.Stdout, []byte("before")))
	require.NoError(t, l.Output.Replace(ctx, "e2", output.Stderr, []byte("first")))
	// Fill the disk at every step of every kind of write.
	for name, write := range map[string]func(i int) error{
		"add an image": func(i int) error {
			_, err := l.Images.Add(ctx, NewImage{SessionID: "s1", Forms: []Form{{"image/png", picturePNG(t, 100+i, 0)}, {"image/svg+xml", fmt.Appendf(nil, "<svg>%d</svg>", i)}}})
			return err
		},
		"rate": func(i int) error { _, err := l.Annotations.SetRating(ctx, []string{kept.ImageID}, 1+i%5); return err },
		"put an execution": func(i int) error {
			return l.Executions.Put(ctx, Execution{ID: fmt.Sprint("x", i), SessionID: "s1", Status: "ok"})
		},
		"append output":  func(int) error { return l.Output.Append(ctx, "e1", output.Stdout, []byte("more and more")) },
		"replace output": func(i int) error { return l.Output.Replace(ctx, "e2", output.Stderr, fmt.Append(nil, "other ", i)) },
		"replace none":   func(i int) error { return l.Output.Replace(ctx, fmt.Sprint("r", i), output.Stderr, []byte("new")) },
	} {
		done := 0
		for room := range 20 {
			before := state(t, l)
			d.remaining.Store(int64(room))
			err := write(room)
			d.remaining.Store(1 << 40)
			if err == nil {
				done++
				continue
			}
			if !errors.Is(err, ErrFull) {
				t.Errorf("%s with room for %d: %v", name, room, err)
			}
			if after := state(t, l); after != before {
				t.Errorf("%s with room for %d: was\n%s\nis\n%s", name, room, before, after)
			}
			if left, _ := os.ReadDir(l.s.path(tempDir)); len(left) > 0 {
				t.Errorf("%s with room for %d left %v", name, room, left)
			}
		}
		if done == 0 || done == 20 {
			t.Errorf("%s: %d of 20 succeeded", name, done)
		}
	}
	want := state(t, l)
	require.NoError(t, l.Close())
	l = open(t, dir, Options{})
	if got := state(t, l); got != want || len(l.Damage()) > 0 {
		t.Errorf("opened again: %+v\nwas\n%s\nis\n%s", l.Damage(), want, got)
	}
	require.NoError(t, l.Close())
	remove(t, l.s.path(databaseFile)) // the journal must tell the same
	for _, f := range []string{databaseFile + "-wal", databaseFile + "-shm"} {
		_ = os.Remove(filepath.Join(dir, f))
	}
	if got := state(t, open(t, dir, Options{})); got != want {
		t.Errorf("from the journal: was\n%s\nis\n%s", want, got)
	}
}

// state is everything that can be seen, as a text.
func state(t *testing.T, l *Library) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	images, _, err := l.Images.Page(ctx, All(), Page{Limit: MaxPage})
	require.NoError(t, err)
	for _, im := range images {
		fmt.Fprintln(&b, im.ImageID, im.N, im.Rating, im.ETag, len(im.Forms), im.Broken)
	}
	runs, err := l.Executions.List(ctx, ExecutionQuery{})
	require.NoError(t, err)
	for _, e := range runs {
		fmt.Fprintln(&b, e.ID, e.Status)
	}
	streams := []struct{ id, stream string }{{"e1", output.Stdout}, {"e2", output.Stderr}}
	for i := range 20 {
		streams = append(streams, struct{ id, stream string }{fmt.Sprint("r", i), output.Stderr})
	}
	for _, s := range streams {
		text, total, err := l.Output.Read(ctx, s.id, s.stream, 0, 0)
		fmt.Fprintln(&b, string(text), total, err)
	}
	return b.String()
}

func TestAFullDatabaseIsErrFull(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := add(t, l, 1)
	if _, err := l.s.w.conn.ExecContext(ctx, "pragma max_page_count = 1"); err != nil { // that is: no page more than there are
		t.Fatal(err)
	}
	size := l.s.journal.size
	err := l.Executions.Put(ctx, Execution{ID: "big", SessionID: "s1", Code: strings.Repeat("x", 100_000), Status: "ok"})
	if !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
	if l.s.journal.size != size {
		t.Error("the journal has what was not acknowledged")
	}
	if _, _, err := l.Images.Read(ctx, im.ImageID); err != nil {
		t.Errorf("read: %v", err)
	}
}
