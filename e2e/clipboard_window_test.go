package e2e

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/window/desktop/desktoptest"
)

// TestWindowCopiesPictures checks that another program pastes the exact bytes of the file, even
// if it is too large for one X11 message.
func TestWindowCopiesPictures(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	dir := paintings(t, 1)
	noise := image.NewNRGBA(image.Rect(0, 0, 900, 700))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, noise))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "noise.png"), b.Bytes(), 0o600))
	e.call(t, "open_folder", map[string]any{"path": dir})
	h.until("the pictures", func() bool { return len(h.files()) == 2 })
	p := desktoptest.NewPaster(t)
	for _, name := range []string{"noise.png", "00.png", "noise.png"} {
		path := filepath.Join(dir, name)
		e.call(t, "select_file", map[string]any{"path": path})
		h.until(name+" to be selected", func() bool { return len(h.chosen()) == 1 && h.chosen()[0] == name })
		h.settle() // the key copies what is highlighted
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		h.keys("ctrl+c")
		h.until("the picture on the clipboard", func() bool { return bytes.Equal(p.Paste("image/png"), want) })
	}
}
