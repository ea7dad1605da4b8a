package viewer

import (
	"image"
	"slices"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
)

// Limits for the pictures that were laid out and are kept. A larger one is kept only while it is
// shown.
const (
	keptLayouts     = 16
	keptLayoutBytes = 64 << 20 // of their pixels
)

// A layoutKey is what decides how a picture looks that was laid out: each version of a figure is
// an image of its own, and a kernel draws a figure as it was displayed, in its own colours. A
// file on disk may change, so its stamp counts, too.
type layoutKey struct {
	image, stamp string
	how          Drawing
}

func layoutOf(im library.Image, o order) layoutKey {
	return layoutKey{im.ImageID, gallery.Stamp(im), o.drawing()}
}

type laidOut struct {
	key    layoutKey
	pixels *image.RGBA
}

// layouts are the pictures that were laid out last, so that stepping back and forth does not ask
// the kernels again. The most recently used one is last.
type layouts []laidOut

// find returns a kept picture, or nil, and marks it as the most recently used.
func (l *layouts) find(key layoutKey) *image.RGBA {
	i := slices.IndexFunc(*l, func(x laidOut) bool { return x.key == key })
	if i < 0 {
		return nil
	}
	x := (*l)[i]
	*l = append(slices.Delete(*l, i, i+1), x)
	return x.pixels
}

// keep adds a picture and releases the least recently used ones to make room.
func (l *layouts) keep(key layoutKey, m *image.RGBA) {
	l.drop(func(x layoutKey) bool { return x == key })
	bytes := len(m.Pix)
	if bytes > keptLayoutBytes {
		return
	}
	for _, x := range *l {
		bytes += len(x.pixels.Pix)
	}
	for len(*l) >= keptLayouts || bytes > keptLayoutBytes {
		bytes -= len((*l)[0].pixels.Pix)
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, laidOut{key, m})
}

// drop releases pictures.
func (l *layouts) drop(gone func(layoutKey) bool) {
	*l = slices.DeleteFunc(*l, func(x laidOut) bool { return gone(x.key) })
}

// prune releases what was laid out for images to which the user cannot step: they were deleted,
// replaced by a newer version, or are not in the list.
func (v *View) prune() {
	v.layout.kept.drop(func(x layoutKey) bool {
		return x.image != v.id && !slices.Contains(v.ids, x.image) && !slices.Contains(v.versions.ids, x.image)
	})
}

// KeepLayouts takes over from another viewer what was laid out there, for example when the
// window is built again in other colours. The other viewer may be closed.
func (v *View) KeepLayouts(from *View) {
	v.layout.kept, from.layout.kept = from.layout.kept, nil
	v.layout.change()
}
