package brief

import (
	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

func checkReproducibilityOut(o catalog.CheckReproducibilityOut) any {
	if o.Cell != nil && o.Cell.Error != nil {
		cell, failure := *o.Cell, *o.Cell.Error
		failure.Traceback = truncate.Middle(Traceback(failure.Traceback), mostTraceback)
		cell.Error, o.Cell = &failure, &cell
	}
	return o
}
