package plots

import (
	"context"
	"errors"
	"path/filepath"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/cells"
	"easel/ui/core/library"
	"easel/ui/core/tools/codes"
)

// A Gallery knows what selected, latest and paths mean.
type Gallery interface {
	Resolve(ctx context.Context, name string) ([]library.Image, error)
	// Latest returns the newest plot of the caller's own sessions, otherwise that of the folder or of all.
	Latest(ctx context.Context) ([]library.Image, error)
	ByPath(ctx context.Context, path string) (library.Image, error)
}

// Names finds images by their names.
type Names struct {
	Source  Source
	Gallery Gallery
}

// Find returns the image that a URI, an id, a path, selected or latest names.
func (n *Names) Find(ctx context.Context, name string) (library.Image, error) {
	if name == catalog.Selected || name == catalog.Latest {
		resolve := func(ctx context.Context) ([]library.Image, error) { return n.Gallery.Resolve(ctx, name) }
		if name == catalog.Latest {
			resolve = n.Gallery.Latest
		}
		found, err := resolve(ctx)
		if err != nil {
			return library.Image{}, err
		}
		if len(found) == 0 { // it has been deleted since
			return library.Image{}, codes.ImageNotFound(name, library.ErrNotFound)
		}
		return found[0], nil
	}
	image, err := n.Source.Image(ctx, name)
	if errors.Is(err, library.ErrNotFound) && filepath.IsAbs(name) {
		image, err = n.Gallery.ByPath(ctx, name)
	}
	return image, codes.ImageNotFound(name, err)
}

// PageFor returns the default number of entries in a page of a list. It is smaller for MCP
// clients, because entries cost the model tokens.
func PageFor(ctx context.Context) int {
	if tool.CallerFrom(ctx).Transport == tool.MCP {
		return 20
	}
	return 50
}

// Freshen makes sure that a client's result has the cells of a session's plots as they are
// now. For the window, package cells does so.
func Freshen(ctx context.Context, c *cells.Cells, session string) {
	if by := tool.CallerFrom(ctx).Transport; by == tool.MCP || by == tool.REST {
		c.Fresh(ctx, session)
	}
}
