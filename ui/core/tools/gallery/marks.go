package gallery

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

// marks are set by the user and assistants: ratings, tags, titles and notes.
type marks struct {
	library Library
	find    *Finder
	changes *changes
}

func (g *marks) setRating(ctx context.Context, in catalog.SetRatingIn) (catalog.FilesOut, error) {
	return g.edit(ctx, in.Path, in.Paths, command.Edit{Rating: in.Rating}, func(m *library.Marks) error { return m.SetRating(in.Rating) })
}

func (g *marks) setTags(ctx context.Context, in catalog.SetTagsIn) (catalog.FilesOut, error) {
	return g.edit(ctx, in.Path, in.Paths, command.Edit{}, func(m *library.Marks) error { return m.SetTags(in.Add, in.Remove) })
}

// edit changes the marks of images, updates the view and notifies the watchers.
func (g *marks) edit(ctx context.Context, path string, paths []string, e command.Edit, do func(*library.Marks) error) (catalog.FilesOut,
	error,
) {
	images, err := g.find.targets(ctx, path, paths)
	if err != nil {
		return catalog.FilesOut{}, err
	}
	if err := g.changes.mark(ctx, e, images, "", do); err != nil {
		return catalog.FilesOut{}, err
	}
	if images, err = g.library.Get(ctx, idsOf(images)...); err != nil {
		return catalog.FilesOut{}, err
	}
	return catalog.FilesOut{Result: catalog.OK, Files: fileList(images)}, nil
}

func (g *marks) setTitle(ctx context.Context, in command.SetTextIn) (command.SetTextOut, error) {
	return g.setText(ctx, in, func(m *library.Marks) error { return m.SetTitle(in.Text) })
}

func (g *marks) setNote(ctx context.Context, in command.SetTextIn) (command.SetTextOut, error) {
	return g.setText(ctx, in, func(m *library.Marks) error { return m.SetNote(in.Text) })
}

// judgeFinding stores that a finding of a plot is no problem, or takes that back.
func (g *marks) judgeFinding(ctx context.Context, in command.JudgeFindingIn) (command.JudgeFindingOut, error) {
	images, err := g.find.ours(ctx, []string{in.ImageID})
	if err != nil {
		return command.JudgeFindingOut{}, err
	}
	err = g.changes.mark(ctx, command.Edit{}, images, "", func(m *library.Marks) error { return m.Judge(in.Key, in.Dismiss) })
	return command.JudgeFindingOut{Edit: callOf(ctx).edit}, err
}

func (g *marks) setText(ctx context.Context, in command.SetTextIn, do func(*library.Marks) error) (command.SetTextOut, error) {
	images, err := g.find.ours(ctx, []string{in.ID})
	if err != nil {
		return command.SetTextOut{}, err
	}
	err = g.changes.mark(ctx, command.Edit{}, images, in.Editing, do)
	return command.SetTextOut{Edit: callOf(ctx).edit}, err
}
