package viewer

import (
	"slices"
	"testing"
)

// TestFullScreenSaysWhatDiffers: whether plots are laid out, once, and why one is not.
func TestFullScreenSaysWhatDiffers(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	says := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(d.said, want) {
			t.Errorf("%s, it says %q, want %q", what, d.said, want)
		}
		d.said = nil
	}
	const laid, plain = "Laid out for this window. Show the stored picture", "Stored picture: this picture is not a matplotlib figure"
	says("in the window")
	d.v.SetFullscreen(true)
	says("in full screen, before it is laid out for that")
	d.answer(d.asked(2))
	says("when it is", laid)
	d.v.SelectRegion()
	d.v.SelectRegion()
	says("after a region")
	d.open("img00002")
	d.asked(3).done(nil, "plain")
	says("with a picture that is no figure", plain)
	d.open("img00001")
	says("back at a figure", laid)
	d.v.ToggleLayout()
	d.v.ToggleLayout()
	says("turned off and on", laid)
	d.v.SetFullscreen(false)
	d.asked(3)
	says("in the window again")
}
