package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/internal/system"
)

// isPath reports whether an argument names a file or directory instead of a command. A name without
// a slash is one if it is there, and no command has it.
func isPath(arg string) bool {
	if arg == "stdio" || slices.Contains(Commands, arg) {
		return false
	}
	if _, url := system.FilePath(arg); url || arg == "." || arg == ".." || arg == "~" || strings.ContainsFunc(arg, isSlash) {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}

func isSlash(r rune) bool { return r == '/' || r < 0x80 && os.IsPathSeparator(byte(r)) }

// shows sets what the app shows: a directory, or a file in one. Desktops pass URLs and, without a
// shell, also ~. A relative path starts at the working directory of this program, which that of a
// running Easel need not be.
func (o *Options) shows(arg string) error {
	path := arg
	if file, ok := system.FilePath(arg); ok {
		path = file
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || isSlash(rune(rest[0]))) {
		home, err := os.UserHomeDir()
		if err != nil {
			return usageError("%s: there is no home directory", arg)
		}
		path = filepath.Join(home, rest)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return usageError("there is no folder or picture %s", path)
	case err != nil:
		inner, why := (*fs.PathError)(nil), err
		if errors.As(err, &inner) {
			why = inner.Err
		}
		return usageError("%s cannot be opened: %s", path, why)
	}
	o.Open = path
	return nil
}
