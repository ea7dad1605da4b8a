package notebook

import (
	"context"
	"errors"
	"fmt"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
)

// A picture that is saved in a notebook has a name, by which get_image_resource returns it. It is
// not added to the library: nobody drew it here. If the library has the same picture, that is
// returned, with what the user said about it.

// findPlots adds the plots of the library to the pictures in cells that are the same.
func (n *reader) findPlots(ctx context.Context, cells []catalog.NotebookCell) {
	for _, c := range cells {
		for _, o := range c.Outputs {
			for i, f := range o.Data {
				if f.ResourceURI == "" || f.Sum == "" {
					continue
				}
				if im, err := n.library.Images.WithContent(ctx, f.Sum); err == nil {
					o.Data[i].Plot = &im.Image
				}
			}
		}
	}
}

// savedPicture reads a picture that is saved in a notebook. path is the server's own spelling.
func (n *reader) savedPicture(ctx context.Context, name notebooks.PictureName) (p notebooks.SavedPicture, path string, err error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	at, _, err := n.find.locate(ctx, "", name.Path)
	if err != nil {
		return p, "", err
	}
	_, book, _, err := n.open.look(ctx, at)
	if err != nil {
		return p, "", n.open.documentError(ctx, at, err)
	}
	p, err = book.Picture(name)
	if errors.Is(err, notebooks.ErrNoPicture) {
		return p, "", &tool.Error{
			Code: tool.ImageNotFound, Detail: fmt.Sprintf("No picture is saved in this output: %q.", name),
			Hint: "notebook_read names the pictures in a notebook's outputs.", Err: err,
		}
	}
	if errors.Is(err, notebooks.ErrCellNotFound) {
		err = codes.Notebook(at.path, err)
	}
	return p, at.own(), err
}
