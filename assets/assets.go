// Package assets holds what is compiled into the program besides code: icons and
// fonts.
//
// # Goroutines
//
// Everything here is immutable.
package assets

import (
	"embed"
	"fmt"
	"strings"
)

// FontJP is Noto Sans CJK JP (SIL OFL 1.1, see fonts/OFL.txt), an OpenType font
// with the Japanese characters of Windows-31J, a space, and no Latin: it is meant
// to stand beside another font. Its family is "Noto Sans CJK JP".
//
//go:embed fonts/NotoSansCJKjp-Regular-subset.otf
var FontJP []byte

// FontJPName is the file name under which FontJP is best written to disk.
const FontJPName = "NotoSansCJKjp-Regular-subset.otf"

// FontJPBold is the bold of FontJP.
//
//go:embed fonts/NotoSansCJKjp-Bold-subset.otf
var FontJPBold []byte

// FontJPMono is FontJP for code: two cells of DejaVu Sans Mono for each wide
// character.
//
//go:embed fonts/NotoSansCJKjp-Mono-subset.otf
var FontJPMono []byte

// AppIcon is the app's icon, a PNG of 256 pixels.
//
//go:embed easel-256.png
var AppIcon []byte

// The states of the tray icon, PNGs of 64 pixels. The state is a dot that idle
// lacks; a menu line says the same in words.
var (
	//go:embed tray-idle.png
	TrayIdle []byte
	//go:embed tray-running.png
	TrayRunning []byte
	//go:embed tray-attention.png
	TrayAttention []byte
	//go:embed tray-error.png
	TrayError []byte
)

// Licences are those of everything that is linked or embedded. scripts/licences
// writes them.
//
//go:embed licences.txt
var Licences string

//go:embed icons
var icons embed.FS

// Icon is a line icon of 24 units as SVG, drawn in colour (as "#1B1F27"). It
// panics if there is no icon of that name.
func Icon(name, colour string) []byte {
	svg, err := icons.ReadFile("icons/" + name + ".svg")
	if err != nil {
		panic(fmt.Sprintf("assets: no icon %q", name))
	}
	return []byte(strings.ReplaceAll(string(svg), "#000000", colour))
}
