package gallery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// A Finder finds the images that names mean.
type Finder struct {
	Library     Library
	Store       *state.Store
	Directories Directories
	RootDir     string
	Sessions    *library.Sessions
}

// Resolve returns the images that name means: selected, latest, a URI, an id or a path.
func (g *Finder) Resolve(ctx context.Context, name string) ([]library.Image, error) {
	s := g.Store.Snapshot()
	switch name {
	case catalog.Selected:
		if len(s.Selection) == 0 {
			return nil, &tool.Error{
				Code: tool.NotExecutable, Detail: "Nothing is selected in the gallery.",
				Hint: "Name the file by its URI, or say latest.",
			}
		}
		return g.Library.Get(ctx, s.Selection...)
	case catalog.Latest:
		return g.latest(ctx, s)
	}
	im, err := g.named(ctx, name)
	if errors.Is(err, library.ErrNotFound) && g.waits(ctx) {
		if err := g.listed(ctx); err != nil {
			return nil, err
		}
		im, err = g.named(ctx, name)
	}
	if err != nil {
		if errors.Is(err, library.ErrNotFound) {
			return nil, notThere(name, err)
		}
		return nil, err
	}
	return []library.Image{im}, nil
}

// named returns the image with a URI, an id or a path.
func (g *Finder) named(ctx context.Context, name string) (library.Image, error) {
	im, err := g.Library.Image(ctx, name)
	if errors.Is(err, library.ErrNotFound) && !strings.HasPrefix(name, "jupyter://") {
		im, err = g.ByPath(ctx, name)
	}
	return im, err
}

// listPatience is how long a call of an assistant waits until a directory is listed. A disk may be slow, or not answer.
const listPatience = 30 * time.Second

// waits reports whether a call depends on files of the open directory that are not listed yet: the order of files is
// known when all are. The window does not wait; it shows what is listed, and then the others.
func (g *Finder) waits(ctx context.Context) bool {
	return g.Directories != nil && tool.CallerFrom(ctx).Transport != tool.Window &&
		g.Store.Snapshot().Folder.Kind == state.Directory && g.Directories.Listing()
}

// listed waits for what a call depends on. If that takes too long, the call gets what is listed; then the view says that
// there will be more.
func (g *Finder) listed(ctx context.Context) error {
	if g.waits(ctx) {
		waiting, cancel := context.WithTimeout(ctx, listPatience)
		defer cancel()
		_ = g.Directories.WaitListed(waiting, nil)
	}
	return ctx.Err()
}

// newest returns images with older versions of figures replaced by the newest ones, which
// the window shows.
func (g *Finder) newest(ctx context.Context, images []library.Image) ([]library.Image, error) {
	images = slices.Clone(images)
	for i, im := range images {
		if im.ReplacedBy == "" {
			continue
		}
		var err error
		if images[i], err = g.Library.Image(ctx, im.ReplacedBy); err != nil {
			return nil, err
		}
	}
	return images, nil
}

// latest returns what the word means in the folder that is shown: in a directory, the last modified file; otherwise
// the newest plot, for a client that of its own sessions if they have any.
func (g *Finder) latest(ctx context.Context, s *state.Snapshot) ([]library.Image, error) {
	if s.Folder.Kind != state.Directory || g.Directories == nil {
		return g.Latest(ctx)
	}
	if err := g.listed(ctx); err != nil {
		return nil, err
	}
	id := g.Directories.LatestFile()
	if id == "" {
		return nil, &tool.Error{
			Code: tool.FileNotFound, Detail: fmt.Sprintf("The open folder %s has no pictures.", s.Folder.ID),
			Hint: "open_folder with jupyter://sessions/ shows the plots; or name one by its URI.",
		}
	}
	return g.Library.Get(ctx, id)
}

// Latest returns the newest plot of the caller's own sessions, whatever folder is shown. If they have none, it is that
// of the open directory or, if that has none, of all sessions.
func (g *Finder) Latest(ctx context.Context) ([]library.Image, error) {
	own, err := g.latestOwn(ctx)
	if err != nil || len(own) > 0 {
		return own, err
	}
	if s := g.Store.Snapshot(); s.Folder.Kind == state.Directory && g.Directories != nil {
		if err := g.listed(ctx); err != nil {
			return nil, err
		}
		if id := g.Directories.LatestFile(); id != "" {
			return g.Library.Get(ctx, id)
		}
	}
	ids, err := g.Library.IDs(ctx, library.All())
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &tool.Error{Code: tool.ImageNotFound, Detail: "There are no plots yet.", Hint: "Draw one with execute_code in a session."}
	}
	return g.Library.Get(ctx, ids[0])
}

// latestOwn returns the newest plot of the sessions that the calling client has used; none for the user.
func (g *Finder) latestOwn(ctx context.Context) (newest []library.Image, err error) {
	id := tool.CallerFrom(ctx).Identity()
	if id == "" {
		return nil, nil
	}
	sessions, err := g.Sessions.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if s.Images == 0 || !slices.Contains(strings.Fields(s.Users), id) {
			continue
		}
		ids, err := g.Library.IDs(ctx, library.Query{SessionID: s.ID, Rating: -1})
		if err != nil {
			return nil, err
		}
		found, err := g.Library.Get(ctx, ids[:min(len(ids), 1)]...)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 && (len(newest) == 0 || found[0].CreatedAt.After(newest[0].CreatedAt)) {
			newest = found
		}
	}
	return newest, nil
}

func notThere(name string, err error) error {
	c := tool.FileNotFound
	if strings.HasPrefix(name, "jupyter://") {
		c = tool.ImageNotFound
	}
	return &tool.Error{
		Code: c, Detail: fmt.Sprintf("There is no file %q in the gallery.", name),
		Hint: "get_files_in_view lists the files.", Err: err,
	}
}

// ByPath finds an image by the path of its file, which may be relative to RootDir.
func (g *Finder) ByPath(ctx context.Context, path string) (library.Image, error) {
	if full, err := g.diskPath(path); err == nil && full != path {
		if im, err := g.Library.Image(ctx, full); !errors.Is(err, library.ErrNotFound) {
			return im, err
		}
		path = full
	}
	return g.Library.ImageAt(ctx, path)
}

// targets returns the images that path and paths name, or the selected ones if both are
// empty.
func (g *Finder) targets(ctx context.Context, path string, paths []string) ([]library.Image, error) {
	names := paths
	if path != "" {
		names = append([]string{path}, paths...)
	}
	if len(names) == 0 {
		names = []string{catalog.Selected}
	}
	if images, err := g.Library.Get(ctx, names...); err == nil && len(images) == len(names) {
		return images, nil // all names are ids, as from the window; one query is enough
	}
	var images []library.Image
	for _, n := range names {
		found, err := g.Resolve(ctx, n)
		if err != nil {
			return nil, err
		}
		images = append(images, found...)
	}
	return images, nil
}

// ours returns the newest versions of images in the library. It fails for files on disk,
// which Easel neither renames nor deletes.
func (g *Finder) ours(ctx context.Context, ids []string) ([]library.Image, error) {
	images, err := g.Library.Get(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, i := range images {
		if i.SessionID == "" {
			return nil, &tool.Error{Code: tool.NotExecutable, Detail: "This is a file on disk. Easel changes only images in its library."}
		}
	}
	if len(images) < len(ids) || len(ids) == 0 {
		return nil, notThere("", library.ErrNotFound)
	}
	return g.newest(ctx, images)
}

// diskPath converts a path or file:// URL to an absolute path. ~ is the home directory. A
// relative path starts at the root directory and must not leave it.
func (g *Finder) diskPath(path string) (string, error) {
	if file, ok := system.FilePath(path); ok {
		path = file
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", noFolder(path, err)
		}
		path = filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) {
		return folders.Spelling(filepath.Clean(path)), nil
	}
	if strings.Contains(path, "://") {
		return "", noFolder(path, fs.ErrNotExist)
	}
	if !filepath.IsLocal(path) || g.RootDir == "" {
		return "", &tool.Error{
			Code: tool.Validation, Detail: fmt.Sprintf("The relative path %q leaves Easel's root directory.", path),
			Hint: "Give an absolute path.", Fields: []tool.Field{{Pointer: "#/path", Detail: "must stay below the root directory, or be absolute"}},
		}
	}
	return folders.Spelling(filepath.Join(g.RootDir, path)), nil
}

func idsOf(images []library.Image) []string {
	ids := make([]string, 0, len(images))
	seen := make(map[string]bool, len(images))
	for _, i := range images {
		if !seen[i.ImageID] {
			seen[i.ImageID] = true
			ids = append(ids, i.ImageID)
		}
	}
	return ids
}
