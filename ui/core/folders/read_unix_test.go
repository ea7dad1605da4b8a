//go:build unix

package folders

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/library"
)

func TestLinksAreFollowedAndNothingElseIsOpened(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	target := write(t, other, "target.png", pngOf(t, 5, 5))
	write(t, other, "secret.png", pngOf(t, 6, 6))
	for name, to := range map[string]string{"link.png": target, "dangling.png": "nowhere", "loop.png": "loop.png", "folder.png": other, "zero.png": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.png"), 0o600))
	d, _ := openDir(t, dir, openLibrary(t))
	waitLoaded(t, d)
	if got := list(t, d, all("name", true)); !cmp.Equal(got, []string{"link.png"}) {
		t.Errorf("got %q", got)
	}
	for _, ref := range []string{"../" + filepath.Base(other) + "/secret.png", filepath.Join(other, "secret.png"), "..", "", ".", dir + "/../" + filepath.Base(other) + "/secret.png", "/link.png", "sub/link.png"} {
		if im, err := d.Image(t.Context(), ref); !errors.Is(err, library.ErrNotFound) {
			t.Errorf("%q is %q, %v", ref, im.Path, err)
		}
	}
	for _, ref := range []string{"link.png", "./link.png", filepath.Join(dir, "link.png"), dir + "/x/../link.png"} {
		if im, err := d.Image(t.Context(), ref); err != nil || im.Title != "link.png" {
			t.Errorf("%q: %q, %v", ref, im.Title, err)
		}
	}
}
