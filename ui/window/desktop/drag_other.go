//go:build !linux && !freebsd && !openbsd && !netbsd

package desktop

import (
	"context"
	"errors"
)

// Drag is not supported here.
func Drag(context.Context, uintptr, []string, []byte) (dropped bool, err error) {
	return false, errors.ErrUnsupported
}
