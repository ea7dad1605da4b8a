package gallery

import (
	"image/color"

	"easel/mcphost/catalog"
	"easel/ui/window/kit"
)

// CheckIcon returns the icon and the colour for the status of a check of a plot.
func CheckIcon(k *kit.Kit, status string) (icon string, ink color.NRGBA) {
	switch status {
	case catalog.CheckReproduced:
		return "check", k.P.Good
	case catalog.CheckDifferent:
		return "diff", k.P.Warn
	default:
		return "warning", k.P.Bad
	}
}
