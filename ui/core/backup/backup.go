// Package backup writes a library to one file and merges such a file into a library, for the commands
// `easel library export` and `easel library import`.
//
// # Goroutines
//
// The package starts none. Its functions may be called from any goroutine.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/atomicfile"
	"easel/ui/core/library"
)

// unfinished ends the name of a file that is being written.
const unfinished = ".part"

// Export writes a library to a file that is not there yet, and returns a sentence that says what is in
// it. After an error, there is no file. easel is the version of this program.
func Export(ctx context.Context, l *library.Library, path, easel string, progress library.Progress) (string, error) {
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s already exists; give another name", path)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && within(l.Dir(), real) {
		return "", fmt.Errorf("%s is in the library itself; give another folder", path)
	}
	f, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	contents, err := l.Export(ctx, f, easel, progress)
	if err == nil {
		err = f.Sync()
	}
	info, failed := f.Stat()
	if err = errors.Join(err, failed, f.Close()); err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err != nil {
		return "", errors.Join(err, removed(path+unfinished))
	}
	text := fmt.Sprintf("Exported %s to %s (%s).", counts(contents.Records), path, size(info.Size()))
	if contents.Missing > 0 {
		text += fmt.Sprintf(" %d plots are left out, because their files are missing.", contents.Missing)
	}
	return text, atomicfile.SyncDir(filepath.Dir(path))
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Import merges a file that Export has written into a library, and returns sentences that say what was
// added. A file that is not whole changes nothing.
func Import(ctx context.Context, l *library.Library, path string, progress library.Progress) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", path)
	}
	got, err := l.Import(ctx, f, info.Size(), progress)
	switch {
	case errors.Is(err, library.ErrNoArchive), errors.Is(err, library.ErrNewerArchive):
		return "", fmt.Errorf("%s was not imported, and nothing was changed: %w", path, err)
	case err != nil && got.Added != (library.Counts{}):
		return "", fmt.Errorf("%s was imported in part: %s. Import it again to add the rest: %w", path, counts(got.Added), err)
	case err != nil:
		return "", fmt.Errorf("%s was not imported: %w", path, err)
	}
	text := fmt.Sprintf("Imported %s from %s.", counts(got.Added), path)
	if got.Present != (library.Counts{}) {
		text += fmt.Sprintf(" Already here, or newer here: %s.", counts(got.Present))
	}
	if got.Renamed > 0 {
		text += fmt.Sprintf(" %s got another ID, because other plots have theirs.", number(got.Renamed, "plot"))
	}
	return text, nil
}

// counts says how many records there are, without those of which there are none.
func counts(c library.Counts) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{
		{c.Images, "plot"},
		{c.Executions, "execution"},
		{c.Sessions, "session"},
		{c.Judgements, "plot with stars, tags or a note"},
		{c.Pictures, "picture on disk with stars or tags"},
		{c.Questions, "question"},
		{c.Checks, "check"},
	} {
		if x.n > 0 {
			parts = append(parts, number(x.n, x.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// number returns a number with a noun.
func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	first, rest, _ := strings.Cut(what, " ")
	if rest != "" {
		rest = " " + rest
	}
	return fmt.Sprintf("%d %ss%s", n, first, rest)
}

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d kB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%d MB", (bytes+1<<19)>>20)
}
