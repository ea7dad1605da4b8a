package window

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/window/requests"
)

// openDropped returns what a window calls if something is dropped on it: it opens the project of
// a folder. Easel itself lets the user drag files of plots, which are ignored.
func openDropped(r *requests.Sender, open func(folder string)) func(fyne.Position, []fyne.URI) {
	return func(_ fyne.Position, dropped []fyne.URI) {
		i := slices.IndexFunc(dropped, func(u fyne.URI) bool { return u.Scheme() == "file" })
		if i < 0 {
			return
		}
		path, folder := filepath.FromSlash(dropped[i].Path()), false // a URI has slashes, on Windows, too
		r.Background("drop", func(context.Context) error {
			info, err := os.Stat(path)
			folder = err == nil && info.IsDir()
			return nil
		}, func() {
			if folder {
				open(path)
			}
		})
	}
}
