//go:build darwin && !cgo

package tray

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// A menu needs cgo on macOS; without it this package can only be compiled.
type menu struct{}

func newMenu(_ *Tray, app desktop.App, first view) *menu {
	app.SetSystemTrayIcon(fyne.NewStaticResource(first.mood.icon()))
	return &menu{}
}

func (*menu) build()             {}
func (*menu) apply(view)         {}
func (*menu) stops(rowID) string { return "" }
func (*menu) close()             {}
