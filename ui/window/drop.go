package window

import (
	"context"
	"os"

	"fyne.io/fyne/v2"
)

// dropped opens the project of a folder that the user drops on the window. Easel itself lets
// the user drag files of plots, which are ignored.
func (a *App) dropped(_ fyne.Position, dropped []fyne.URI) {
	for _, u := range dropped {
		if u.Scheme() != "file" {
			continue
		}
		path, folder := u.Path(), false
		a.requests.Background("drop", func(context.Context) error {
			info, err := os.Stat(path)
			folder = err == nil && info.IsDir()
			return nil
		}, func() {
			if folder {
				a.projects.Open(path)
			}
		})
		return
	}
}
