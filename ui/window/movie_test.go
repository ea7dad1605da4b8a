package window

import (
	"bytes"
	"context"
	"image/png"
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/export"
	"easel/ui/window/uitest"
)

// animated opens the viewer of an animation of 24 frames, and pauses it at a frame.
func animated(t *testing.T, size fyne.Size, at int, edit ...func(*state.Snapshot)) (w *world, id string) {
	t.Helper()
	lib := galleryOf(t, 5)
	id = lib.AddAnimation(0, "Damped wave", 24, 0)
	w = newWorld(t, size, lib, func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{id}, id
		for _, f := range edit {
			f(s)
		}
	})
	if at == 0 {
		return w, id
	}
	w.app.navigate.Open(id)
	view := w.app.shell.gallery.view
	w.q.Until(t, "the animation to play", func() bool { _, n, _ := view.Frame(); return n > 1 })
	w.app.typedRune('A')
	w.frame(at)
	return w, id
}

// frame steps to a frame.
func (w *world) frame(at int) {
	w.t.Helper()
	for {
		w.settled()
		_, n, _ := w.app.shell.gallery.view.Frame()
		switch {
		case n == at:
			return
		case n < at:
			w.app.typedRune('.')
		default:
			w.app.typedRune(',')
		}
	}
}

func TestAnimationGoldens(t *testing.T) {
	dark := func(s *state.Snapshot) { s.Settings.Theme = "dark" }
	japanese := func(s *state.Snapshot) { s.Settings.Language = "ja" }
	for name, c := range map[string]struct {
		size fyne.Size
		at   int
		edit []func(*state.Snapshot)
	}{
		"animation":                {wide, 7, nil},
		"animation_dark_ja_narrow": {narrowed, 24, []func(*state.Snapshot){dark, japanese}},
		"animation_in_gallery":     {narrowed, 0, []func(*state.Snapshot){japanese}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := animated(t, c.size, c.at, c.edit...)
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestTheKeysOfAnAnimation(t *testing.T) {
	w, id := animated(t, wide, 7)
	view := w.app.shell.gallery.view
	at := func() int { _, n, _ := view.Frame(); return n }
	w.app.typedRune('.')
	w.settled()
	if at() != 8 {
		t.Errorf("after a full stop: frame %d, want 8", at())
	}
	w.app.typedRune(',')
	w.app.typedRune(',')
	w.settled()
	if at() != 6 {
		t.Errorf("after two commas: frame %d, want 6", at())
	}
	t.Run("copying copies the frame", func(t *testing.T) {
		type copied struct {
			data []byte
			file string
		}
		copies := make(chan copied, 1)
		w.app.cfg.CopyImage = func(_ context.Context, d []byte, file string) error {
			copies <- copied{slices.Clone(d), file}
			return nil
		}
		port := w.app.exportPort()
		if m := port.Frame("img00001"); m != nil {
			t.Error("another image has a frame")
		}
		w.app.export = export.New(port)
		w.app.shortcut(&fyne.ShortcutCopy{})
		got := <-copies
		m, err := png.Decode(bytes.NewReader(got.data))
		if err != nil || got.file != "" {
			t.Fatalf("%q, %v", got.file, err)
		}
		want := uitest.Plot(6+5, 640, 480) // the animation is the sixth image
		for y := range 480 {
			for x := range 640 {
				r, g, b, _ := m.At(x, y).RGBA()
				r2, g2, b2, _ := want.At(x, y).RGBA()
				if r != r2 || g != g2 || b != b2 {
					t.Fatalf("at %d, %d the copy is another frame", x, y)
				}
			}
		}
	})
	t.Run("the gallery copies the animation", func(t *testing.T) {
		w.key(fyne.KeyEscape)
		if m := w.app.exportPort().Frame(id); m != nil {
			t.Error("the viewer is closed and has a frame")
		}
	})
}

func TestAnAnimationPausesBehindAnotherPage(t *testing.T) {
	w, id := animated(t, wide, 7)
	view := w.app.shell.gallery.view
	for name, cover := range map[string]func(){
		"settings":   func() { w.app.shell.open(pageSettings) },
		"comparison": func() { w.app.shell.gallery.compare([]string{"img00001", id}) },
		"gallery":    func() { w.key(fyne.KeyEscape) },
		"hidden":     w.app.Hide,
	} {
		t.Run(name, func(t *testing.T) {
			w.app.Show()
			w.app.shell.open(pageGallery)
			w.app.shell.gallery.endCompare()
			w.app.navigate.Open(id)
			w.q.Until(t, "the viewer", func() bool { return w.app.shell.gallery.mode == state.Viewer && view.Image().ImageID == id })
			view.Pause()
			w.settled()
			w.app.typedRune('a')
			if view.Settled() {
				t.Fatal("it does not play")
			}
			cover()
			w.q.Until(t, "it to stop", func() bool { return !view.Playing() })
		})
	}
}
