package plots

import (
	"context"
	"errors"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/interactive"
	"easel/ui/core/tools/codes"
)

func (r *reader) openFigure(ctx context.Context, id string) (ticket string, err error) {
	ticket, err = r.Figures.Issue(ctx, id)
	if errors.Is(err, interactive.ErrPicture) {
		return "", &tool.Error{Code: tool.NotExecutable, Detail: "This plot is a picture: a browser shows no more of it.", Err: err}
	}
	return ticket, codes.ImageNotFound(id, err)
}

func (r *reader) readFigure(ctx context.Context, ticket string) (catalog.FigurePage, error) {
	html, ok, err := r.Figures.Redeem(ctx, ticket)
	return catalog.FigurePage{HTML: html, Void: !ok}, err
}
