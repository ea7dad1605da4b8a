package lookup

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// complete suggests completions for what the user has typed, the most likely first.
func (l *lookup) complete(ctx context.Context, in catalog.CompleteIn) (catalog.CompleteOut, error) {
	var values []string
	var err error
	switch in.Of {
	case catalog.OfSessions:
		values, err = l.completeSessions(ctx, in.Value)
	case catalog.OfFiles:
		values, err = l.completeFiles(ctx, in.Value)
	case catalog.OfImages:
		values, err = l.completeImages(ctx, in.Value, in.Limit+1)
	case catalog.OfPlotHomes:
		values, err = l.completeHomes(ctx, in.Value)
	case catalog.OfImageIDs, catalog.OfImageExts:
		values, err = l.completeParts(ctx, in)
	}
	out := catalog.CompleteOut{Values: values, More: len(values) > in.Limit}
	out.Values = values[:min(len(values), in.Limit)]
	return out, err
}

// completeSessions returns the live sessions whose id starts with the typed text or whose
// notebook path contains it, the last active first.
func (l *lookup) completeSessions(ctx context.Context, typed string) ([]string, error) {
	list, err := catalog.SessionList.Ask(ctx, l.Bus, catalog.SessionListIn{})
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

// completeHomes returns the sessions with images that match the typed text, newest first.
func (l *lookup) completeHomes(ctx context.Context, typed string) ([]string, error) {
	sessions, err := l.Library.Sessions.All(ctx)
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

// completeFiles returns the entries of the typed folder that start with the rest of the
// text. Folders end in a slash, so that the user can continue typing.
func (l *lookup) completeFiles(ctx context.Context, typed string) ([]string, error) {
	dir, begun := path.Split(typed)
	list, err := catalog.FileList.Ask(ctx, l.Bus, catalog.FileListIn{Path: cmp.Or(dir, "/")})
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

// completeImages returns the words selected and latest, then images, newest first. Words
// and URIs match by prefix, titles by any part.
func (l *lookup) completeImages(ctx context.Context, typed string, limit int) ([]string, error) {
	var values []string
	for _, word := range []string{catalog.Selected, catalog.Latest} {
		if strings.HasPrefix(word, typed) {
			values = append(values, word)
		}
	}
	images, _, err := l.Library.Images.Page(ctx, library.All(), library.Page{Limit: library.MaxPage})
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

// completeParts returns ids or extensions of images, given the other parts of the URI.
func (l *lookup) completeParts(ctx context.Context, in catalog.CompleteIn) ([]string, error) {
	session := in.Given["session_id"]
	if session == "" {
		return nil, nil // the ids of all images are too many to be useful
	}
	images, _, err := l.Library.Images.Page(ctx, library.Query{SessionID: session, Rating: -1}, library.Page{Limit: library.MaxPage})
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

// containsFold reports whether text contains typed, ignoring case. Empty typed is in every
// text but the empty one.
func containsFold(text, typed string) bool {
	return text != "" && strings.Contains(strings.ToLower(text), strings.ToLower(typed))
}
