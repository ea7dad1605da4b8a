package window

import (
	"context"
	"image"
	"image/draw"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/state"
	"easel/ui/window/requests"
)

// sharpen has a plot drawn anew by its kernel with scale times its pixels, if the kernel is
// idle. done gets nil if it cannot be drawn. It is not called after cancel.
func (a *App) sharpen(im library.Image, scale float64, done func(*image.RGBA)) (cancel func()) {
	idle := func(s state.Session) bool { return s.SessionID == im.SessionID && s.Status == "idle" }
	if n := a.cfg.Store.Snapshot(); !slices.ContainsFunc(n.Sessions, idle) || !n.Settings.KeepFigures && !n.Settings.KeepTheirFigures {
		done(nil)
		return func() {}
	}
	over := false
	in := catalog.RedrawImageIn{Image: im.ImageID, Format: "png", Scale: scale}
	stop := requests.Quiet(a.requests, catalog.RedrawImage, in, func(out catalog.RedrawImageOut, err error) {
		if over || err != nil || len(out.Data) == 0 {
			if !over {
				done(nil)
			}
			return
		}
		a.requests.Go(func(context.Context) {
			var pixels *image.RGBA
			if im, err := picture.Decode(out.Data); err == nil {
				pixels = image.NewRGBA(image.Rectangle{Max: im.Bounds().Size()})
				draw.Draw(pixels, pixels.Rect, im, im.Bounds().Min, draw.Src)
			}
			a.requests.Post(func() {
				if !over {
					done(pixels)
				}
			})
		})
	})
	return func() {
		over = true
		stop()
	}
}
