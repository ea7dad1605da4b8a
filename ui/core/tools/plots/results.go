package plots

import (
	"context"

	"easel/internal/tokens"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/plotdata"
	"easel/ui/core/redraw"
)

// Results completes the images of results.
type Results struct {
	// Source has the images: plots and, if directories are supported, the files in the open
	// directory.
	Source Source
	// Drawings knows the figures that are drawn. May be nil.
	Drawings *collection.Collection
	Sessions Sessions
	// Redrawer says what can draw plots again. May be nil.
	Redrawer *redraw.Redrawer
	// Numbers knows what plots show. May be nil.
	Numbers *plotdata.Reader
	// Code returns the code that drew a plot. If nil, it is that of the image's record.
	Code func(ctx context.Context, im library.Image) string
	// Tell reports whether results say what plots show in numbers.
	Tell func() bool

	examined Examinations
}

// A Source has images.
type Source interface {
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	Read(ctx context.Context, idOrURI string) ([]byte, library.Image, error)
}

// Sessions are the sessions of the library.
type Sessions interface {
	Get(ctx context.Context, id string) (library.Session, error)
}

// Complete adds to the images of a result what they are now: whether a figure is being drawn,
// whether pictures are damaged, and what can draw them again.
func (r *Results) Complete(ctx context.Context, images []catalog.Image) {
	r.describeUndrawn(ctx, images)
	r.markDamaged(ctx, images)
	r.sayRedrawable(ctx, false, eachOf(images)...)
	r.sayNumbers(ctx, images)
}

// mostFacts is how many tokens the numbers of all plots of a result may cost.
const mostFacts = 1000

// sayNumbers says of the plots of a result what they show in numbers, as far as there is room.
func (r *Results) sayNumbers(ctx context.Context, images []catalog.Image) {
	if !r.tells(ctx) {
		return
	}
	left := mostFacts
	for i := range images[:min(len(images), catalog.MostListed)] {
		im, err := r.Source.Image(ctx, images[i].ImageID)
		if err != nil {
			continue
		}
		text := r.Numbers.Brief(ctx, im)
		if left -= tokens.In(text); left < 0 {
			return
		}
		images[i].Facts = text
	}
}

// tells reports whether a result says what plots show. The window reads it elsewhere.
func (r *Results) tells(ctx context.Context) bool {
	return r.Numbers != nil && r.Tell != nil && r.Tell() && tool.CallerFrom(ctx).Transport != tool.Window
}

// SayAll adds to a plot all that is to be said of what it shows in numbers, if the user wants that.
func (r *Results) SayAll(ctx context.Context, im *library.Image) {
	if r.tells(ctx) {
		im.Image.Facts, im.Image.Findings = r.Numbers.Whole(ctx, *im), r.Numbers.Findings(ctx, *im)
	}
}

// describeUndrawn changes the descriptions of figures without a picture that Easel is about
// to draw, or could not draw: a model that read only that they have none would display them
// again.
func (r *Results) describeUndrawn(ctx context.Context, images []catalog.Image) {
	for i, im := range images {
		images[i].Description = r.describe(ctx, im)
	}
}

// describe returns the description of an image. That of a figure without a picture says
// that Easel is about to draw it or why it could not, or how the code gets a picture.
func (r *Results) describe(ctx context.Context, im catalog.Image) string {
	kind, ok := picture.InteractiveOf(im.Interactive)
	if !ok || r.Drawings == nil {
		return im.Description
	}
	now, err := r.Drawings.Get(ctx, im.ImageID)
	if err != nil || len(now) != 1 {
		return im.Description
	}
	switch why := now[0].NotDrawn; {
	case why.Lacks != "":
		return im.Description
	case why.Reason != "":
		return mimebundle.DescribeRefused(kind, why.Reason)
	case r.Drawings.Drawing(now[0]) != nil:
		return mimebundle.DescribeUndrawn(kind)
	default:
		return im.Description
	}
}

// markDamaged marks the damaged pictures among those that a result may contain. One picture
// that cannot be decoded makes every later request of a conversation fail.
func (r *Results) markDamaged(ctx context.Context, images []catalog.Image) {
	left := catalog.MostPictures
	for i, im := range images {
		if left == 0 {
			return
		}
		if images[i].Damaged = r.Damage(ctx, im); images[i].Damaged == "" {
			left--
		}
	}
}

// whole returns an error if the picture of an image is damaged.
func (r *Results) whole(ctx context.Context, im catalog.Image) error {
	if why := r.Damage(ctx, im); why != "" {
		return damagedPicture(why, picture.ErrDamaged)
	}
	return nil
}

// sayRedrawable says of images what can draw them again, for callers that have no window. With
// ask, it asks the kernels, which takes longer.
func (r *Results) sayRedrawable(ctx context.Context, ask bool, images ...*catalog.Image) {
	if r.Redrawer == nil || tool.CallerFrom(ctx).Transport == tool.Window {
		return
	}
	for _, im := range images[:min(len(images), catalog.MostListed)] {
		found, err := r.Source.Image(ctx, im.ImageID)
		if err == nil {
			way := r.Way(ctx, found, ask)
			if im.Redrawable = way.By; ask {
				im.NotRedrawn = whyNot(way)
			}
		}
	}
}

// eachOf returns pointers to images.
func eachOf(images []catalog.Image) []*catalog.Image {
	list := make([]*catalog.Image, len(images))
	for i := range images {
		list[i] = &images[i]
	}
	return list
}

// Damage returns why the picture of an image cannot be shown, or "" if it can.
func (r *Results) Damage(ctx context.Context, im catalog.Image) string {
	return r.examined.Damage(ctx, r.Source, im)
}
