//go:build !headless

package main

import (
	"errors"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"easel/ui/core/library"
	"easel/ui/core/settings"
	"easel/ui/window"
	"easel/ui/window/desktop"
)

// explain shows a window that says why Easel cannot start, if the reason is one that a user
// meets: the library is of a newer version. Whoever starts Easel from a menu sees no
// terminal.
func explain(o settings.Options, err error) {
	if !errors.Is(err, library.ErrNewer) || o.Headless || heard() || !desktop.Here().Exists() {
		return
	}
	desktop.MakeCache(appID)
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Easel", Version: version, Migrations: map[string]bool{"fyneDo": true}})
	window.ShowNewer(app.NewWithID(appID), o.Lang)
}

// heard reports whether somebody reads the standard error: a terminal, or the bridge, which
// has started this Easel with a file and passes the error to its client.
func heard() bool {
	info, err := os.Stderr.Stat()
	if err != nil {
		return false // a program from the Start menu of Windows has none
	}
	null, err := os.Stat(os.DevNull)
	return info.Mode().IsRegular() || info.Mode()&os.ModeCharDevice != 0 && (err != nil || !os.SameFile(info, null))
}
