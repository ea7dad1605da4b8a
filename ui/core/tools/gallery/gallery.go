// Package gallery implements the tools and topics for what the window shows: folders, filters, the
// selection, the viewer, ratings and tags, the trash, and undo.
//
// # Goroutines
//
// Calls run on goroutines of the bus. The state, the library and the history of edits have locks
// of their own; a lock serialises changes of the folder.
package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/cells"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/edits"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/plots"
)

// Library is the part of the library that the gallery's tools use.
type Library interface {
	IDs(ctx context.Context, q library.Query) ([]string, error)
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	ImageAt(ctx context.Context, path string) (library.Image, error)
	Count(ctx context.Context, q library.Query) (total, matching int, err error)
	Session(ctx context.Context, id string) (library.Session, error)
	Mark(ctx context.Context, targets []library.Target, edit func(i int, m *library.Marks) error) ([]library.Marked, error)
	Delete(ctx context.Context, ids []string) error
	PurgeTrash(ctx context.Context, before time.Time) (n int, err error)
	Execution(ctx context.Context, id string) (library.Execution, error)
	ReadOutput(ctx context.Context, execID, stream string, from int64, limit int) (text []byte, total int64, err error)
	Read(ctx context.Context, idOrURI string) ([]byte, library.Image, error)
	QuestionStore
}

// A Leaver shows images as gone; see [collection.Collection.Leave].
type Leaver interface {
	Leave(images []library.Image, fate command.Fate) (over func())
}

// Deps are the dependencies of the gallery's tools.
type Deps struct {
	Bus     *eventbus.Bus
	Store   *state.Store
	Library Library
	// Pictures announces what the tools have changed in Library.
	Pictures *announce.Pictures
	// Directories opens directories on disk, whose files Library then contains. If nil,
	// directories are not supported.
	Directories Directories
	// Leaver shows images as gone while Library moves or deletes them. May be nil.
	Leaver Leaver
	// Cells knows the cells of notebooks that drew plots. May be nil.
	Cells *cells.Cells
	// Redrawable returns what can draw a plot again, as its kernel says if ask is set. May be nil.
	Redrawable func(ctx context.Context, im library.Image, ask bool) string
	// RootDir is the directory that relative paths start from.
	RootDir string
	// Private is what is neither shown nor written to. May be nil.
	Private *private.Directory
	// ShowWindow brings the window to the front; nil without a window.
	ShowWindow func()
}

// A Gallery knows what names mean in the gallery.
type Gallery struct {
	Deps
	opening sync.Mutex // serialises changes of the folder, which is in Store and in Directories
	history *edits.History

	examined plots.Examined
}

// Register registers the bodies. They change the state and the library; the window shows the
// changes.
func Register(c *chain.Chain, d Deps) *Gallery {
	g := &Gallery{Deps: d, history: edits.New(d.Library)}
	c.Undo = g.begin
	chain.Register(c, catalog.OpenFolder, g.openFolder)
	chain.Register(c, catalog.SelectFile, g.selectFile)
	chain.Register(c, catalog.SetRating, g.setRating)
	chain.Register(c, catalog.SetTags, g.setTags)
	chain.Register(c, catalog.FilterByRating, g.filterByRating)
	chain.Register(c, catalog.ClearRatingFilter, g.clearRatingFilter)
	chain.Register(c, catalog.FilterByTag, g.filterByTag)
	chain.Register(c, catalog.ClearTagFilter, g.clearTagFilter)
	chain.Register(c, catalog.SortThumbnails, g.sortThumbnails)
	chain.Register(c, catalog.ShowImageViewer, g.showViewer, windowed[catalog.ShowImageViewerIn](g))
	chain.Register(c, catalog.CloseImageViewer, g.closeViewer, windowed[catalog.CloseImageViewerIn](g))
	chain.Register(c, catalog.NavigateImage, g.navigate, chain.Extra[catalog.NavigateImageIn]{Can: g.canNavigate})
	chain.Register(c, catalog.ToggleFullscreen, g.toggleFullscreen, windowed[catalog.ToggleFullscreenIn](g))
	chain.Register(c, catalog.TogglePropertiesPanel, g.togglePanel, windowed[catalog.TogglePropertiesPanelIn](g))
	chain.Register(c, catalog.SetTheme, g.setTheme, windowed[catalog.SetThemeIn](g))
	chain.Register(c, catalog.GetCurrentFolder, g.currentFolder)
	chain.Register(c, catalog.GetSelectedFiles, g.selectedFiles)
	chain.Register(c, catalog.GetFilesInView, g.filesInView)
	chain.Register(c, catalog.GetPromptInfo, g.promptInfo)

	chain.Register(c, command.Undo, g.undo)
	chain.Register(c, command.Redo, g.redo)
	chain.Register(c, command.UndoAssistant, g.undoAssistant, chain.Extra[command.UndoAssistantIn]{Can: g.canUndo})
	chain.Register(c, command.SetTitle, g.setTitle)
	chain.Register(c, command.SetNote, g.setNote)
	chain.Register(c, command.SetRegion, g.setRegion)
	chain.Register(c, command.AskQuestion, g.askQuestion)
	chain.Register(c, command.DeleteQuestion, g.deleteQuestion)
	chain.Register(c, command.DescribeRegion, g.describeRegion)
	chain.Register(c, command.Dispose, g.dispose)
	chain.Register(c, command.OpenTrash, g.openTrash)
	return g
}

// windowed returns a check that fails if Easel runs without a window.
func windowed[In any](g *Gallery) chain.Extra[In] {
	return chain.Extra[In]{Can: func(context.Context, In) error { return g.needWindow() }}
}

func (g *Gallery) needWindow() error {
	if g.Store.Snapshot().Window == state.WindowNone {
		return &tool.Error{
			Code: tool.NotExecutable, Detail: "This Easel runs without a window, so there is nothing to show it in.",
			Hint: "get_files_in_view and get_image_resource work without one.",
		}
	}
	return nil
}

// sessionsURI is the address of the folder of all sessions, and the prefix of each
// session's.
const sessionsURI = "jupyter://sessions/"

// trashURI is the address of the trash, which only the user can open.
const trashURI = "easel://trash"

func folderPath(f state.Folder) string {
	switch f.Kind {
	case state.OneSession:
		return sessionsURI + f.ID + "/"
	case state.Directory:
		return f.ID
	case state.Trash:
		return trashURI
	case state.AllSessions:
	}
	return sessionsURI
}

// view converts the snapshot to a catalog.View, with counts read from the library.
func (g *Gallery) view(ctx context.Context, s *state.Snapshot) (catalog.View, error) {
	q := collection.Query(s)
	total, matching, err := g.Library.Count(ctx, q)
	if err != nil {
		return catalog.View{}, err
	}
	v := catalog.View{
		Folder: folderPath(s.Folder), Kind: string(s.Folder.Kind), Mode: string(s.Mode),
		Count: total, Matching: matching,
		Sort:       catalog.ViewSort{By: sortBy(q.SortBy), Order: order(q.Asc)},
		Filters:    catalog.ViewFilters{Text: s.Query.Text},
		Fullscreen: s.Fullscreen, PropertiesPanel: s.PropertiesPanel,
		Theme: s.Settings.Theme, Window: string(s.Window),
	}
	if v.Kind == "" {
		v.Kind = string(state.AllSessions)
	}
	if v.Mode == "" {
		v.Mode = string(state.Grid)
	}
	if s.Query.RatingOp != "" && s.Query.Rating >= 0 {
		v.Filters.Rating = &catalog.RatingFilter{Op: s.Query.RatingOp, Value: s.Query.Rating}
	}
	if len(s.Query.Tags) > 0 {
		mode := "all"
		if s.Query.AnyTag {
			mode = "any"
		}
		v.Filters.Tags = &catalog.TagFilter{Tags: s.Query.Tags, Mode: mode}
	}
	if s.Current != "" {
		if im, err := g.Library.Image(ctx, s.Current); err == nil {
			v.Current = cmp.Or(im.ResourceURI, im.Path)
		}
	}
	return v, nil
}

func sortBy(by string) string {
	if by == "" {
		return "created"
	}
	return by
}

func order(asc bool) string {
	if asc {
		return "asc"
	}
	return "desc"
}

// change edits the state, updates its counts and returns the view.
func (g *Gallery) change(ctx context.Context, edit func(*state.Snapshot)) (catalog.ViewOut, error) {
	g.update(ctx, edit)
	return g.count(ctx)
}

// count updates the counts in the state, and returns the view.
func (g *Gallery) count(ctx context.Context) (catalog.ViewOut, error) {
	v, err := g.view(ctx, g.Store.Snapshot())
	if err != nil {
		return catalog.ViewOut{}, err
	}
	g.Store.Update(func(s *state.Snapshot) { s.Total, s.Matching = v.Count, v.Matching })
	return catalog.ViewOut{Result: catalog.OK, View: v}, nil
}

// file converts an image to a catalog.File, with the name that its card shows.
func file(i library.Image) catalog.File {
	name := i.Title
	switch {
	case name != "":
	case i.N > 0:
		name = fmt.Sprintf("Plot %d", i.N)
	default:
		name = filepath.Base(i.Path)
	}
	return catalog.File{Image: i.Image, Name: name}
}

func fileList(images []library.Image) []catalog.File {
	fs := make([]catalog.File, len(images))
	for i, im := range images {
		fs[i] = file(im)
	}
	return fs
}

// Resolve returns the images that name means: selected, latest, a URI, an id or a path.
func (g *Gallery) Resolve(ctx context.Context, name string) ([]library.Image, error) {
	s := g.Store.Snapshot()
	switch name {
	case catalog.Selected:
		if len(s.Selection) == 0 {
			return nil, &tool.Error{Code: tool.NotExecutable, Detail: "Nothing is selected in the gallery.", Hint: "Name the file by its URI, or say latest."}
		}
		return g.Library.Get(ctx, s.Selection...)
	case catalog.Latest:
		return g.latest(ctx, s)
	}
	im, err := g.Library.Image(ctx, name)
	if errors.Is(err, library.ErrNotFound) && !strings.HasPrefix(name, "jupyter://") {
		im, err = g.ByPath(ctx, name)
	}
	if err != nil {
		if errors.Is(err, library.ErrNotFound) {
			return nil, notThere(name, err)
		}
		return nil, err
	}
	return []library.Image{im}, nil
}

// newest returns images with older versions of figures replaced by the newest ones, which
// the window shows.
func (g *Gallery) newest(ctx context.Context, images []library.Image) ([]library.Image, error) {
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

// latest returns the newest plot or, in a directory, the last modified file.
func (g *Gallery) latest(ctx context.Context, s *state.Snapshot) ([]library.Image, error) {
	if s.Folder.Kind == state.Directory && g.Directories != nil {
		if id := g.Directories.LatestFile(); id != "" {
			return g.Library.Get(ctx, id)
		}
		return nil, &tool.Error{Code: tool.FileNotFound, Detail: "There are no pictures in this folder."}
	}
	ids, err := g.Library.IDs(ctx, library.Query{Rating: -1})
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &tool.Error{Code: tool.ImageNotFound, Detail: "There are no plots yet."}
	}
	return g.Library.Get(ctx, ids[0])
}

func notThere(name string, err error) error {
	c := tool.FileNotFound
	if strings.HasPrefix(name, "jupyter://") {
		c = tool.ImageNotFound
	}
	return &tool.Error{Code: c, Detail: fmt.Sprintf("There is no file %q in the gallery.", name), Hint: "get_files_in_view lists the files.", Err: err}
}

// ByPath finds an image by the path of its file, which may be relative to RootDir.
func (g *Gallery) ByPath(ctx context.Context, path string) (library.Image, error) {
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
func (g *Gallery) targets(ctx context.Context, path string, paths []string) ([]library.Image, error) {
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
