package window

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/checks"
	"easel/ui/window/kit"
	"easel/ui/window/viewer"
)

// A viewState is what the gallery showed when a comparison began. If that changes, the
// comparison ends, because whoever made the change wants to see it.
type viewState struct {
	mode    state.Mode
	current string
	folder  state.Folder
}

func viewStateOf(n *state.Snapshot) viewState { return viewState{n.Mode, n.Current, n.Folder} }

// compareSelected compares the selected images, after earlier requests have finished.
// If the number of images is wrong, it says how many to select.
func (c *galleryPage) compareSelected() {
	a := c.s.a
	a.requests.After(func() {
		ids := a.cfg.Store.Snapshot().Selection
		if a.discarded(ids) {
			return
		}
		if len(ids) < viewer.Few || len(ids) > viewer.Many {
			a.say(kit.MarkWait, a.kit().T("compare.select", viewer.Few, viewer.Many))
			return
		}
		a.shell.gallery.compare(ids) // not c: the shell may have been built again
	})
}

// stored reports whether an image of a comparison is in the library. The result of a check is not.
func stored(id string) bool { return !strings.HasPrefix(id, checks.FreshPrefix) }

// side returns the image on the current side of the comparison, if it is in the library.
func (c *galleryPage) side() []string {
	if id := c.versus.Current(); id != "" && stored(id) {
		return []string{id}
	}
	return nil
}

// moved shows the properties of the current side of the comparison.
func (c *galleryPage) moved() {
	if c.comparing {
		n := c.s.a.cfg.Store.Snapshot()
		c.s.props.Select(c.s.subject(n), n.Revision)
	}
}

// step goes to another version of a figure, or to another side of the comparison.
func (c *galleryPage) step(by int) {
	if c.comparing {
		c.versus.Step(by)
		return
	}
	c.view.Step(by)
}

// shifted notes that a digit was pressed together with Shift. It types another character, which
// allTyped gets, unless the keyboard's digits need Shift.
func (c *galleryPage) shifted(key fyne.KeyName) {
	c.all = -1
	if c.comparing && len(key) == 1 && key[0] >= '0' && key[0] <= '5' && kit.Modifiers()&fyne.KeyModifierShift != 0 {
		c.all = int(key[0] - '0')
	}
}

// allTyped rates all sides of the comparison if a character was typed with Shift and a digit. It
// reports whether it was.
func (c *galleryPage) allTyped(r rune) bool {
	stars := c.all
	c.all = -1
	if stars < 0 || !c.comparing || unicode.IsDigit(r) {
		return false
	}
	c.s.a.edits.Rate(slices.DeleteFunc(c.versus.IDs(), func(id string) bool { return !stored(id) }), stars)
	return true
}

// subject returns the images of the properties panel: the current side of a comparison, or what is
// shown.
func (s *shell) subject(n *state.Snapshot) []string {
	if s.gallery.comparing {
		return s.gallery.side()
	}
	return shownIn(n)
}

// compareFormer compares an updated figure with the version that it replaced.
func (c *galleryPage) compareFormer(im library.Image) {
	if old := imageID(im.Replaces); old != "" {
		c.compare([]string{old, im.ImageID})
	}
}

// compareKey handles the key C, which opens and closes the comparison. In the viewer, it
// compares the versions of a figure.
func (c *galleryPage) compareKey() {
	switch {
	case c.comparing:
		c.endCompare()
	case c.mode == state.Viewer && c.view.Image().Replaces != "":
		c.compareFormer(c.view.Image())
	default:
		c.compareSelected()
	}
}

// imageID returns the id in an image's URI.
func imageID(uri string) string {
	name := path.Base(uri)
	return strings.TrimSuffix(name, path.Ext(name))
}

// compare shows images side by side instead of the grid or the viewer.
func (c *galleryPage) compare(ids []string) {
	c.s.open(pageGallery)
	c.view.Pause()
	c.comparing, c.since = true, viewStateOf(c.s.a.cfg.Store.Snapshot())
	c.versus.Open(ids)
	c.showMode()
	c.s.refit()
	c.moved()
}

// endCompare returns to the grid or the viewer.
func (c *galleryPage) endCompare() {
	if !c.comparing {
		return
	}
	c.comparing = false
	c.versus.Stop()
	c.showMode()
	c.s.refit()
	n := c.s.a.cfg.Store.Snapshot()
	c.s.props.Select(c.s.subject(n), n.Revision)
	if c.s.a.cfg.Store.Snapshot().Fullscreen && c.mode != state.Viewer {
		c.s.a.navigate.ToggleFullscreen()
	}
	if c.s.a.cfg.Store.Snapshot().Focus && c.mode != state.Viewer {
		c.s.a.navigate.SetFocus(false)
	}
}

// showMode shows what belongs to the mode, and hides the rest.
func (c *galleryPage) showMode() {
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

// stripShown reports whether the filmstrip is shown. In a low window, it is shown only
// if the user asked for it.
func (c *galleryPage) stripShown() bool {
	return c.s.a.layout.strip.Or(c.root.Size().Height >= 380)
}

func (c *galleryPage) toggleStrip() {
	if c.s.full {
		c.view.ToggleStrip()
		return
	}
	c.s.a.layout.strip = state.Chosen(!c.stripShown())
	c.s.a.layout.keep()
	c.view.SetStrip(c.stripShown())
}

// zooms returns the view to which zooming applies.
func (c *galleryPage) zooms() zoomable {
	if c.comparing {
		return c.versus
	}
	return c.view
}

// known returns what the views know about an image.
func (c *galleryPage) known(id string) (library.Image, bool) {
	if im := c.view.Image(); im.ImageID == id && c.mode == state.Viewer {
		return im, true
	}
	return c.grid.Known(id)
}
