package tools

import (
	"context"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/tools/past"
)

// sayRedrawable says of images what can draw them again, for callers that have no window. With
// ask, it asks the kernels, which takes longer.
func (b *bodies) sayRedrawable(ctx context.Context, ask bool, images ...*catalog.Image) {
	if b.Redrawer == nil || tool.CallerFrom(ctx).Transport == tool.Window {
		return
	}
	for _, im := range images[:min(len(images), catalog.MostListed)] {
		found, err := b.images().Image(ctx, im.ImageID)
		if err == nil {
			im.Redrawable = b.redrawable(ctx, found, ask)
		}
	}
}

// redrawable returns what can draw an image again. Of kernels in other languages than Python, it
// is not known which pictures are plots.
func (b *bodies) redrawable(ctx context.Context, im library.Image, ask bool) string {
	way := b.Redrawer.Way(ctx, im, ask)
	if way != catalog.RedrawnNot || im.Code == "" {
		return way
	}
	s, err := b.Library.Session(ctx, im.SessionID)
	if l := past.Language(s.KernelName); err == nil && l != "" && l != "python" {
		return catalog.RedrawnByReplay
	}
	return way
}

// eachOf returns pointers to images.
func eachOf(images []catalog.Image) []*catalog.Image {
	list := make([]*catalog.Image, len(images))
	for i := range images {
		list[i] = &images[i]
	}
	return list
}
