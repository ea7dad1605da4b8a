package window

import (
	"bytes"
	"runtime"
	"testing"
	_ "unsafe" // for go:linkname
	"weak"

	fynetheme "fyne.io/fyne/v2/theme"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"

	"easel/ui/core/state"
)

// shaper is what Fyne shapes every text with.
//
//go:linkname shaper fyne.io/fyne/v2/internal/painter.shaper
var shaper *shaping.HarfbuzzShaper

// shaped has Fyne's shaper shape a text in a font of its own.
func shaped(t *testing.T) weak.Pointer[font.Face] {
	f, err := font.ParseTTF(bytes.NewReader(fynetheme.DefaultTextFont().Content()))
	if err != nil {
		t.Fatal(err)
	}
	shaper.Shape(shaping.Input{Text: []rune("a"), RunEnd: 1, Face: f, Size: 12 << 6})
	return weak.Make(f)
}

// TestAChangeOfTheAppearanceReleasesTheFonts: Fyne loads them again, and its shaper would keep
// the former ones, fifteen megabytes each time.
func TestAChangeOfTheAppearanceReleasesTheFonts(t *testing.T) {
	for name, change := range map[string]func(*state.Snapshot){
		"theme":    func(s *state.Snapshot) { s.Settings.Theme = "dark" },
		"language": func(s *state.Snapshot) { s.Settings.Language = "ja" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(1), nil)
			w.q.Drain()
			face, shell := shaped(t), w.app.shell
			w.store.Update(change)
			w.q.Until(t, "the new shell", func() bool { return w.app.shell != shell })
			w.settled()
			w.q.Drain()
			runtime.GC()
			if face.Value() != nil {
				t.Error("a font that nothing draws with is still there")
			}
		})
	}
}
