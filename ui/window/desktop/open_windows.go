package desktop

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
)

func open(address string) error { return launch("rundll32", "url.dll,FileProtocolHandler", address) }

func launchFile(path string) error { return open(path) }

// Reveal shows a file, selected, in the Explorer.
func Reveal(path string) error {
	err := launch("explorer", "/select,"+filepath.Clean(path))
	if _, ran := errors.AsType[*exec.ExitError](err); ran {
		return nil // it ends with 1 also when all went well
	}
	return err
}

// copyScript reads a picture from its standard input.
const copyScript = `$m = New-Object System.IO.MemoryStream
[Console]::OpenStandardInput().CopyTo($m)
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
[System.Windows.Forms.Clipboard]::SetImage([System.Drawing.Image]::FromStream($m))`

// A Clipboard puts pictures on the clipboard.
type Clipboard struct{}

// Close does nothing: the system keeps what was copied.
func (*Clipboard) Close() {}

// CopyImage puts a picture on the clipboard.
func (*Clipboard) CopyImage(ctx context.Context, _ string, picture []byte) error {
	if _, err := exec.LookPath("powershell"); err != nil {
		return ErrNoProgram
	}
	return feed(ctx, picture, "powershell", "-NoProfile", "-NonInteractive", "-STA", "-Command", copyScript)
}
