// Package output stores the output of executions: one file for each stream.
//
// # Durability
//
// When a method has returned nil, its change survives the death of the process. It survives a
// power failure when the system has written it.
//
// # Goroutines
//
// The package starts none. Files is safe for concurrent use.
package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"easel/internal/system"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/naming"
)

// The streams of an execution.
const (
	Stdout = "stdout"
	Stderr = "stderr"
	// Displays are the outputs other than pictures and text, one line of JSON each, in
	// the format of nbformat 4.
	Displays = "displays"
	// Outputs is the order of everything that was displayed; see outputlog.
	Outputs = "outputs"
)

// MaxBytes is the largest size of a stored stream, in bytes.
const MaxBytes = 64 << 20

// ErrLimit is returned by Append and Replace when a stream has reached MaxBytes.
var ErrLimit = errors.New("output limit reached")

// Files are the files with the output of executions. Create them with New.
type Files struct {
	dir    string
	writer disk.Writer
	locks  [16]sync.Mutex // by execution: serialize appending and replacing
}

// New returns the output in a directory.
func New(dir string, w disk.Writer) *Files { return &Files{dir: dir, writer: w} }

func (o *Files) lock(id string) *sync.Mutex { return &o.locks[naming.Spread(id)%uint32(len(o.locks))] }

// Path returns where the file of a stream is, or will be.
func (o *Files) Path(id, stream string) (string, error) {
	if err := naming.CheckKey("execution", id); err != nil {
		return "", err
	}
	if stream != Stdout && stream != Stderr && stream != Displays && stream != Outputs {
		return "", fmt.Errorf("%w: stream %.40q", naming.ErrInvalid, stream)
	}
	return filepath.Join(o.dir, fmt.Sprintf("%02x", naming.Spread(id)&0xff), id+"."+stream), nil
}

// File returns the path of the file of a stream, or "" if there is none.
func (o *Files) File(execID, stream string) string {
	path, err := o.Path(execID, stream)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Append appends text to a stream of an execution. After an error, nothing is
// appended, with one exception: if the stream would exceed MaxBytes, Append
// appends as much as fits and returns ErrLimit.
func (o *Files) Append(ctx context.Context, execID, stream string, text []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := o.Path(execID, stream)
	if err != nil {
		return err
	}
	m := o.lock(execID)
	m.Lock()
	defer m.Unlock()
	f, err := openOutput(path)
	if err != nil {
		return fmt.Errorf("output of %s: %w", execID, disk.Full(err))
	}
	err = o.appendTo(f, text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("output of %s: %w", execID, disk.Full(err))
	}
	return nil
}

func openOutput(path string) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return os.OpenFile(path, flags, 0o600)
	}
	return f, err
}

func (o *Files) appendTo(f *os.File, text []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	room := max(0, MaxBytes-size)
	full := int64(len(text)) > room
	if full {
		text = text[:room]
	}
	if _, err := o.writer.Write(f, text); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	if full {
		return ErrLimit
	}
	return nil
}

// Replace replaces a whole stream by text, as clear_output requires.
func (o *Files) Replace(ctx context.Context, execID, stream string, text []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := o.Path(execID, stream)
	if err != nil {
		return err
	}
	full := len(text) > MaxBytes
	if full {
		text = text[:MaxBytes]
	}
	m := o.lock(execID)
	m.Lock()
	defer m.Unlock()
	if err := o.replaceFile(path, text); err != nil {
		return fmt.Errorf("output of %s: %w", execID, err)
	}
	if full {
		return ErrLimit
	}
	return nil
}

// replaceFile does what writeFile does, but restores the former file, or none, after an
// error: syncing the directory may fail after the new file is in place.
func (o *Files) replaceFile(path string, data []byte) error {
	former := filepath.Join(o.writer.Temp, filepath.Base(path)+".former")
	_ = system.Remove(former) // left by a crash
	linked := os.Link(path, former)
	err := o.writer.WriteFile(path, data)
	switch {
	case err != nil && linked == nil:
		_ = system.Rename(former, path) // no effect if the new file is not in place
	case err != nil && errors.Is(linked, os.ErrNotExist):
		_ = system.Remove(path)
	}
	if linked == nil {
		_ = system.Remove(former)
	}
	return err
}

// Read reads at most limit bytes (0: all) of a stream from an offset on, and
// returns the size of the stream. A stream without output is empty.
func (o *Files) Read(ctx context.Context, execID, stream string, from int64, limit int) (text []byte, total int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	path, err := o.Path(execID, stream)
	if err != nil {
		return nil, 0, err
	}
	text, total, err = readPart(path, from, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("output of %s: %w", execID, err)
	}
	return text, total, nil
}

func readPart(path string, from int64, limit int) (text []byte, total int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	total = info.Size()
	from = min(max(from, 0), total)
	n := total - from
	if limit > 0 {
		n = min(n, int64(limit))
	}
	text = make([]byte, n)
	read, err := f.ReadAt(text, from)
	if errors.Is(err, io.EOF) {
		err = nil // replaced by a shorter stream meanwhile
	}
	return text[:read], total, err
}

// Ends returns the first and the last n bytes of a stream.
func (o *Files) Ends(id, stream string, n int) (head, tail string, err error) {
	path, err := o.Path(id, stream)
	if err != nil {
		return "", "", err
	}
	first, total, err := readPart(path, 0, n)
	if err != nil || total <= int64(n) {
		return string(first), "", err
	}
	last, _, err := readPart(path, max(int64(n), total-int64(n)), n)
	return strings.ToValidUTF8(string(first), ""), strings.ToValidUTF8(string(last), ""), err
}
