package desktop

import (
	"context"
	"errors"
	"os"
)

func open(address string) error { return launch("open", address) }

func launchFile(path string) error { return launch("open", path) }

// OpenWith opens a file with a program that the user chooses in the system's dialog. A user who
// cancels is no error.
func OpenWith(_ uintptr, file string) error {
	const script = `on run argv
try
set p to choose application as alias
on error number -128
return
end try
do shell script "open -a " & quoted form of (POSIX path of p) & " " & quoted form of (item 1 of argv)
end run`
	return launch("osascript", "-e", script, file)
}

// Reveal selects a file in the Finder.
func Reveal(path string) error { return launch("open", "-R", path) }

// A Clipboard copies pictures to the clipboard.
type Clipboard struct{}

// Close does nothing: the system stores what was copied.
func (*Clipboard) Close() {}

// CopyImage copies a picture, a PNG, to the clipboard.
func (*Clipboard) CopyImage(ctx context.Context, png []byte, _ string) (err error) {
	f, err := os.CreateTemp("", "easel-clipboard-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.Write(png)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	script := `on run argv
set the clipboard to (read (POSIX file (item 1 of argv)) as «class PNGf»)
end run`
	return feed(ctx, nil, "osascript", "-e", script, f.Name())
}
