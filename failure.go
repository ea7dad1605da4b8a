//go:build !headless

package main

import (
	"errors"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/core/settings"
	"easel/ui/window/desktop"
	"easel/ui/window/i18n"
	"easel/ui/window/theme"
)

// explain shows a window that says why Easel cannot start, if the reason is one that a user
// meets: the library is of a newer version. Whoever starts Easel from a menu sees no
// terminal.
func explain(o settings.Options, err error) {
	if !errors.Is(err, library.ErrNewer) || o.Headless || heard() || !desktop.Here().Exists() {
		return
	}
	words := i18n.New(o.Lang)
	desktop.MakeCache(appID)
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Easel", Version: version, Migrations: map[string]bool{"fyneDo": true}})
	a := app.NewWithID(appID)
	a.Settings().SetTheme(theme.New("system"))
	w := a.NewWindow("Easel")
	text := widget.NewLabel(words.T("start.newer"))
	text.Wrapping = fyne.TextWrapWord
	quit := widget.NewButton(words.T("confirm.quit_yes"), w.Close)
	quit.Importance = widget.HighImportance
	w.SetContent(container.NewPadded(container.NewBorder(nil, container.NewHBox(layout.NewSpacer(), quit), nil, nil, text)))
	w.Resize(fyne.NewSize(460, 200))
	w.CenterOnScreen()
	w.ShowAndRun()
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
