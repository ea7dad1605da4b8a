//go:build !linux && !freebsd && !openbsd && !netbsd

package desktop

import "context"

// WatchMinimized returns nil: there is no X server to observe.
func WatchMinimized(context.Context, uintptr, func(minimized bool)) error { return nil }
