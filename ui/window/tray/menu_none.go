//go:build darwin && !cgo

package tray

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// A menu requires cgo on macOS. Without cgo the package compiles, but the menu does
// nothing.
type menu struct{}

func newMenu(_ *Tray, app desktop.App, first view) *menu {
	app.SetSystemTrayIcon(fyne.NewStaticResource(first.mood.icon()))
	return &menu{}
}

func (*menu) build()             {}
func (*menu) apply(view)         {}
func (*menu) stops(rowID) string { return "" }
func (*menu) close()             {}
