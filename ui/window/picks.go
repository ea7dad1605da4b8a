package window

import (
	"slices"

	"easel/ui/core/state"
	"easel/ui/window/navigate"
	"easel/ui/window/requests"
)

// A picks tells to which images a key applies.
type picks struct {
	gallery  func() *galleryPage
	rendered func() *state.Snapshot // what the window shows; nil at first
	snapshot func() *state.Snapshot
	navigate *navigate.Navigator
	requests *requests.Sender
}

// shown returns the images to which a key applies: what the window shows as selected, or
// what the viewer shows, which may be an older version. The state may be ahead of the
// window, for example because it already follows the next plot.
func (p *picks) shown() []string {
	if c := p.gallery(); !c.comparing && c.mode == state.Viewer && c.view.Older() != "" {
		return []string{c.view.Older()}
	}
	return p.selected()
}

// selected is what a comparison shows on its current side. Else it is like shown, but for an older
// version it returns the newest one, to which stars, tags and the trash apply.
func (p *picks) selected() []string {
	c, now := p.gallery(), p.snapshot()
	if c.comparing {
		return c.side()
	}
	ids := slices.Clone(c.grid.Selection())
	if p.rendered() != nil && c.mode == state.Viewer {
		ids = shownIn(p.rendered())
	}
	for i, id := range ids {
		ids[i] = now.Newer(id)
	}
	return ids
}

// onSelected calls do with the selected images. In the viewer, it first waits for the
// picture to which the user is going.
func (p *picks) onSelected(do func(ids []string)) {
	if c := p.gallery(); !c.comparing && c.mode == state.Viewer && p.navigate.Moving() {
		p.requests.After(func() { do(shownIn(p.snapshot())) })
		return
	}
	do(p.selected())
}
