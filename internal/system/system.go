// Package system hides the differences between operating systems that several packages
// meet: what an error of the file system means, files that other programs have open, who may read
// a file, and what processes and sockets there are.
//
// # Goroutines
//
// None. Any goroutine may call these functions. On Windows, those that meet a file in use
// wait up to two seconds for it.
package system

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// IsDiskFull reports whether err means that the disk or the user's quota is full.
func IsDiskFull(err error) bool { return isAny(err, diskFull) }

// IsReadOnly reports whether err means that the disk is read-only.
func IsReadOnly(err error) bool { return isAny(err, readOnly) }

// IsPortTaken reports whether err means that a port cannot be used, because another
// program has it or because the system reserves it.
func IsPortTaken(err error) bool { return isAny(err, portTaken) }

// Rename is [os.Rename]. On Windows, a file that somebody reads cannot be replaced, so
// Rename tries again for two seconds.
func Rename(from, to string) error {
	return patiently(to, func() error { return os.Rename(from, to) })
}

// Remove is [os.Remove], and tries again as Rename does.
func Remove(path string) error {
	return patiently(path, func() error { return os.Remove(path) })
}

// ReadFile is [os.ReadFile]. On Windows, a file that is just being replaced cannot be
// opened, so ReadFile tries again as Rename does.
func ReadFile(path string) (text []byte, err error) {
	err = patiently(path, func() error {
		text, err = os.ReadFile(path)
		return err
	})
	return text, err
}

// ErrNotRegular means that a path leads to a directory, a pipe, a device or nowhere.
var ErrNotRegular = errors.New("it is not a regular file")

// ReadRegular reads a file of at most limit bytes. It does not open anything that is no
// regular file, such as a pipe, which could block for good. A link that leads nowhere is no
// missing file. Additional error: ErrNotRegular.
func ReadRegular(path string, limit int64) (text []byte, err error) {
	err = patiently(path, func() error {
		text, err = readRegular(path, limit)
		return err
	})
	return text, err
}

func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s: %w: the link leads nowhere", path, ErrNotRegular)
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	f, err := openNow(path) // it may be replaced by a pipe now
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes; at most %d", path, info.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// ErrNotPrivate means that a file is not an ordinary one of the user's that nobody else
// can change.
var ErrNotPrivate = errors.New("the file does not belong to the user alone")

// ReadPrivate reads a file of at most limit bytes that belongs to the user and that nobody
// else can change. It does not wait for a pipe. Additional error: ErrNotPrivate.
func ReadPrivate(path string, limit int64) ([]byte, error) {
	f, err := openNow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !OwnedByUser(path, info) || othersWrite(info) {
		return nil, fmt.Errorf("%s: %w", path, ErrNotPrivate)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes; at most %d", path, info.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
