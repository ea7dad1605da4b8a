package plots

import (
	"context"

	"easel/ui/core/command"
	"easel/ui/core/facts/differences"
	"easel/ui/core/library"
	"easel/ui/core/tools/codes"
)

// Differences compares two plots.
func (r *Results) Differences(ctx context.Context, before, after library.Image) (d command.Differences) {
	d.Code = differences.Lines(r.code(ctx, before), r.code(ctx, after))
	if r.Numbers == nil {
		return d
	}
	f, ok := r.Numbers.Figure(ctx, before)
	g, also := r.Numbers.Figure(ctx, after)
	if d.Known = ok && also; d.Known {
		d.Facts = differences.Facts(f, g)
	}
	return d
}

// code returns the code that drew a plot.
func (r *Results) code(ctx context.Context, im library.Image) string {
	if r.Code != nil {
		return r.Code(ctx, im)
	}
	return im.Code
}

// differencesOf compares two plots for the window.
func (r *reader) differencesOf(ctx context.Context, in command.DifferencesIn) (command.Differences, error) {
	before, err := r.Results.Source.Image(ctx, in.Before)
	if err != nil {
		return command.Differences{}, codes.ImageNotFound(in.Before, err)
	}
	after, err := r.Results.Source.Image(ctx, in.After)
	if err != nil {
		return command.Differences{}, codes.ImageNotFound(in.After, err)
	}
	return r.Results.Differences(ctx, before, after), nil
}
