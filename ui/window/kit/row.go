package kit

import "fyne.io/fyne/v2"

// PadRow is like NewRow, with space at both ends.
func PadRow(pad, gap float32, stretch int, os ...fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Objects: os, Layout: Row{Gap: gap, Stretch: stretch, Pad: pad}}
}
