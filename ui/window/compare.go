package window

import (
	"context"
	"path"
	"strings"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/viewer"
)

// A viewState is what the gallery showed when a comparison began: when it becomes
// another, whoever changed it wants to see that.
type viewState struct {
	mode    state.Mode
	current string
	folder  state.Folder
}

func viewStateOf(n *state.Snapshot) viewState { return viewState{n.Mode, n.Current, n.Folder} }

// compareSelected compares what is selected, or says what is needed for that.
func (a *App) compareSelected() { a.after(a.compareNow) }

// after runs f on the UI goroutine when what was asked before has been done.
func (a *App) after(f func()) {
	a.asking++
	a.queue.add(func(context.Context) {
		a.cfg.Do(func() {
			a.asking--
			if !a.closed {
				f()
			}
		})
	})
}

func (a *App) compareNow() {
	ids := a.cfg.Store.Snapshot().Selection
	if len(ids) < viewer.Few || len(ids) > viewer.Many {
		a.shell.flash(kit.MarkWait, a.shell.k.T("compare.select", viewer.Few, viewer.Many))
		return
	}
	a.compare(ids)
}

// compare shows images beside each other.
func (a *App) compare(ids []string) {
	a.shell.open(pageGallery)
	a.shell.center.compare(ids)
}

// compareFormer compares an updated figure with what it replaced.
func (a *App) compareFormer(im library.Image) {
	if old := imageID(im.Replaces); old != "" {
		a.compare([]string{old, im.ImageID})
	}
}

// compareKey is the key C: in and out of the comparison. In the viewer it is of the
// versions of a figure.
func (a *App) compareKey() {
	c := a.shell.center
	switch {
	case c.comparing:
		c.endCompare()
	case c.mode == state.Viewer && c.view.Image().Replaces != "":
		a.compareFormer(c.view.Image())
	default:
		a.compareSelected()
	}
}

// imageID is the id in an image's URI.
func imageID(uri string) string {
	name := path.Base(uri)
	return strings.TrimSuffix(name, path.Ext(name))
}

// compare shows the comparison in place of grid or viewer.
func (c *center) compare(ids []string) {
	c.comparing, c.since = true, viewStateOf(c.s.a.cfg.Store.Snapshot())
	c.versus.Open(ids)
	c.showMode()
	c.s.refit()
}

// endCompare goes back to grid or viewer.
func (c *center) endCompare() {
	if !c.comparing {
		return
	}
	c.comparing = false
	c.versus.Stop()
	c.showMode()
	c.s.refit()
	if c.s.a.cfg.Store.Snapshot().Fullscreen && c.mode != state.Viewer {
		c.s.a.toggleFullscreen()
	}
}

// showMode shows what the mode is of, and hides the rest.
func (c *center) showMode() {
	large := c.mode == state.Viewer
	kit.SetVisible(c.versus, c.comparing)
	kit.SetVisible(c.view, large && !c.comparing)
	kit.SetVisible(c.grid, !large && !c.comparing)
	kit.SetVisible(c.bar.root, !large && !c.comparing)
	if c.comparing {
		c.empty.Hide()
		c.pill.Hide()
	}
}

// stripShown tells whether the filmstrip has its place: in a low window only if the
// user asked for it.
func (c *center) stripShown() bool {
	return c.s.a.layout.strip.Or(c.root.Size().Height >= 380)
}

func (c *center) toggleStrip() {
	c.s.a.layout.strip = state.Chosen(!c.stripShown())
	c.s.a.keepLayout()
	c.view.SetStrip(c.stripShown())
}

// zooms is what a zoom is of.
func (c *center) zooms() zoomable {
	if c.comparing {
		return c.versus
	}
	return c.view
}

// known is what the views know of an image.
func (c *center) known(id string) (library.Image, bool) {
	if im := c.view.Image(); im.ImageID == id && c.mode == state.Viewer {
		return im, true
	}
	return c.grid.Known(id)
}
