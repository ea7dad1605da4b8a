package doctor

import (
	"context"
	"strings"

	"easel/jupyter/managed"
	"easel/ui/core/render/browser"
)

// checkFigures looks for the engines that draw figures without a picture.
func checkFigures(_ context.Context, p *patient) []reportLine {
	_, err := browser.Find("")
	found := figureFindings(managed.Python(p.DataDir) != "", err == nil)
	if p.JupyterURL != "" {
		found[0].todo = strings.Replace(found[0].todo, "start Easel once", "start Easel once without --jupyter-url", 1)
	}
	return found
}

// figureFindings returns a finding about what can be drawn. python and web say whether Easel's
// own Python environment and a browser are installed.
func figureFindings(python, web bool) []reportLine {
	switch {
	case python && web:
		return []reportLine{{good, "Figures", "figures that come without a picture are drawn: Vega charts and SVG with vl-convert, Plotly, Bokeh and other HTML with a browser", ""}}
	case web:
		return []reportLine{{good, "Figures", "figures that come without a picture are drawn with a browser", ""}}
	case python:
		return []reportLine{{
			mind, "Figures", "Vega charts and SVG are drawn; Plotly, Bokeh and other HTML figures are not: no Chrome, Edge or Chromium was found",
			"Install Chrome, Edge or Chromium.",
		}}
	}
	return []reportLine{{
		mind, "Figures", "figures that come without a picture are not drawn: this needs Chrome, Edge or Chromium, or, for Vega charts, the environment of Easel's own Jupyter",
		"Install Chrome, Edge or Chromium, or start Easel once.",
	}}
}
