package gallery

import (
	"context"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/folders"
	"easel/ui/core/state"
)

// reach returns which subfolders belong to a directory: all or none, as the user has said, but never Easel's own.
func (g *folderOpener) reach(path string) folders.Reach {
	return folders.Reach{
		Deep:   g.store.Snapshot().Settings.Folders.Deep(path),
		Except: func(path string) bool { return g.private.Why(path) != "" },
	}
}

// includeSubfolders shows a directory with or without its subfolders, and remembers that.
func (g *folderOpener) includeSubfolders(ctx context.Context, in command.IncludeSubfoldersIn) (catalog.ViewOut, error) {
	deepen := func(on bool) {
		g.store.Update(func(s *state.Snapshot) { s.Settings.Folders = s.Settings.Folders.Deepen(in.Path, on) })
	}
	deepen(in.On)
	out, err := g.openFolder(ctx, catalog.OpenFolderIn{Path: in.Path})
	if err != nil {
		deepen(!in.On)
	}
	return out, err
}

// listFolder waits until the open directory has been listed. When ctx ends, it stops the listing.
func (g *folderOpener) listFolder(ctx context.Context, in command.ListFolderIn) (out struct{}, err error) {
	f := g.store.Snapshot().Folder
	if g.directories == nil || f.Kind != state.Directory || f.ID != in.Path {
		return out, &tool.Error{Code: tool.NotExecutable, Detail: "The gallery shows another folder."}
	}
	if err = g.directories.WaitListed(ctx, in.Progress); err != nil && g.store.Snapshot().Folder == f {
		g.directories.StopListing()
	}
	return out, err
}
