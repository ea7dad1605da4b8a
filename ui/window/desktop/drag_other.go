//go:build !linux && !freebsd && !openbsd && !netbsd

package desktop

import (
	"context"
	"errors"
)

// Drag is not supported here.
func Drag(context.Context, uintptr, func(context.Context) ([]string, []byte, error)) (dropped bool, err error) {
	return false, errors.ErrUnsupported
}
