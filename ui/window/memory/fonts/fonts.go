// Package fonts lets go of the fonts that Fyne has read: some thirty megabytes, which a
// hidden window does not need. Whatever is drawn or measured next reads them again.
//
// # Goroutines
//
// It has none. Drop is called on the UI goroutine, where Fyne measures and draws.
package fonts

import (
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/go-text/typesetting/fontscan"
	"github.com/go-text/typesetting/shaping"
)

// Drop makes Fyne forget the fonts that it has read. Three things hold them: the
// painter's own cache, the shaper, and the map of the system's fonts.
func Drop() {
	clearFontCache()
	*shaper = shaping.HarfbuzzShaper{}
	fontScanLock.Lock()
	defer fontScanLock.Unlock()
	fm, loaded = nil, false
}

// Fyne 2.8 has no public way to these. If one of them goes, the build fails.

// clearFontCache is called by Fyne itself when its settings change.
//
//go:linkname clearFontCache fyne.io/fyne/v2/internal/painter.ClearFontCache
func clearFontCache()

//go:linkname shaper fyne.io/fyne/v2/internal/painter.shaper
var shaper *shaping.HarfbuzzShaper

//go:linkname fontScanLock fyne.io/fyne/v2/internal/painter.fontScanLock
var fontScanLock sync.Mutex

// fm is nil and loaded false until a font of the system is wanted.
//
//go:linkname fm fyne.io/fyne/v2/internal/painter.fm
var fm *fontscan.FontMap

//go:linkname loaded fyne.io/fyne/v2/internal/painter.loaded
var loaded bool
