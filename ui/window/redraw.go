package window

import (
	"cmp"
	"context"
	"image"
	"image/draw"
	"time"

	"easel/ui/core/command"
	"easel/ui/core/interactive"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/redraw"
	"easel/ui/core/state"
	"easel/ui/window/requests"
	"easel/ui/window/viewer"
)

// layoutWithin is how long drawing a figure may have taken before, so that it is laid out for
// the window: the user's code waits for the kernel, and laying out draws the figure up to three
// times as long.
const layoutWithin = 4 * time.Second

// A redrawer has plots drawn anew by their kernels.
type redrawer struct {
	requests *requests.Sender
	snapshot func() *state.Snapshot
}

// redraw has a plot drawn anew for the viewer. done gets nil and a redraw.Reason if it cannot be
// drawn. It is not called after cancel.
func (r *redrawer) redraw(im library.Image, d viewer.Drawing, done func(m *image.RGBA, why string)) (cancel func()) {
	if d.Scale > 0 && !r.sharpens(im) {
		done(nil, string(redraw.Off))
		return func() {}
	}
	if r.status(im) == "dead" {
		done(nil, string(redraw.Ended))
		return func() {}
	}
	over := false
	finish := func(m *image.RGBA, why string) {
		if !over {
			over = true
			done(m, why)
		}
	}
	in := command.RedrawImageIn{
		Image: im.ImageID, Format: redraw.PNG, Scale: d.Scale, Width: d.Width, Height: d.Height, DPI: d.DPI,
		Looking: true,
	}
	if d.Scale == 0 {
		in.Within, in.Roomy = layoutWithin, true
	}
	stop := requests.Quiet(r.requests, command.RedrawImage, in, func(out command.RedrawImageOut, err error) {
		if over || err != nil || len(out.Data) == 0 {
			why := out.Refused
			why = cmp.Or(why, string(redraw.Failed))
			finish(nil, why)
			return
		}
		r.requests.Go(func(context.Context) {
			var pixels *image.RGBA
			if im, err := picture.Decode(out.Data); err == nil {
				pixels = image.NewRGBA(image.Rectangle{Max: im.Bounds().Size()})
				draw.Draw(pixels, pixels.Rect, im, im.Bounds().Min, draw.Src)
			}
			r.requests.Post(func() { finish(pixels, string(redraw.Failed)) })
		})
	})
	return func() {
		over = true
		stop()
	}
}

// sharpens reports whether the kernel of a plot is idle and keeps figures, so that it can draw a
// zoomed plot.
func (r *redrawer) sharpens(im library.Image) bool {
	n := r.snapshot()
	return r.status(im) == "idle" && (n.Settings.KeepFigures || n.Settings.KeepTheirFigures)
}

// status returns the status of a plot's session; empty if there is none.
func (r *redrawer) status(im library.Image) string {
	s, _ := r.snapshot().Session(im.SessionID)
	return s.Status
}

// drawable reports whether a plot can be drawn anew now: it is drawn from its data, or its
// kernel is idle. Whether the kernel has it, it has to say itself. The answer for a kernel that
// is gone comes at once.
func (r *redrawer) drawable(im library.Image) bool {
	switch r.status(im) {
	case "idle", "dead", "": // a kernel that is gone does not become idle
		return true
	}
	return interactive.Has(im)
}
