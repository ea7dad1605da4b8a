package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/i18n"
	"easel/ui/window/theme"
)

// ShowNewer shows a window that says that a newer version of Easel has written the library.
// It runs the app until the user closes the window.
func ShowNewer(a fyne.App, lang string) {
	words := i18n.New(lang)
	a.Settings().SetTheme(theme.New("system"))
	w := a.NewWindow("Easel")
	text := widget.NewLabel(words.T("start.newer"))
	text.Wrapping = fyne.TextWrapWord
	quit := widget.NewButton(words.T("confirm.quit_yes"), w.Close)
	quit.Importance = widget.HighImportance
	w.SetContent(container.NewPadded(container.NewBorder(nil, container.NewBorder(nil, nil, nil, quit), nil, nil, text)))
	w.Resize(fyne.NewSize(460, 200))
	w.CenterOnScreen()
	w.ShowAndRun()
}
