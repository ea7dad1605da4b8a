package gallery

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/command"
)

// TestStarsAndTagsAreSavedBesideThePictures of the open folder, but not over what another program has written.
func TestStarsAndTagsAreSavedBesideThePictures(t *testing.T) {
	d := aCollection(t)
	if _, err := command.SaveSidecars.Ask(t.Context(), d.bus, command.SaveSidecarsIn{}); err == nil {
		t.Error("it was done in the library")
	}
	pics := filepath.Join(d.root, "pics")
	for _, x := range [][2]string{
		{"open_folder", `{"path": "pics"}`},
		{"set_rating", `{"path": "a.png", "rating": 4}`},
		{"set_tags", `{"path": "b.png", "add": ["keep"]}`},
		{"set_rating", `{"path": "sd.png", "rating": 2}`},
	} {
		if _, code := invoke(t, d.bus, x[0], x[1]); code != "" {
			t.Fatalf("%s: %s", x[0], code)
		}
	}
	theirs := filepath.Join(pics, "sd.png.xmp")
	require.NoError(t, os.WriteFile(theirs, []byte("<x:xmpmeta/>"), 0o600))
	last := [2]int{}
	out, err := command.SaveSidecars.Ask(t.Context(), d.bus, command.SaveSidecarsIn{Progress: func(done, total int) { last = [2]int{done, total} }})
	if err != nil || out.Written != 2 || out.Same != 0 || strings.Join(out.Foreign, " ") != "sd.png" || len(out.Failed) != 0 || last != [2]int{4, 4} {
		t.Errorf("%+v, %v, %v", out, err, last)
	}
	if raw, err := os.ReadFile(filepath.Join(pics, "a.png.xmp")); err != nil || !strings.Contains(string(raw), `xmp:Rating="4"`) {
		t.Errorf("a.png.xmp: %s, %v", raw, err)
	}
	if raw, err := os.ReadFile(theirs); err != nil || string(raw) != "<x:xmpmeta/>" {
		t.Errorf("another program's: %s, %v", raw, err)
	}
	if _, err := os.Stat(filepath.Join(pics, "text.png.xmp")); err == nil {
		t.Error("a picture without stars has a sidecar")
	}
	if out, err := command.SaveSidecars.Ask(t.Context(), d.bus, command.SaveSidecarsIn{}); err != nil || out.Written != 0 || out.Same != 2 {
		t.Errorf("again: %+v, %v", out, err)
	}
}
