package tools

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// complete tells what the user may be about to type, the likeliest first.
func (b *bodies) complete(ctx context.Context, in catalog.CompleteIn) (catalog.CompleteOut, error) {
	var values []string
	var err error
	switch in.Of {
	case catalog.OfSessions:
		values, err = b.completeSessions(ctx, in.Value)
	case catalog.OfFiles:
		values, err = b.completeFiles(ctx, in.Value)
	case catalog.OfImages:
		values, err = b.completeImages(ctx, in.Value, in.Limit+1)
	case catalog.OfPlotHomes:
		values, err = b.completeHomes(ctx, in.Value)
	case catalog.OfImageIDs, catalog.OfImageExts:
		values, err = b.completeParts(ctx, in)
	}
	out := catalog.CompleteOut{Values: values, More: len(values) > in.Limit}
	out.Values = values[:min(len(values), in.Limit)]
	return out, err
}

// completeSessions: by the id's beginning, or by any part of the notebook's path.
func (b *bodies) completeSessions(ctx context.Context, typed string) ([]string, error) {
	list, err := catalog.SessionList.Ask(ctx, b.Bus, catalog.SessionListIn{})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list.Sessions, func(a, b catalog.Session) int { return b.LastActivity.Compare(a.LastActivity) })
	var ids []string
	for _, s := range list.Sessions {
		if strings.HasPrefix(s.SessionID, typed) || containsFold(s.NotebookPath, typed) {
			ids = append(ids, s.SessionID)
		}
	}
	return ids, nil
}

// completeHomes: sessions that have images, the newest first.
func (b *bodies) completeHomes(ctx context.Context, typed string) ([]string, error) {
	sessions, err := b.Library.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(sessions, func(a, b library.Session) int { return b.CreatedAt.Compare(a.CreatedAt) })
	var ids []string
	for _, s := range sessions {
		if s.Images > 0 && (strings.HasPrefix(s.ID, typed) || containsFold(s.NotebookPath, typed) || containsFold(s.Name, typed)) {
			ids = append(ids, s.ID)
		}
	}
	return ids, nil
}

// completeFiles: what is in the folder that was typed so far, folders with a slash
// at the end so that one can go on.
func (b *bodies) completeFiles(ctx context.Context, typed string) ([]string, error) {
	dir, begun := path.Split(typed)
	list, err := catalog.FileList.Ask(ctx, b.Bus, catalog.FileListIn{Path: cmp.Or(dir, "/")})
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range list.Contents {
		if len(f.Name) < len(begun) || !strings.EqualFold(f.Name[:len(begun)], begun) {
			continue
		}
		p := dir + f.Name
		if f.Type == "directory" {
			p += "/"
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// completeImages: the words that name files, then the newest images; by the URI's
// beginning or any part of the title.
func (b *bodies) completeImages(ctx context.Context, typed string, limit int) ([]string, error) {
	var values []string
	for _, word := range []string{catalog.Selected, catalog.Latest} {
		if strings.HasPrefix(word, typed) {
			values = append(values, word)
		}
	}
	images, _, err := b.Library.Images(ctx, library.All(), library.Page{Limit: library.MaxPage})
	if err != nil {
		return nil, err
	}
	for _, im := range images {
		if len(values) >= limit {
			break
		}
		if strings.HasPrefix(im.ResourceURI, typed) || containsFold(im.Title, typed) {
			values = append(values, im.ResourceURI)
		}
	}
	return values, nil
}

// completeParts: the id or the extension of an image, within what is given of its
// URI.
func (b *bodies) completeParts(ctx context.Context, in catalog.CompleteIn) ([]string, error) {
	session := in.Given["session_id"]
	if session == "" {
		return nil, nil // without it the ids of all images would be offered, which is no help
	}
	images, _, err := b.Library.Images(ctx, library.Query{SessionID: session, Rating: -1}, library.Page{Limit: library.MaxPage})
	if err != nil {
		return nil, err
	}
	var values []string
	for _, im := range images {
		id, ext, _ := strings.Cut(path.Base(im.ResourceURI), ".")
		value := id
		if in.Of == catalog.OfImageExts {
			if in.Given["image_id"] != "" && in.Given["image_id"] != id {
				continue
			}
			value = ext
		}
		if strings.HasPrefix(value, in.Value) && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values, nil
}

// containsFold tells whether text has typed in it, whatever the case. Nothing typed
// is in everything that has a text.
func containsFold(text, typed string) bool {
	return text != "" && strings.Contains(strings.ToLower(text), strings.ToLower(typed))
}
