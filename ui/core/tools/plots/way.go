package plots

import (
	"context"
	"errors"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/figurestore"
	"easel/ui/core/language"
	"easel/ui/core/library"
	"easel/ui/core/redraw"
	"easel/ui/core/tools/codes"
)

// Way returns what can draw an image again. With ask, it asks the kernel. Of kernels in other languages than Python,
// it is not known which pictures are plots.
func (r *Results) Way(ctx context.Context, im library.Image, ask bool) redraw.Way {
	way := r.Redrawer.Way(ctx, im, ask)
	if way.By != catalog.RedrawnNot || im.Code == "" {
		return way
	}
	s, err := r.Sessions.Get(ctx, im.SessionID)
	if l := language.Guess(s.KernelName); err == nil && l != "" && l != "python" {
		return redraw.Way{By: catalog.RedrawnByReplay, Why: &redraw.Error{Reason: redraw.Language}}
	}
	return way
}

// SayWay adds to a plot what can draw it again, and why nothing better can.
func (r *Results) SayWay(ctx context.Context, im *library.Image) {
	way := r.Way(ctx, *im, true)
	im.Redrawable, im.NotRedrawn = way.By, whyNot(way)
}

// whyNot says to a model why neither the kernel nor a stored figure draws a plot, and what to do.
func whyNot(way redraw.Way) string {
	if way.Why == nil {
		return ""
	}
	text := codes.Sentence(way.Why.Error())
	if way.By == catalog.RedrawnByReplay {
		text += " check_reproducibility runs its code again and compares the pictures; for another size or format, run the code with execute_code."
	}
	return text
}

// wayOf returns what can draw a plot again, for the window.
func (r *reader) wayOf(ctx context.Context, image string) (out command.PlotWay, err error) {
	im, err := r.Results.Source.Image(ctx, image)
	if err != nil {
		return out, codes.ImageNotFound(image, err)
	}
	if r.Results.Redrawer == nil {
		return out, nil
	}
	way := r.Results.Way(ctx, im, false)
	out = command.PlotWay{By: way.By, Data: way.Data}
	if way.Why == nil {
		return out, nil
	}
	out.Reason = string(way.Why.Reason)
	if unstored, ok := errors.AsType[*figurestore.UnstoredError](way.Why); ok {
		if out.Unstored, out.Detail = unstored.Known(); out.Unstored == "" {
			out.Unstored = "pickle"
		}
	}
	return out, nil
}
