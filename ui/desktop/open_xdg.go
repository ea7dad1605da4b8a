//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// busTime bounds what is asked of other programs by the session bus. One that has
// to start first takes a while.
const busTime = 5 * time.Second

func open(address string) error { return launch("xdg-open", address) }

func launchFile(path string) error { return launch("xdg-open", path) }

// Reveal shows a file in the file manager: selected in its folder where the file
// manager can be asked for that, else the folder.
func Reveal(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), busTime)
	defer cancel()
	if showItem(ctx, path) == nil {
		return nil
	}
	return launch("xdg-open", filepath.Dir(path))
}

func showItem(ctx context.Context, path string) error {
	conn, err := SessionBus(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing is lost with it
	file := url.URL{Scheme: "file", Path: path}
	return conn.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1").
		CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{file.String()}, "").Err
}

// CopyImage puts a picture on the clipboard. A clipboard of X11 or Wayland is a
// program that stays and hands the picture out: wl-copy, or xclip. Without them the
// error is ErrNoProgram.
func CopyImage(ctx context.Context, mime string, picture []byte) error {
	for _, with := range [][]string{
		{"WAYLAND_DISPLAY", "wl-copy", "--type", mime},
		{"DISPLAY", "xclip", "-selection", "clipboard", "-t", mime, "-i"},
	} {
		if os.Getenv(with[0]) == "" {
			continue
		}
		if _, err := exec.LookPath(with[1]); err == nil {
			return feed(ctx, picture, with[1], with[2:]...)
		}
	}
	return ErrNoProgram
}
