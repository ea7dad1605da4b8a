package plots

import (
	"context"

	"easel/ui/core/command"
	"easel/ui/core/tools/codes"
)

// findingsOf returns the findings of a plot for the window.
func (r *reader) findingsOf(ctx context.Context, image string) ([]command.PlotFinding, error) {
	im, err := r.Results.Source.Image(ctx, image)
	if err != nil {
		return nil, codes.ImageNotFound(image, err)
	}
	if r.Results.Numbers == nil {
		return nil, nil
	}
	return r.Results.Numbers.ForUser(ctx, im), nil
}
