package viewer

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

const trackHeight float32 = 38

// A track is a row under the picture: a button that plays, a slider, and the place in words.
type track struct {
	row    fyne.CanvasObject
	body   *fyne.Container // of row
	play   *kit.Button
	slider *widget.Slider
	place  *kit.Line
}

// newTrack makes a track, with more to the right. seek is told of places from 0 that the user
// chose.
func newTrack(k *kit.Kit, tip string, play func(), seek func(at int), more ...fyne.CanvasObject) *track {
	t := &track{slider: widget.NewSlider(1, 2)}
	t.play = k.Button(kit.Ghost, "play", "", tip, play)
	t.slider.OnChanged = func(at float64) { seek(int(at) - 1) }
	t.slider.OnChangeEnded = func(float64) { // the keys are the viewer's
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
		Objects: append([]fyne.CanvasObject{t.play, container.NewThemeOverride(t.slider, theme.Track(theme.New(variant))), t.place}, more...),
	}
	t.row = k.Panel(k.P.Panel, "t", t.body)
	return t
}

// to moves the slider to a place from 0, of n.
func (t *track) to(at, n int) {
	t.slider.Max, t.slider.Value = float64(n), float64(max(at, 0)+1)
	t.slider.Refresh()
	t.tell(at, n)
}

// tell says the place in words.
func (t *track) tell(at, n int) { t.place.Set(fmt.Sprintf("%d / %d", at+1, n), nil) }

// setPlaying shows on the button what it does.
func (t *track) setPlaying(is bool) {
	icon := "play"
	if is {
		icon = "pause"
	}
	t.play.SetIcon(icon)
}
