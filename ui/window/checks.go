package window

import (
	"context"
	"strings"

	"easel/eventbus"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/window/checks"
	"easel/ui/window/dialogs"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/viewer"
)

// checksPort returns the port of the checks of plots.
func (a *App) checksPort() checks.Port {
	return checks.Port{
		Kit: a.kit, Dialogs: func() *dialogs.Host { return a.shell.dialogs }, Requests: a.requests, Say: a.say, Offer: a.offer,
		Image: func(id string, done func(library.Image)) { a.shell.gallery.lookUp(id, done) },
		Stored: func(id string, done func([]byte)) {
			a.requests.Go(func(ctx context.Context) {
				data, _, err := a.cfg.Library.Read(ctx, id)
				if err != nil {
					data = nil
				}
				done(data)
			})
		},
		Compare: func(ids []string) { a.shell.gallery.compare(ids) },
	}
}

// lookUp calls done with a plot, also with one that no view shows. It does not call it if
// the plot was deleted.
func (c *galleryPage) lookUp(id string, done func(library.Image)) {
	a := c.s.a
	if im, ok := c.known(id); ok {
		done(im)
		return
	}
	a.requests.Go(func(ctx context.Context) {
		if images, err := a.cfg.Library.Get(ctx, id); err == nil && len(images) == 1 {
			a.requests.Post(func() { done(images[0]) })
		}
	})
}

// withFresh is a library that also has the pictures that checks have drawn, for the
// comparison.
type withFresh struct {
	viewer.Library
	bus *eventbus.Bus
	k   *kit.Kit
}

// Read reads an image, or the picture of its check if the id begins with FreshPrefix.
func (l withFresh) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	of, ok := strings.CutPrefix(id, checks.FreshPrefix)
	if !ok {
		return l.Library.Read(ctx, id)
	}
	out, err := command.ReadCheck.Ask(ctx, l.bus, of)
	if err != nil {
		return nil, library.Image{}, err
	}
	if out.Fresh == nil {
		return nil, library.Image{}, library.ErrNotFound
	}
	images, err := l.Get(ctx, of)
	if err != nil || len(images) == 0 {
		return nil, library.Image{}, library.ErrNotFound
	}
	im := images[0]
	im.Title = l.k.T("check.fresh", gallery.Title(l.k, im))
	im.MIMEType, im.CreatedAt, im.Interactive, im.Broken = out.FreshType, out.Check.At, "", false
	return out.Fresh, im, nil
}
