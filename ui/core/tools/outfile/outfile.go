// Package outfile writes the files that the user or a caller names: their extensions, their
// names, and the errors of the disk.
//
// # Goroutines
//
// It has no state, and its functions may be called from any goroutine.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/internal/truncate"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// endings lists the file name extensions of each type; Easel writes the first.
var endings = map[string][]string{
	picture.PNG: {".png"}, picture.JPEG: {".jpg", ".jpeg", ".jpe", ".jfif"}, picture.GIF: {".gif"}, picture.WebP: {".webp"},
	picture.SVG: {".svg"}, "text/csv": {".csv"},
}

// endingsOf returns the extensions that select a form.
func endingsOf(f library.StoredForm) []string {
	if e := endings[f.MIME]; len(e) > 0 {
		return e
	}
	return []string{picture.DataEnding(f.MIME, f.Path)}
}

func endsIn(path, ending string) bool {
	return ending != "" && strings.HasSuffix(strings.ToLower(path), ending)
}

// Ending returns the extension of a file of type mime. path is that of the stored file, which
// decides the extension of data.
func Ending(mime, path string) string {
	if e := endings[mime]; len(e) > 0 {
		return e[0]
	}
	return picture.DataEnding(mime, path)
}

// WithEnding returns path with an extension for the type mime, adding one if path has none
// that fits. kept is the path of the stored file, which decides the extension of data.
func WithEnding(path, mime, kept string) string {
	known := endings[mime]
	if len(known) == 0 { // data, for which .json is correct as well
		known = []string{Ending(mime, kept), filepath.Ext(Ending(mime, kept))}
	}
	for _, e := range known {
		if endsIn(path, e) {
			return path
		}
	}
	return path + Ending(mime, kept)
}

// longestName is the largest length of a generated name without its extension, in bytes.
const longestName = 120

// Name returns a name for an image, without extension, that is valid on every file
// system.
func Name(im library.Image) string {
	name := im.Title
	if im.SessionID == "" { // a file on disk, whose title is its file name
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) || r == unicode.ReplacementChar {
			return '-'
		}
		return r
	}, name)
	name = strings.Trim(truncate.Bytes(name, longestName), " .")
	switch strings.ToUpper(name) {
	case "":
		return fmt.Sprintf("plot %d", im.N)
	case "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "LPT1", "LPT2", "LPT3": // Windows' devices
		return name + "-"
	}
	return name
}

// WriteNew writes data to a new file in dir. If the name exists, it adds a number. It
// returns the path of the file.
func WriteNew(dir, name, ending string, data []byte) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+ending)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s (%d)%s", name, n, ending))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the user's file, as the umask has it
		if errors.Is(err, fs.ErrExist) && n < 10_000 {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, Finish(f, data)
	}
}

// Finish writes and syncs a new file, and removes it after an error.
func Finish(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return atomicfile.SyncDir(filepath.Dir(f.Name()))
}

// CannotWrite returns the error for a file that could not be written.
func CannotWrite(to string, err error) error {
	switch {
	case system.IsDiskFull(err):
		return &tool.Error{Code: tool.StorageFull, Detail: fmt.Sprintf("The disk of %q is full.", to), Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &tool.Error{
			Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no folder for %q.", to),
			Hint: "Make the folder first, or choose one that exists.", Err: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return &tool.Error{
			Code: tool.NotExecutable, Detail: fmt.Sprintf("Easel may not write to %q.", to), Hint: "Choose another folder.",
			Err: err,
		}
	default:
		return fmt.Errorf("saving to %s: %w", to, err)
	}
}

// Replace writes a file, and returns its path and size. An error of write changes nothing.
func Replace(to string, write func(io.Writer) error) (out command.ExportOut, err error) {
	// 24 hours after the last write, it is certainly left from a crash.
	atomicfile.Sweep(filepath.Dir(to), time.Now().Add(-24*time.Hour))
	if err := atomicfile.WriteFunc(to, 0o666, write); err != nil {
		if OfDisk(err) {
			err = CannotWrite(to, err)
		}
		return out, err
	}
	info, err := os.Stat(to)
	if err != nil {
		return out, CannotWrite(to, err)
	}
	return command.ExportOut{Path: to, Bytes: info.Size()}, nil
}

// OfDisk reports whether an error is one of the file system.
func OfDisk(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	_, call := errors.AsType[*os.SyscallError](err)
	_, number := errors.AsType[syscall.Errno](err)
	return path || link || call || number
}

// Form returns the type of the form of im that matches the extension of path, or the type
// of the image itself if no form does.
func Form(im library.Image, path string) string {
	for _, f := range im.Forms {
		for _, e := range endingsOf(f) {
			if endsIn(path, e) {
				return f.MIME
			}
		}
	}
	return im.MIMEType
}
