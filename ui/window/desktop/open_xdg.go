//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"net/url"
	"path/filepath"
	"time"
)

// busTime is the timeout for calls over the session bus. It allows for a program that
// must be started first.
const busTime = 5 * time.Second

func open(address string) error { return launch("xdg-open", address) }

func launchFile(path string) error { return launch("xdg-open", path) }

// Reveal selects a file in the file manager. If the file manager does not support that,
// it opens the file's folder.
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
