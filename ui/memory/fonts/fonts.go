// Package fonts lets go of the fonts that Fyne has read: some thirty megabytes, which a
// hidden window does not need. Whatever is drawn or measured next reads them again.
//
// # Goroutines
//
// It has none. Drop is called on the UI goroutine, as Fyne's own call of the same is.
package fonts

import _ "unsafe" // for go:linkname

// Drop is ClearFontCache of Fyne's internal/painter (2.8). Fyne calls it when its settings
// change, and then draws every window anew; there is no public way to it. Should it go, the
// build says so.
//
//go:linkname Drop fyne.io/fyne/v2/internal/painter.ClearFontCache
func Drop()
