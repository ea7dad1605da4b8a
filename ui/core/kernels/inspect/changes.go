package inspect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What is read at most of changed files. Of more, no hash is known.
const (
	mostChanged      = 500
	mostChangedBytes = 32 << 20
)

// hashChanges returns a hash of what differs from the commit in the files that git knows: of the
// entries of git status, which have the hashes of what is staged, and of the contents of the files.
// It starts no program. It returns "" if that is too much to read. top is the repository's root.
func hashChanges(ctx context.Context, top string, entries []string) string {
	if top == "" || len(entries) > mostChanged {
		return ""
	}
	h, left := sha256.New(), int64(mostChangedBytes)
	for _, entry := range entries {
		_, _ = fmt.Fprintf(h, "%q\n", entry) // a hash never fails
		name := changedFile(entry)
		if name == "" {
			continue
		}
		if left = addFile(h, filepath.Join(top, filepath.FromSlash(name)), left); left < 0 || ctx.Err() != nil {
			return ""
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// topOf returns the root of the repository that a directory is in; "" if it is elsewhere ($GIT_DIR).
func topOf(directory string) string {
	for top := directory; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top
		}
		if top == filepath.Dir(top) {
			return ""
		}
	}
}

// isNotebook reports whether an entry of git status is a notebook, or the checkpoint that Jupyter keeps of it.
func isNotebook(top, entry, notebook string) bool {
	name := changedFile(entry)
	if top == "" || name == "" || notebook == "" {
		return false
	}
	dir, file := filepath.Split(notebook)
	extension := filepath.Ext(file)
	checkpoint := filepath.Join(dir, ".ipynb_checkpoints", strings.TrimSuffix(file, extension)+"-checkpoint"+extension)
	info, err := os.Stat(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]string{notebook, checkpoint}, func(path string) bool {
		own, err := os.Stat(path)
		return err == nil && os.SameFile(info, own)
	})
}

// changedFile returns the path in an entry of "git status --porcelain=v2 -z"; "" if it has none of a
// file that is there, as the second entry of a renaming.
func changedFile(entry string) string {
	fields := map[byte]int{'1': 9, '2': 10, 'u': 11}
	if len(entry) < 2 || entry[1] != ' ' || fields[entry[0]] == 0 {
		return ""
	}
	parts := strings.SplitN(entry, " ", fields[entry[0]])
	if len(parts) < fields[entry[0]] {
		return ""
	}
	return parts[len(parts)-1]
}

// addFile adds a regular file's content to a hash, or what is known of another one. It returns how
// many bytes may still be read; less than 0 if there were more.
func addFile(h io.Writer, path string, left int64) int64 {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return left // it was deleted, as the entry says
	case info.Mode()&os.ModeSymlink != 0:
		target, _ := os.Readlink(path)
		_, _ = fmt.Fprintf(h, "%q\n", target)
		return left
	case !info.Mode().IsRegular():
		return left
	case info.Size() > left:
		return -1
	}
	f, err := os.Open(path)
	if err != nil {
		return left
	}
	defer f.Close()                               //nolint:errcheck // it was only read
	n, _ := io.Copy(h, io.LimitReader(f, left+1)) // it may grow
	return left - n
}
