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
func (s *store) migrate(ctx context.Context, c *sql.Conn) error {
	var version int
	if err := c.QueryRowContext(ctx, "pragma user_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if err := refuseSchema(version); err != nil || version == len(migrations) {
		return err
	}
	if version > 0 {
		s.step("copy")
		if err := s.keepPrevious(ctx, c); err != nil {
			return fmt.Errorf("copy the library before the update: %w", err)
		}
		s.step("journal")
		line := fmt.Appendf(nil, `{"at":%d,"schema":%d}`, s.now().UnixNano(), len(migrations))
		if _, err := s.journal.append([][]byte{line}, true); err != nil {
			return err
		}
	}
	s.step("change")
	steps := fmt.Sprintf("begin immediate;%s;pragma user_version = %d", strings.Join(migrations[version:], ";"), len(migrations))
	_, err := c.ExecContext(ctx, steps)
	if err == nil {
		s.step("commit")
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
		s.log.InfoContext(ctx, "library: the schema was upgraded", "from", version, "to", len(migrations), "copy", s.path(previousDir))
	}
	return nil
}

// keepPrevious copies the database and the journal to previousDir, in place of an earlier
// copy. Put in place of the files in use, they are the library as it was.
func (s *store) keepPrevious(ctx context.Context, c *sql.Conn) error {
	dir := s.path(tempDir, previousDir)
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return err
	}
	database := filepath.Join(dir, databaseFile)
	if _, err := c.ExecContext(ctx, "vacuum into ?", database); err != nil {
		return err
	}
	onlyOurs(database)
	if err := s.copyJournal(filepath.Join(dir, journalFile)); err != nil {
		return asFull(err)
	}
	f, err := os.OpenFile(database, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(s.disk.Sync(f), f.Close(), s.disk.SyncDir(dir), os.RemoveAll(s.path(previousDir))); err != nil {
		return asFull(err)
	}
	return errors.Join(s.disk.Rename(dir, s.path(previousDir)), s.disk.SyncDir(s.dir))
}

// copyJournal copies the journal.
func (s *store) copyJournal(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(s.journal.file, 0, s.journal.size))
	if err == nil {
		err = s.disk.Sync(f)
	}
	return errors.Join(err, f.Close())
}

func (s *store) step(name string) {
	if s.opts.migrate != nil {
		s.opts.migrate(name)
	}
}
