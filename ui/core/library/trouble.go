package library

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"easel/ui/core/library/disk"
)

// noticed does what asFull does and remembers if the database is damaged.
func (s *store) noticed(err error) error {
	err = asFull(err)
	if errors.Is(err, errDatabase) && !s.suspect.Swap(true) {
		s.report(Damage{
			Kind: DamagedDatabase, Path: s.path(databaseFile),
			Detail: fmt.Sprintf("the database is damaged (%v); it is made anew from the journal at the next start", err),
		})
	}
	return err
}

// errDatabase is ErrDamaged for the database.
var errDatabase = fmt.Errorf("database %w", ErrDamaged)

// asFull wraps an error that means a full disk in ErrFull, and one that means a damaged
// database in ErrDamaged.
func asFull(err error) error {
	if err = disk.Full(err); errors.Is(err, ErrFull) {
		return err
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return fmt.Errorf("%w: %w", ErrFull, err)
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("%w: %w", errDatabase, err)
		}
	}
	return err
}
