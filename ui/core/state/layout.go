package state

import "encoding/json"

// A Layout is how the user arranged the window. The zero Layout is the default; a size of
// 0 is the default size.
type Layout struct {
	Width  int `json:"width,omitzero"` // of the window; all sizes are in Fyne's units
	Height int `json:"height,omitzero"`

	SideWidth  int `json:"side_width,omitzero"`
	PropsWidth int `json:"props_width,omitzero"`
	DockHeight int `json:"dock_height,omitzero"`

	Side  Choice `json:"side,omitzero"`
	Dock  Choice `json:"dock,omitzero"`
	Props Choice `json:"props,omitzero"`
	Strip Choice `json:"strip,omitzero"` // the thumbnails under the viewer

	Headings Choice `json:"headings,omitzero"` // in the gallery, if it is sorted by time or session

	DockTab int `json:"dock_tab,omitzero"`

	ByCell bool `json:"by_cell,omitzero"` // the first value of Query.ByCell

	Enlarge Enlargement `json:"enlarge,omitzero"`
	Wheel   WheelUse    `json:"wheel,omitzero"`

	SlideSeconds int `json:"slide_seconds,omitzero"` // of the slide show; 0 is the default

	TextPercent int `json:"text_percent,omitzero"` // size of texts and controls; 0 is 100

	// Palette has the ids of what the user has last chosen in the palette, one in a line, the newest first.
	Palette string `json:"palette,omitzero"`
}

// An Enlargement is when a plot that is smaller than its view is shown larger.
type Enlargement string

// The enlargements. If EnlargeFocused, a plot is larger only where it fills the window.
const (
	EnlargeFocused Enlargement = ""
	EnlargeAlways  Enlargement = "always"
	EnlargeNever   Enlargement = "never"
)

// A WheelUse is what the wheel does over a large plot.
type WheelUse string

// The uses of the wheel. With Control, it does the other.
const (
	WheelSteps WheelUse = "" // shows the next plot, or moves the plot if it is zoomed
	WheelZooms WheelUse = "zoom"
)

// A Choice is whether the user shows or hides a region.
type Choice string

// The choices. If Undecided, the size of the window decides.
const (
	Undecided Choice = ""
	Shown     Choice = "shown"
	Hidden    Choice = "hidden"
)

// Chosen returns Shown or Hidden.
func Chosen(shown bool) Choice {
	if shown {
		return Shown
	}
	return Hidden
}

// Or reports whether the region is shown; if the user has not decided, it returns
// undecided.
func (c Choice) Or(undecided bool) bool {
	if c == Undecided {
		return undecided
	}
	return c == Shown
}

// UnmarshalJSON decodes a layout. It never fails: an invalid layout becomes the default,
// so that it does not lose the other settings.
func (l *Layout) UnmarshalJSON(raw []byte) error {
	type plain Layout
	var p plain
	if json.Unmarshal(raw, &p) != nil {
		p = plain{}
	}
	*l = Layout(p).sane()
	return nil
}

// Limits of sizes. Sizes beyond them were not set in the window, so they are reset.
const (
	leastRegion, mostRegion = 60, 2000
	leastWindow, mostWindow = 480, 16000
	leastText, mostText     = 50, 300
)

func (l Layout) sane() Layout {
	within := func(v *int, least, most int) {
		if *v < least || *v > most {
			*v = 0
		}
	}
	for _, v := range []*int{&l.SideWidth, &l.PropsWidth, &l.DockHeight} {
		within(v, leastRegion, mostRegion)
	}
	within(&l.Width, leastWindow, mostWindow)
	within(&l.Height, leastWindow, mostWindow)
	if l.Width == 0 || l.Height == 0 {
		l.Width, l.Height = 0, 0
	}
	within(&l.DockTab, 0, 16)
	if l.Enlarge != EnlargeAlways && l.Enlarge != EnlargeNever {
		l.Enlarge = EnlargeFocused
	}
	if l.Wheel != WheelZooms {
		l.Wheel = WheelSteps
	}
	within(&l.TextPercent, leastText, mostText)
	for _, c := range []*Choice{&l.Side, &l.Dock, &l.Props, &l.Strip, &l.Headings} {
		if *c != Shown && *c != Hidden {
			*c = Undecided
		}
	}
	return l
}
