// Package fonts releases the fonts that Fyne has loaded, about thirty megabytes, which
// a hidden window does not need. Fyne loads them again when it draws or measures text.
//
// # Goroutines
//
// It has none. Drop and Trim must be called on the UI goroutine, where Fyne measures and
// draws.
package fonts

import (
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/go-text/typesetting/fontscan"
	"github.com/go-text/typesetting/shaping"
)

// Trim releases the fonts that only the shaper still refers to. Whenever Fyne's settings
// change, Fyne empties the painter's cache and loads all fonts again. But the shaper, which
// lives as long as the program, keeps plans for every font that it has ever shaped, without
// a limit: some fifteen megabytes for each change of the theme.
func Trim() { *shaper = shaping.HarfbuzzShaper{} }

// Drop makes Fyne release the fonts that it has loaded. Three things refer to them: the
// painter's own cache, the shaper, and the map of the system's fonts.
func Drop() {
	clearFontCache()
	Trim()
	fontScanLock.Lock()
	defer fontScanLock.Unlock()
	fm, loaded = nil, false
}

// Fyne 2.8 exports none of these. If one of them is removed, the build fails.

// clearFontCache is what Fyne itself calls when its settings change.
//
//go:linkname clearFontCache fyne.io/fyne/v2/internal/painter.ClearFontCache
func clearFontCache()

//go:linkname shaper fyne.io/fyne/v2/internal/painter.shaper
var shaper *shaping.HarfbuzzShaper

//go:linkname fontScanLock fyne.io/fyne/v2/internal/painter.fontScanLock
var fontScanLock sync.Mutex

// fm is nil and loaded is false until a system font is needed.
//
//go:linkname fm fyne.io/fyne/v2/internal/painter.fm
var fm *fontscan.FontMap

//go:linkname loaded fyne.io/fyne/v2/internal/painter.loaded
var loaded bool
