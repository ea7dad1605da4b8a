package viewer

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"easel/ui/window/uitest"
)

// updated returns a library with a plot and a figure of n versions.
func updated(t testing.TB, n int) (lib *uitest.Library, plot string, versions []string) {
	lib = uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	plot = lib.Add(0, "plot", "")
	versions = []string{lib.Add(0, "figure", "")}
	for len(versions) < n {
		versions = append(versions, lib.Update(versions[len(versions)-1], ""))
	}
	return lib, plot, versions
}

// consistent returns the id of the version that is shown. It fails the test if the
// picture and the displayed place are those of different versions.
func (v *View) consistent(t *testing.T, lib *uitest.Library, versions []string) string {
	t.Helper()
	im, err := lib.Image(t.Context(), v.shown.ImageID)
	if err != nil || v.stage.pixels == nil {
		t.Fatalf("nothing is shown: %v", err)
	}
	if want := uitest.Plot(im.N, im.Width, im.Height); !bytes.Equal(v.stage.pixels.Pix, want.Pix) {
		t.Errorf("%s is shown with another version's picture", im.ImageID)
	}
	if want := fmt.Sprintf("%d / %d", slices.Index(versions, im.ImageID)+1, len(versions)); v.versions.place.Full() != want || v.versions.slider.Value != float64(slices.Index(versions, im.ImageID)+1) {
		t.Errorf("%s is at %q and %v, want %q", im.ImageID, v.versions.place.Full(), v.versions.slider.Value, want)
	}
	return im.ImageID
}

func TestVersionsArePlayedWithTheirPictures(t *testing.T) {
	lib, plot, versions := updated(t, 5)
	newest := versions[4]
	v, q, _ := newTestView(t, lib)
	open(t, v, q, newest, newest, plot)
	if !v.played() || v.consistent(t, lib, versions) != newest {
		t.Fatal("the newest version is not shown")
	}
	v.stage.zoomTo(2, v.stage.middle())
	var seen []string
	q.After = func() {
		if id := v.consistent(t, lib, versions); len(seen) == 0 || seen[len(seen)-1] != id {
			seen = append(seen, id)
		}
	}
	v.Play()
	q.After() // it may show the first version at once
	q.Until(t, "the versions to be played", func() bool { return !v.versions.playing && v.Settled() })
	q.After = nil
	if !slices.Equal(seen[len(seen)-5:], versions) {
		t.Errorf("played %v, want %v", seen, versions)
	}
	if v.stage.current() != 2 || v.Older() != "" {
		t.Errorf("at the end the zoom is %v, and %q is looked at", v.stage.current(), v.Older())
	}
	t.Run("step by step", func(t *testing.T) {
		for _, want := range []int{3, 2, 1, 0, 0} {
			v.Step(-1)
			q.Until(t, "the version before", v.Settled)
			if id := v.consistent(t, lib, versions); id != versions[want] || v.versions.newest.Hidden {
				t.Errorf("at %s, want %s", id, versions[want])
			}
		}
		if count := v.count.Full(); count != "1 / 2" {
			t.Errorf("in the gallery it is at %q", count)
		}
	})
	t.Run("by the slider", func(t *testing.T) {
		v.versions.slider.SetValue(4)
		q.Until(t, "the version", v.Settled)
		if id := v.consistent(t, lib, versions); id != versions[3] {
			t.Errorf("at %s", id)
		}
	})
	t.Run("another image has no versions", func(t *testing.T) {
		open(t, v, q, plot, newest, plot)
		if v.played() || v.Older() != "" || v.shown.ImageID != plot {
			t.Errorf("shows %s, older %q", v.shown.ImageID, v.Older())
		}
		open(t, v, q, newest, newest, plot)
		if id := v.consistent(t, lib, versions); id != newest {
			t.Errorf("opened again with %s", id)
		}
	})
}

func TestAnUpdateDoesNotTakeAwayAnOlderVersion(t *testing.T) {
	lib, plot, versions := updated(t, 3)
	newer := make(map[string]string)
	v, q, _ := newTestView(t, lib)
	v.act.Newer = func(id string) string {
		for newer[id] != "" {
			id = newer[id]
		}
		return id
	}
	update := func() string {
		last := versions[len(versions)-1]
		versions = append(versions, lib.Update(last, ""))
		newer[last] = versions[len(versions)-1]
		v.Open(newer[last], []string{newer[last], plot}, lib.Changes().Last())
		if v.blank || v.stage.pixels == nil {
			t.Error("the picture is gone until the update is read")
		}
		q.Until(t, "the update to be read", func() bool { return v.Settled() && len(v.versions.ids) == len(versions) })
		return newer[last]
	}
	open(t, v, q, versions[2], versions[2], plot)
	v.stage.zoomTo(2, v.stage.middle())
	if id := update(); v.consistent(t, lib, versions) != id || v.stage.current() != 2 {
		t.Errorf("an update of the newest version is not shown, or at another zoom: %v", v.stage.current())
	}
	v.Step(-2)
	q.Until(t, "an older version", v.Settled)
	older := v.consistent(t, lib, versions)
	update()
	newest := update()
	if id := v.consistent(t, lib, versions); id != older || v.versions.newest.Text() != "2 newer versions" || v.versions.newest.Hidden {
		t.Errorf("%s is shown in place of %s; the way back is %q", id, older, v.versions.newest.Text())
	}
	v.versions.newest.Tapped(nil)
	q.Until(t, "the newest version", v.Settled)
	if id := v.consistent(t, lib, versions); id != newest || !v.versions.newest.Hidden {
		t.Errorf("%s is shown, want %s", id, newest)
	}
}
