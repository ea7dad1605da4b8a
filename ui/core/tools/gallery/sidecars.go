package gallery

import (
	"context"
	"errors"
	"path/filepath"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/sidecar"
	"easel/ui/core/state"
)

// sidecarPage is how many pictures are looked up at once.
const sidecarPage = 100

// saveSidecars writes the stars and tags of the open directory's pictures beside them.
func (g *folderOpener) saveSidecars(ctx context.Context, in command.SaveSidecarsIn) (out command.SaveSidecarsOut, err error) {
	f := g.store.Snapshot().Folder
	if f.Kind != state.Directory || g.directories == nil {
		return out, &tool.Error{Code: tool.NotExecutable, Detail: "The gallery shows no folder on disk."}
	}
	if err := g.directories.WaitLoaded(ctx); err != nil { // stars belong to a file's bytes, so all must have been read
		return out, err
	}
	ids, err := g.library.IDs(ctx, library.Query{URIPrefix: folders.Scheme + f.ID, Rating: -1, SortBy: "name", Asc: true})
	for from := 0; from < len(ids) && err == nil; from += sidecarPage {
		var images []library.Image
		images, err = g.library.Get(ctx, ids[from:min(from+sidecarPage, len(ids))]...)
		for _, im := range images {
			written, err := sidecar.Write(im.Path, im.Rating, im.Tags)
			switch name := filepath.Base(im.Path); {
			case errors.Is(err, sidecar.ErrForeign):
				if im.Rating > 0 || len(im.Tags) > 0 {
					out.Foreign = append(out.Foreign, name)
				}
			case err != nil:
				if out.Failed = append(out.Failed, name); out.Reason == "" {
					out.Reason = err.Error()
				}
			case written:
				out.Written++
			case im.Rating > 0 || len(im.Tags) > 0:
				out.Same++
			}
		}
		if in.Progress != nil {
			in.Progress(min(from+sidecarPage, len(ids)), len(ids))
		}
	}
	return out, err
}
