//go:build !linux && !freebsd && !openbsd && !netbsd

package desktop

import (
	"context"

	"fyne.io/fyne/v2"
)

// WatchMinimized returns nil, because this cannot be observed.
func WatchMinimized(fyne.Window) func(ctx context.Context, changed func(minimized bool)) error {
	return nil
}
