package browser

import _ "embed"

// Scripts that run in a figure's page.
var (
	//go:embed pages/bokeh.js
	bokehScript string
	//go:embed pages/calm.js
	calmScript string
	//go:embed pages/drawn.js
	drawnScript string
	//go:embed pages/measure.js
	measureScript string
	//go:embed pages/title.js
	titleScript string
)
