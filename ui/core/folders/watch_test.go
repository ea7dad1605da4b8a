package folders

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/library/feed"
)

// TestNewsAreToldAsWhatTheyAre: a program writes a file in steps, and others look at it
// in between; the listings fall where they will.
func TestNewsAreToldAsWhatTheyAre(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "early", nil)
	told, goOn := make(chan Change), make(chan struct{})
	d, _ := openDir(t, dir, openLibrary(t), func(o *Options) {
		o.noTip, o.Poll = true, time.Hour // it is listed when the test says so
		o.told = func(d *Directory, changes []feed.Change) {
			select {
			case told <- changeOf(d, changes):
			case <-t.Context().Done():
			}
			select {
			case <-goOn:
			case <-t.Context().Done():
			}
		}
	})
	waitLoaded(t, d)
	list := func() {
		t.Helper()
		require.NoError(t, d.relist(t.Context(), func(string) {}))
	}
	// expect reads so much news, and leaves the one who tells them waiting.
	expect := func(want map[string]int) {
		t.Helper()
		got := make(map[string]int)
		for {
			var c Change
			select {
			case c = <-told:
			case <-time.After(time.Minute):
				t.Fatalf("told %v, want %v", got, want)
			}
			for _, im := range c.Added {
				got["new "+im.Title] = im.Width
			}
			for _, im := range c.Changed {
				got["another "+im.Title] = im.Width
			}
			if len(got) >= len(want) {
				break
			}
			goOn <- struct{}{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}

	write(t, dir, "nameless", nil)
	list()
	waitLoaded(t, d) // it is no picture yet
	write(t, dir, "nameless", pngOf(t, 7, 7))
	write(t, dir, "early", pngOf(t, 8, 8))
	list()
	expect(map[string]int{"new nameless": 7, "new early": 8})

	// Somebody looks at a new file and at a changed one before they are told.
	write(t, dir, "new.png", pngOf(t, 9, 9))
	write(t, dir, "early", pngOf(t, 18, 18))
	list()
	for _, name := range []string{"new.png", "early"} {
		if _, err := d.Image(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "new.png", pngOf(t, 10, 10))
	write(t, dir, "early", pngOf(t, 28, 28))
	list()
	goOn <- struct{}{}
	expect(map[string]int{"new new.png": 10, "another early": 28})
	write(t, dir, "new.png", pngOf(t, 11, 11))
	list()
	goOn <- struct{}{}
	expect(map[string]int{"another new.png": 11})
	goOn <- struct{}{}
}
