//go:build headless

package main

import (
	"context"
	"errors"
)

// hasWindow is false: the build tag headless leaves out everything that needs a display, so
// that the program needs no C compiler and no graphics library.
const hasWindow = false

// runWindow is never called, because nothing asks a build without a window for one.
func (*easel) runWindow(context.Context, bool, func()) error {
	return errors.New("this build of Easel has no window")
}
