package viewer

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

const trackHeight float32 = 38

// A track is a row below the picture with a play button, a slider, and the position as text.
type track struct {
	row    fyne.CanvasObject
	body   *fyne.Container // of row
	play   *kit.Button
	slider *widget.Slider
	place  *kit.Line
}

// newTrack returns a track, with more objects at its right end. seek is called with the
// position, from 0, that the user chose.
func newTrack(k *kit.Kit, tip string, play func(), seek func(at int), more ...fyne.CanvasObject) *track {
	t := &track{slider: widget.NewSlider(1, 2)}
	t.play = k.Button(kit.Ghost, "play", "", tip, play)
	t.slider.OnChanged = func(at float64) { seek(int(at) - 1) }
	t.slider.OnChangeEnded = func(float64) { // return the keyboard focus to the viewer
		if c := fyne.CurrentApp().Driver().CanvasForObject(t.slider); c != nil {
			c.Unfocus()
		}
	}
	variant := "light"
	if k.P == &theme.Dark {
		variant = "dark"
	}
	t.place = kit.NewLine("", theme.TextBody-1, k.P.Muted, fyne.TextStyle{}, 76)
	t.place.Align(fyne.TextAlignTrailing)
	t.body = &fyne.Container{
		Layout:  kit.Row{Pad: 8, Gap: 8, Stretch: 1},
		Objects: append([]fyne.CanvasObject{t.play, kit.Themed(t.slider, theme.Track(theme.New(variant))), t.place}, more...),
	}
	t.row = k.Panel(k.P.Panel, "t", t.body)
	return t
}

// to shows the position at, from 0, of n.
func (t *track) to(at, n int) {
	t.slider.Max, t.slider.Value = float64(n), float64(max(at, 0)+1)
	t.slider.Refresh()
	t.tell(at, n)
}

// tell shows the position as text only.
func (t *track) tell(at, n int) { t.place.Set(fmt.Sprintf("%d / %d", at+1, n), nil) }

// setPlaying sets the button's icon.
func (t *track) setPlaying(is bool) {
	icon := "play"
	if is {
		icon = "pause"
	}
	t.play.SetIcon(icon)
}
