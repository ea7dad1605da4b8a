package gallery

import (
	"cmp"
	"context"
	"errors"

	"easel/mcphost/catalog"
	"easel/ui/core/facts/differences"
	"easel/ui/core/library"
	"easel/ui/core/tools/codes"
)

// differences compares an image with another one, which a call names.
func (g *reader) differences(ctx context.Context, im library.Image, with string) (*catalog.Differences, error) {
	other, err := g.compared(ctx, im, with)
	if err != nil {
		return nil, err
	}
	out := &catalog.Differences{With: cmp.Or(other.ResourceURI, other.Path), Code: []string{}, Facts: []string{}}
	before, after := other, im
	if g.compare == nil {
		return out, nil
	}
	d := g.compare(ctx, before, after)
	for _, l := range d.Code {
		sign := "- "
		if l.Added {
			sign = "+ "
		}
		out.Code = append(out.Code, sign+l.Text)
	}
	out.Facts = append(out.Facts, differences.English.Say(d.Facts)...)
	out.Text = differences.Text(d.Code, d.Facts, d.Known)
	return out, nil
}

// compared returns the image with which a call compares another one. An older version of a figure stays itself.
func (g *reader) compared(ctx context.Context, im library.Image, with string) (library.Image, error) {
	if with == catalog.Previous {
		if im.Replaces == "" {
			return library.Image{}, codes.BadValue("compare_with", "is previous, but the figure has no earlier version: name another plot")
		}
		other, err := g.library.Image(ctx, im.Replaces)
		return other, notThereUnless(im.Replaces, err)
	}
	other, err := g.library.Image(ctx, with)
	if !errors.Is(err, library.ErrNotFound) {
		return other, err
	}
	found, err := g.find.Resolve(ctx, with)
	if err != nil {
		return library.Image{}, err
	}
	if len(found) == 0 {
		return library.Image{}, notThere(with, library.ErrNotFound)
	}
	return found[0], nil
}

func notThereUnless(name string, err error) error {
	if err == nil {
		return nil
	}
	return notThere(name, err)
}
