package browser

import _ "embed"

// The scripts that run in a page beside the figure's own.
var (
	//go:embed pages/calm.js
	calmScript string
	//go:embed pages/measure.js
	measureScript string
	//go:embed pages/title.js
	titleScript string
)
