package e2e

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestWindowHoldsUpNobody checks that MCP answers while the window is dragged, reads a folder
// with thousands of pictures, is minimised, or is unmapped.
func TestWindowHoldsUpNobody(t *testing.T) {
	e, window := launchWindow(t, nil)
	answers := func(state string) {
		t.Helper()
		for range 10 {
			got := e.rpc(t, "tools/call", map[string]any{"name": "get_current_folder", "arguments": map[string]any{}})
			if !strings.Contains(got, `"structuredContent"`) || strings.Contains(got, `"isError":true`) {
				t.Fatalf("while the window is %s: %.300s", state, got)
			}
		}
	}
	answers("shown")

	// Drag it by its title bar, with the button pressed all the time.
	xdo(t, "mousemove", "640", "10", "mousedown", "1")
	for i := range 8 {
		xdo(t, "mousemove", strconv.Itoa(640+20*i), strconv.Itoa(10+15*i))
		answers("dragged")
	}
	xdo(t, "mouseup", "1")

	dir := t.TempDir()
	for i := range 2_000 {
		dot(t, filepath.Join(dir, fmt.Sprintf("%04d.png", i)), color.RGBA{R: uint8(i), G: uint8(i >> 3), A: 255})
	}
	e.rpc(t, "tools/call", map[string]any{"name": "open_folder", "arguments": map[string]any{"path": dir}})
	xdo(t, "mousemove", "--window", window, "500", "400")
	for range 8 { // scrolling makes it read thumbnails
		xdo(t, "click", "--repeat", "10", "--delay", "5", "5")
		answers("busy")
	}
	eventually(t, "the folder", func() bool {
		view, _ := e.call(t, "get_current_folder", nil)["view"].(map[string]any)
		return view["count"] == 2000.0
	})

	xdo(t, "windowminimize", "--sync", window)
	answers("minimised")
	xdo(t, "windowunmap", "--sync", window)
	answers("unmapped")
	quit(t, e)
}

// dot writes a small picture of one colour.
func dot(t *testing.T, path string, c color.Color) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		m.Set(i%8, i/8, c)
	}
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, png.Encode(f, m))
}
