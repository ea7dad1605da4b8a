package gallery

import (
	"fmt"
	"image/color"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// CellName returns what a notebook shows beside the cell that drew an image, as In [5]; "" if
// no cell is known.
func CellName(k *kit.Kit, im library.Image) string {
	switch c := im.Cell; {
	case c == nil:
		return ""
	case c.Count > 0:
		return fmt.Sprintf("In [%d]", c.Count)
	case c.Index != nil:
		return k.T("cell.number", *c.Index+1)
	default:
		return k.T("cell.unnumbered")
	}
}

// Stale says why an image is stale, in one word and in a sentence; both are "" if it is not.
func Stale(k *kit.Kit, im library.Image) (word, sentence string) {
	switch {
	case im.Cell == nil || im.Cell.Stale == "":
		return "", ""
	case im.Cell.Stale == catalog.StaleDeleted:
		return k.T("cell.deleted"), k.T("cell.deleted_text")
	default:
		return k.T("cell.changed"), k.T("cell.changed_text")
	}
}

// StaleIcon returns the icon and the colour for the reason why an image is stale.
func StaleIcon(k *kit.Kit, why string) (icon string, ink color.NRGBA) {
	if why == catalog.StaleDeleted {
		return "warning", k.P.Warn
	}
	return "edit", k.P.Warn
}
