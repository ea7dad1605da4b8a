package brief

import (
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func checkReproducibilityOut(o catalog.CheckReproducibilityOut) any {
	if o.Cell != nil && o.Cell.Error != nil {
		cell, failure := *o.Cell, *o.Cell.Error
		failure.Traceback = tool.Shorten(Traceback(failure.Traceback), mostTraceback)
		cell.Error, o.Cell = &failure, &cell
	}
	return o
}
