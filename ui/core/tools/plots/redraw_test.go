package plots

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/redraw"
	"easel/ui/core/tools/paths"
)

func TestMisses(t *testing.T) {
	for name, c := range map[string]struct {
		want, got float64
		misses    bool
	}{
		"as requested": {6, 6, false}, "rounded to pixels": {6, 5.99, false}, "not requested": {0, 4, false},
		"shorter": {6, 4, true}, "longer": {3, 4.5, true},
	} {
		if got := misses(c.want, c.got); got != c.misses {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestEaselsOwnDirectoryIsNotWritten(t *testing.T) {
	own, root := t.TempDir(), t.TempDir()
	require.Link(t, own, filepath.Join(root, "own"))
	d := &Drawer{Files: &paths.Finder{RootDir: root}, Private: private.New(own, root)}
	if _, err := d.writeRendered(t.Context(), "own/new.png", library.Image{}, redraw.Picture{MIME: "image/png", Data: aPicture(t)}); tool.AsError(err).Code != tool.Validation {
		t.Errorf("a rendered plot there: %v", err)
	}
	if entries, err := os.ReadDir(own); err != nil || len(entries) != 0 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
