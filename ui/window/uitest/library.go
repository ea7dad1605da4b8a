package uitest

import (
	"image"
	"testing"

	"easel/ui/core/coretest"
)

// Start is [coretest.Start].
var Start = coretest.Start

// Library is [coretest.Library].
type Library = coretest.Library

// NewLibrary is [coretest.NewLibrary].
func NewLibrary(t testing.TB) *Library { return coretest.NewLibrary(t) }

// SessionID is [coretest.SessionID].
func SessionID(n int) string { return coretest.SessionID(n) }

// Plot is [coretest.Plot].
func Plot(n, w, h int) *image.RGBA { return coretest.Plot(n, w, h) }
