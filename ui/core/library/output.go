package library

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

// MaxOutput is the largest size of a stored stream, in bytes.
const MaxOutput = 64 << 20

// outputs manages the files with the output of executions.
type outputs struct {
	locks [16]sync.Mutex // by execution: serialize appending and replacing
}

func (o *outputs) lock(id string) *sync.Mutex { return &o.locks[spread(id)%uint32(len(o.locks))] }

func spread(s string) (h uint32) {
	for i := range len(s) {
		h = h*31 + uint32(s[i])
	}
	return h
}

// outputPath returns the path of a stream's file.
func (l *Library) outputPath(id, stream string) (string, error) {
	if err := naming.CheckKey("execution", id); err != nil {
		return "", err
	}
	if stream != Stdout && stream != Stderr && stream != Displays && stream != Outputs {
		return "", fmt.Errorf("%w: stream %.40q", ErrInvalid, stream)
	}
	return l.path(outputDir, fmt.Sprintf("%02x", spread(id)&0xff), id+"."+stream), nil
}

// OutputFile returns the path of the file of a stream, or "" if there is none.
func (l *Library) OutputFile(execID, stream string) string {
	path, err := l.outputPath(execID, stream)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// AppendOutput appends text to a stream of an execution. After an error, nothing is
// appended, with one exception: if the stream would exceed MaxOutput, AppendOutput
// appends as much as fits and returns ErrOutputLimit.
func (l *Library) AppendOutput(ctx context.Context, execID, stream string, text []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := l.outputPath(execID, stream)
	if err != nil {
		return err
	}
	m := l.output.lock(execID)
	m.Lock()
	defer m.Unlock()
	f, err := openOutput(path)
	if err != nil {
		return fmt.Errorf("output of %s: %w", execID, asFull(err))
	}
	err = l.appendTo(f, text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("output of %s: %w", execID, asFull(err))
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

func (l *Library) appendTo(f *os.File, text []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	room := max(0, MaxOutput-size)
	full := int64(len(text)) > room
	if full {
		text = text[:room]
	}
	if _, err := l.disk.Write(f, text); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	if full {
		return ErrOutputLimit
	}
	return nil
}

// ReplaceOutput replaces a whole stream by text, as clear_output requires.
func (l *Library) ReplaceOutput(ctx context.Context, execID, stream string, text []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := l.outputPath(execID, stream)
	if err != nil {
		return err
	}
	full := len(text) > MaxOutput
	if full {
		text = text[:MaxOutput]
	}
	m := l.output.lock(execID)
	m.Lock()
	defer m.Unlock()
	if err := l.replaceFile(path, text); err != nil {
		return fmt.Errorf("output of %s: %w", execID, err)
	}
	if full {
		return ErrOutputLimit
	}
	return nil
}

// replaceFile does what writeFile does, but restores the former file, or none, after an
// error: syncing the directory may fail after the new file is in place.
func (l *Library) replaceFile(path string, data []byte) error {
	former := l.path(tempDir, filepath.Base(path)+".former")
	_ = system.Remove(former) // left by a crash
	linked := os.Link(path, former)
	err := l.writer().WriteFile(path, data)
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

// ReadOutput reads at most limit bytes (0: all) of a stream from an offset on, and
// returns the size of the stream. A stream without output is empty.
func (l *Library) ReadOutput(ctx context.Context, execID, stream string, from int64, limit int) (text []byte, total int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	path, err := l.outputPath(execID, stream)
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

// ends returns the first and the last n bytes of a stream.
func (o *outputs) ends(l *Library, id, stream string, n int) (head, tail string, err error) {
	path, err := l.outputPath(id, stream)
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
