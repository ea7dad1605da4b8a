package viewer

// An Enlargement says when a fitted picture may be larger than 100 %.
type Enlargement int

// The enlargements. If EnlargeFocused, small pictures are larger only where they fill the window.
const (
	EnlargeFocused Enlargement = iota
	EnlargeAlways
	EnlargeNever
)

// mostEnlarged is how large a picture is fitted at most, in units of the window per pixel. Beyond,
// its text would be coarse and its lines blurred.
const mostEnlarged = 3

// Habits are how the user likes to look at pictures.
type Habits struct {
	Enlarge    Enlargement
	WheelZooms bool // and goes to the next picture with Control, instead of the other way round
}

// enlargement returns how large a fitted picture may be; see stage.enlarge.
func (h Habits) enlargement(full bool) float64 {
	if h.Enlarge == EnlargeAlways || h.Enlarge == EnlargeFocused && full {
		return mostEnlarged
	}
	return 0
}

// SetHabits sets how pictures are shown.
func (z *zoom) SetHabits(h Habits) {
	z.habits, z.stage.zooms = h, h.WheelZooms
	z.enlarges()
}

// enlarges lets the stage enlarge pictures, or not.
func (z *zoom) enlarges() {
	if most := z.habits.enlargement(z.full); z.stage.enlarge != most {
		z.stage.enlarge = most
		z.stage.raster.Refresh()
		z.stage.changed()
	}
}

// Enlarges reports whether a small picture would be shown larger now.
func (z *zoom) Enlarges() bool { return z.stage.enlarge > 0 }

// SetFullscreen hides or shows the bar.
func (c *Compare) SetFullscreen(on bool) {
	if c.full != on {
		c.full = on
		c.enlarges()
		c.Refresh()
	}
}

// SetHabits sets how pictures are shown.
func (c *Compare) SetHabits(h Habits) {
	c.habits = h
	c.enlarges()
}

// enlarges lets the stages enlarge pictures, or not.
func (c *Compare) enlarges() {
	most := c.habits.enlargement(c.full)
	stages := []*stage{c.diff}
	for _, p := range c.panes {
		stages = append(stages, p.stage)
	}
	for _, s := range stages {
		if s.zooms = c.habits.WheelZooms; s.enlarge != most {
			s.enlarge = most
			s.raster.Refresh()
			s.changed()
		}
	}
}
