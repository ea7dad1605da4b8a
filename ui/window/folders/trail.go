package folders

import (
	"slices"

	"easel/ui/core/state"
)

// mostSteps is how many folders a trail has at most.
const mostSteps = 50

// A trail is the folders that the gallery has shown, in order, and which of them it shows now. It
// also has those after that, if the user went back.
type trail struct {
	steps []state.Folder
	at    int
	going *int // where the user goes, until it is shown
}

// visit notes that the gallery shows a folder.
func (t *trail) visit(f state.Folder) {
	if len(t.steps) == 0 {
		t.steps = []state.Folder{f}
		return
	}
	if t.going != nil && t.steps[*t.going] == f {
		t.at, t.going = *t.going, nil
		return
	}
	if t.steps[t.at] == f {
		return
	}
	t.going = nil
	t.steps = append(slices.Clip(t.steps[:t.at+1]), f)
	if over := len(t.steps) - mostSteps; over > 0 {
		t.steps = t.steps[over:]
	}
	t.at = len(t.steps) - 1
}

// to returns the folder some steps away, for the user to go there.
func (t *trail) to(steps int) (f state.Folder, ok bool) {
	i := t.at + steps
	if i < 0 || i >= len(t.steps) {
		return f, false
	}
	t.going = &i
	return t.steps[i], true
}

// Render notes which folder is shown. If an assistant has opened it, it follows the listing, as after an opening of the user.
func (c *Control) Render(s *state.Snapshot) {
	c.trail.visit(s.Folder)
	if was := c.shown; was == s.Folder {
		return
	}
	if c.shown = s.Folder; c.opening == 0 {
		c.follow()
	}
}

// Back shows what the gallery showed before, and Forward what it showed after that.
func (c *Control) Back() { c.step(-1) }

// Forward undoes Back.
func (c *Control) Forward() { c.step(1) }

func (c *Control) step(steps int) {
	f, ok := c.trail.to(steps)
	switch {
	case !ok:
	case f.Kind == state.Directory:
		c.Open(f.ID)
	case f.Kind == state.Trash:
		c.port.OpenTrash()
	case f.Kind == state.OneSession:
		c.port.OpenSession(f.ID)
	default:
		c.Open("jupyter://sessions/")
	}
}
