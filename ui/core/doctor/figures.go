package doctor

import (
	"context"

	"easel/jupyter/managed"
)

// checkFigures looks for what draws figures that come without a picture.
func checkFigures(_ context.Context, p *patient) []finding {
	if managed.Python(p.DataDir) == "" {
		return []finding{{
			mind, "Figures", "Vega charts that come without a picture are not drawn: this needs the environment of Easel's own Jupyter",
			"Start Easel once without --jupyter-url.",
		}}
	}
	return []finding{{good, "Figures", "Vega charts and SVG that come without a picture are drawn", ""}}
}
