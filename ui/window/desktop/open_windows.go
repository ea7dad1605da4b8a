package desktop

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
)

func open(address string) error { return launch("rundll32", "url.dll,FileProtocolHandler", address) }

func launchFile(path string) error { return open(path) }

// OpenWith opens a file with a program that the user chooses in the system's dialog.
func OpenWith(_ uintptr, file string) error {
	return launch("rundll32", "shell32.dll,OpenAs_RunDLL", filepath.Clean(file))
}

// Reveal selects a file in the Explorer.
func Reveal(path string) error {
	err := launch("explorer", "/select,"+filepath.Clean(path))
	if _, ran := errors.AsType[*exec.ExitError](err); ran {
		return nil // its exit status is 1 even if it succeeds
	}
	return err
}

// copyScript reads a picture from its standard input.
const copyScript = `$m = New-Object System.IO.MemoryStream
[Console]::OpenStandardInput().CopyTo($m)
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
[System.Windows.Forms.Clipboard]::SetImage([System.Drawing.Image]::FromStream($m))`

// A Clipboard copies pictures to the clipboard.
type Clipboard struct{}

// Close does nothing: the system stores what was copied.
func (*Clipboard) Close() {}

// CopyImage copies a picture, a PNG, to the clipboard.
func (*Clipboard) CopyImage(ctx context.Context, png []byte, _ string) error {
	if _, err := exec.LookPath("powershell"); err != nil {
		return ErrNoProgram
	}
	return feed(ctx, png, "powershell", "-NoProfile", "-NonInteractive", "-STA", "-Command", copyScript)
}
