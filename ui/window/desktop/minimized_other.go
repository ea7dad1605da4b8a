//go:build !linux && !freebsd && !openbsd && !netbsd

package desktop

import (
	"context"

	"fyne.io/fyne/v2"
)

// WatchMinimized is nil: it is not known here.
func WatchMinimized(fyne.Window) func(ctx context.Context, changed func(minimized bool)) error {
	return nil
}
