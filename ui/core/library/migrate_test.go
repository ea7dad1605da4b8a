package library

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library/disk"
)

// schemaOf returns the schema of a database file.
func schemaOf(t *testing.T, path string) (version int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.QueryRowContext(t.Context(), "pragma user_version").Scan(&version))
	return version
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// before is the schema of the libraries that are upgraded here.
const before = 4

func TestAMigrationKeepsTheLibraryAsItWas(t *testing.T) {
	dir, want := written(t)
	asBefore(t, dir, before)
	journal := read(t, filepath.Join(dir, journalFile))
	l := open(t, dir, Options{})
	sameLibrary(t, l, want)
	require.NoError(t, l.Close())
	previous := filepath.Join(dir, previousDir)
	if v := schemaOf(t, filepath.Join(previous, databaseFile)); v != before {
		t.Errorf("the copy has schema %d", v)
	}
	if read(t, filepath.Join(previous, journalFile)) != journal {
		t.Error("the copy of the journal differs")
	}
	if v := schemaOf(t, filepath.Join(dir, databaseFile)); v != len(migrations) {
		t.Errorf("the library has schema %d", v)
	}
	for _, name := range []string{databaseFile, journalFile} {
		if info, err := os.Stat(filepath.Join(previous, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	// The copy, put back, is a whole library.
	for _, name := range []string{databaseFile, journalFile} {
		require.NoError(t, os.Rename(filepath.Join(previous, name), filepath.Join(dir, name)))
	}
	sameLibrary(t, open(t, dir, Options{}), want)
}

// migrateChild names the library that a child process of the next test opens, and the
// step at which it waits to be killed.
const migrateChild = "EASEL_LIBRARY_TEST_MIGRATE"

func TestAKilledMigrationLeavesTheOldLibraryOrTheNew(t *testing.T) {
	if arg := os.Getenv(migrateChild); arg != "" {
		dir, at, _ := strings.Cut(arg, "|")
		_, err := Open(t.Context(), dir, Options{migrate: func(step string) {
			if step == at {
				fmt.Println("waiting")
				select {}
			}
		}})
		t.Fatalf("not killed: %v", err)
	}
	for _, step := range []string{"copy", "journal", "change", "commit"} {
		t.Run(step, func(t *testing.T) {
			dir, want := written(t)
			asBefore(t, dir, before)
			killAt(t, dir, step)
			sameLibrary(t, open(t, dir, Options{}), want)
			if v := schemaOf(t, filepath.Join(dir, previousDir, databaseFile)); v != before {
				t.Errorf("the copy has schema %d", v)
			}
			if left, err := os.ReadDir(filepath.Join(dir, tempDir)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// killAt opens a library in a child process and kills it at a step of the migration.
func killAt(t *testing.T, dir, step string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAKilledMigrationLeavesTheOldLibraryOrTheNew$")
	c.Env = append(os.Environ(), migrateChild+"="+dir+"|"+step)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = c.Process.Kill()
	_ = c.Wait()
	if line != "waiting\n" {
		t.Fatalf("got %q, %v", line, err)
	}
}

// TestAMigrationWithoutRoomChangesNothing fails each write, sync and rename of a migration
// in turn.
func TestAMigrationWithoutRoomChangesNothing(t *testing.T) {
	dir, want := written(t)
	asBefore(t, dir, before)
	failures := 0
	for ; ; failures++ {
		d := &fullDisk{}
		d.remaining.Store(int64(failures))
		l, err := Open(t.Context(), dir, Options{Disk: d})
		if err == nil {
			_ = l.Close() // its disk is full
			break
		}
		if !errors.Is(err, ErrFull) {
			t.Errorf("got %v", err)
		}
		if v := schemaOf(t, filepath.Join(dir, databaseFile)); v != before {
			t.Fatalf("after %d operations, the library has schema %d", failures, v)
		}
	}
	if failures < 5 {
		t.Errorf("only %d failures", failures)
	}
	sameLibrary(t, open(t, dir, Options{}), want)
}

// TestAnOlderEaselDoesNotRebuildANewerLibrary covers an older Easel that finds no database:
// it would skip records that it does not know.
func TestAnOlderEaselDoesNotRebuildANewerLibrary(t *testing.T) {
	dir, want := written(t)
	f, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_RDWR, 0o600)
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	j := &journal{disk: disk.Real{}, file: f, size: info.Size()}
	if _, err := j.append([][]byte{fmt.Appendf(nil, `{"at":1,"schema":%d}`, len(migrations)+1), []byte(`{"at":2,"news":{}}`)}, true); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, j.close())
	journal := read(t, filepath.Join(dir, journalFile))
	remove(t, filepath.Join(dir, databaseFile))
	for range 2 {
		if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrNewer) {
			t.Errorf("got %v", err)
		}
	}
	if read(t, filepath.Join(dir, journalFile)) != journal {
		t.Error("the journal was changed")
	}
	// The newer Easel rebuilds it. Here, it is this one and a journal without the news.
	require.NoError(t, os.WriteFile(filepath.Join(dir, journalFile), []byte(journal[:info.Size()]), 0o600))
	sameLibrary(t, open(t, dir, Options{}), want)
}

// TestAnUpgradeThatSQLiteHasOnlyInItsLogIsSeen covers a newer Easel that was killed before
// the version reached the file.
func TestAnUpgradeThatSQLiteHasOnlyInItsLogIsSeen(t *testing.T) {
	dir, _ := written(t)
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, databaseFile)))
	require.NoError(t, err)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("pragma user_version = %d", len(migrations)+1)); err != nil {
		t.Fatal(err)
	}
	killed := t.TempDir()
	require.NoError(t, os.CopyFS(killed, os.DirFS(dir)))
	if info, err := os.Stat(filepath.Join(killed, databaseFile+"-wal")); err != nil || info.Size() == 0 {
		t.Fatalf("it is not in the log: %v", err)
	}
	if _, err := Open(t.Context(), killed, Options{}); !errors.Is(err, ErrNewer) {
		t.Errorf("got %v", err)
	}
	if read(t, filepath.Join(killed, journalFile)) != read(t, filepath.Join(dir, journalFile)) {
		t.Error("the journal was changed")
	}
}
