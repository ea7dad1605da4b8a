//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"os"

	"github.com/rymdport/portal"
	"github.com/rymdport/portal/openuri"
)

// OpenWith opens a file with a program that the user chooses in the desktop's own dialog, which
// belongs to the window with this X11 id, or to none if it is 0. A desktop without such a dialog
// (org.freedesktop.portal.OpenURI) opens the file with its default program.
func OpenWith(window uintptr, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	parent := ""
	if window != 0 {
		parent = portal.FormatX11WindowHandle(window)
	}
	NoStrayBus()
	if openuri.OpenFile(parent, f.Fd(), &openuri.Options{Ask: true}) == nil {
		return nil
	}
	return launchFile(file)
}
