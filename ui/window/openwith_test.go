package window

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/internal/require"
	"easel/ui/window/external"
	"easel/ui/window/gallery"
	"easel/ui/window/uitest"
)

func TestOpenWith(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), nil)
	opened := make(chan string, 1)
	w.app.cfg.OpenWith = func(_ uintptr, file string) error {
		opened <- file
		return nil
	}
	dir := t.TempDir()
	w.app.cfg.HandOut = func(name string, data []byte) (string, error) {
		path := filepath.Join(dir, name)
		return path, os.WriteFile(path, data, 0o600)
	}
	w.app.external = external.New(w.app.externalPort())
	w.call(t, "select_file", `{"path":"img00002"}`)
	want, im, err := w.lib.Read(t.Context(), "img00002")
	require.NoError(t, err)
	w.app.typedRune('o')
	file := <-opened
	if filepath.Base(file) != gallery.Title(w.app.kit(), im)+".png" || file == im.Path {
		t.Errorf("opened %q", file)
	}
	if data, err := os.ReadFile(file); err != nil || !bytes.Equal(data, want) {
		t.Errorf("the copy has %d bytes, want %d; %v", len(data), len(want), err)
	}
	w.settled()
}

func TestTheMenuHasNoProgramsWithoutADesktop(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	w.app.typedRune('o') // does nothing
	w.app.shell.imageMenu("img00000", fyne.NewPos(100, 100))
	if all := uitest.Texts(w.app.win.Canvas()); slices.Contains(all, "Open with…") || !slices.Contains(all, "Copy image") {
		t.Errorf("the menu has %q", all)
	}
}
