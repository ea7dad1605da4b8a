package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// refuseSchema returns ErrNewer for a schema that this Easel does not know.
func refuseSchema(version int) error {
	if version <= len(migrations) {
		return nil
	}
	return fmt.Errorf("%w (its schema is %d; this one knows %d). Nothing was changed. "+
		"Install the newer version again; docs/files.md describes how to go back", ErrNewer, version, len(migrations))
}

// migrate upgrades the database to the newest version. A process that dies leaves the old
// version or the new one. An existing library is copied first. The journal then says that
// later records may have kinds and fields that an older Easel does not know: it stops
// there if it has to rebuild the database.
func (l *Library) migrate(ctx context.Context, c *sql.Conn) error {
	var version int
	if err := c.QueryRowContext(ctx, "pragma user_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if err := refuseSchema(version); err != nil || version == len(migrations) {
		return err
	}
	if version > 0 {
		l.step("copy")
		if err := l.keepPrevious(ctx, c); err != nil {
			return fmt.Errorf("copy the library before the update: %w", err)
		}
		l.step("journal")
		line := fmt.Appendf(nil, `{"at":%d,"schema":%d}`, l.now().UnixNano(), len(migrations))
		if _, err := l.journal.append([][]byte{line}, true); err != nil {
			return err
		}
	}
	l.step("change")
	steps := fmt.Sprintf("begin immediate;%s;pragma user_version = %d", strings.Join(migrations[version:], ";"), len(migrations))
	_, err := c.ExecContext(ctx, steps)
	if err == nil {
		l.step("commit")
		_, err = c.ExecContext(ctx, "commit")
	}
	if err != nil {
		_, _ = c.ExecContext(ctx, "rollback")
		return fmt.Errorf("bring the schema from version %d to %d: %w", version, len(migrations), err)
	}
	// Without this, the version would be in SQLite's log only, and refuseNewer of an older
	// Easel reads the file.
	if _, err := c.ExecContext(ctx, "pragma wal_checkpoint(truncate)"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if version > 0 {
		l.log.InfoContext(ctx, "library: the schema was upgraded", "from", version, "to", len(migrations), "copy", l.path(previousDir))
	}
	return nil
}

// keepPrevious copies the database and the journal to previousDir, in place of an earlier
// copy. Put in place of the files in use, they are the library as it was.
func (l *Library) keepPrevious(ctx context.Context, c *sql.Conn) error {
	dir := l.path(tempDir, previousDir)
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return err
	}
	database := filepath.Join(dir, databaseFile)
	if _, err := c.ExecContext(ctx, "vacuum into ?", database); err != nil {
		return err
	}
	onlyOurs(database)
	if err := l.copyJournal(filepath.Join(dir, journalFile)); err != nil {
		return asFull(err)
	}
	f, err := os.OpenFile(database, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(l.disk.Sync(f), f.Close(), l.disk.SyncDir(dir), os.RemoveAll(l.path(previousDir))); err != nil {
		return asFull(err)
	}
	return errors.Join(l.disk.Rename(dir, l.path(previousDir)), l.disk.SyncDir(l.dir))
}

// copyJournal copies the journal.
func (l *Library) copyJournal(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(l.journal.file, 0, l.journal.size))
	if err == nil {
		err = l.disk.Sync(f)
	}
	return errors.Join(err, f.Close())
}

func (l *Library) step(name string) {
	if l.opts.migrate != nil {
		l.opts.migrate(name)
	}
}
