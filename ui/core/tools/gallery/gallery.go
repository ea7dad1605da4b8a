// Package gallery implements the tools and topics for what the window shows: folders, filters, the
// selection, the viewer, ratings and tags, the trash, and undo.
//
// # Goroutines
//
// Calls run on goroutines of the bus. The state, the library and the history of edits have locks
// of their own; a lock serialises changes of the folder.
package gallery

import (
	"context"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/announce"
	"easel/ui/core/cells"
	"easel/ui/core/command"
	"easel/ui/core/edits"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// Library has the images of the gallery, those in an open directory, too.
type Library interface {
	IDs(ctx context.Context, q library.Query) ([]string, error)
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	ImageAt(ctx context.Context, path string) (library.Image, error)
	Count(ctx context.Context, q library.Query) (total, matching int, err error)
	Mark(ctx context.Context, targets []library.Target, edit func(i int, m *library.Marks) error) ([]library.MarkEdit, error)
	Delete(ctx context.Context, ids []string) error
	PurgeTrash(ctx context.Context, before time.Time) (n int, err error)
	Read(ctx context.Context, idOrURI string) ([]byte, library.Image, error)
}

// A Leaver shows images as gone; see [collection.Collection.Leave].
type Leaver interface {
	Leave(images []library.Image, fate command.Fate) (over func())
}

// Deps are the dependencies of the tools of the gallery.
type Deps struct {
	Store   *state.Store
	Library Library
	// Kept has the sessions, executions and questions.
	Kept *library.Library
	// Pictures announces what the tools have changed in Library.
	Pictures *announce.Pictures
	// Directories opens directories on disk, whose files Library then contains. If nil,
	// directories are not supported.
	Directories Directories
	// Leaver shows images as gone while Library moves or deletes them. May be nil.
	Leaver Leaver
	// Cells knows the cells of notebooks that drew plots. May be nil.
	Cells *cells.Cells
	// SayWay adds to a plot what can draw it again, as its kernel says. May be nil.
	SayWay func(ctx context.Context, im *library.Image)
	// Settle waits until what a session's execution ran in is stored, or until ctx ends. May be nil.
	Settle func(ctx context.Context, session, execution string)
	// Facts adds to a plot what it shows in numbers. May be nil.
	Facts func(ctx context.Context, im *library.Image)
	// Compare says what is different between two plots. May be nil.
	Compare func(ctx context.Context, before, after library.Image) command.Differences
	// RootDir is the directory that relative paths start from.
	RootDir string
	// Private is what is neither shown nor written to. May be nil.
	Private *private.Directory
	// ShowWindow brings the window to the front; nil without a window.
	ShowWindow func()
}

// Register registers the bodies. They change the state and the library; the window shows the
// changes.
func Register(c *chain.Chain, d Deps) *Finder {
	find := &Finder{Library: d.Library, Store: d.Store, Directories: d.Directories, RootDir: d.RootDir, Sessions: d.Kept.Sessions}
	vs := &views{library: d.Library, store: d.Store, directories: d.Directories}
	f := &folderOpener{
		library: d.Library, sessions: d.Kept.Sessions, store: d.Store, directories: d.Directories, private: d.Private, find: find, views: vs,
		patience: countPatience,
	}
	edited := &changes{edits: edits.New(d.Library), library: d.Library, store: d.Store, pictures: d.Pictures, views: vs, folders: f}
	c.Undo = edited.begin
	chain.Register(c, catalog.OpenFolder, f.openFolder)
	chain.Register(c, command.OpenTrash, f.openTrash)
	chain.Register(c, command.SaveSidecars, f.saveSidecars)
	chain.Register(c, command.IncludeSubfolders, f.includeSubfolders)
	chain.Register(c, command.ListFolder, f.listFolder)
	chain.Register(c, command.Undo, edited.undo)
	chain.Register(c, command.Redo, edited.redo)
	chain.Register(c, command.UndoAssistant, edited.undoAssistant, chain.Extra[command.UndoAssistantIn]{Can: edited.canUndo})

	s := &selector{find: find, views: vs}
	chain.Register(c, catalog.SelectFile, s.selectFile)
	m := &marks{library: d.Library, find: find, changes: edited}
	chain.Register(c, catalog.SetRating, m.setRating)
	chain.Register(c, catalog.SetTags, m.setTags)
	chain.Register(c, command.SetTitle, m.setTitle)
	chain.Register(c, command.SetNote, m.setNote)
	chain.Register(c, command.JudgeFinding, m.judgeFinding)
	t := &trash{library: d.Library, store: d.Store, pictures: d.Pictures, leaver: d.Leaver, find: find, changes: edited}
	chain.Register(c, command.Dispose, t.dispose)
	registerViewer(c, &viewer{library: d.Library, store: d.Store, find: find, views: vs, showWindow: d.ShowWindow})
	registerReader(c, d, find, vs)
	return find
}

func registerViewer(c *chain.Chain, v *viewer) {
	chain.Register(c, catalog.FilterByRating, v.filterByRating)
	chain.Register(c, catalog.ClearRatingFilter, v.clearRatingFilter)
	chain.Register(c, catalog.FilterByTag, v.filterByTag)
	chain.Register(c, catalog.ClearTagFilter, v.clearTagFilter)
	chain.Register(c, catalog.SortThumbnails, v.sortThumbnails)
	chain.Register(c, catalog.ShowImageViewer, v.showViewer, windowed[catalog.ShowImageViewerIn](v))
	chain.Register(c, catalog.CloseImageViewer, v.closeViewer, windowed[catalog.CloseImageViewerIn](v))
	chain.Register(c, catalog.NavigateImage, v.navigate, chain.Extra[catalog.NavigateImageIn]{Can: v.canNavigate})
	chain.Register(c, catalog.ToggleFullscreen, v.toggleFullscreen, windowed[catalog.ToggleFullscreenIn](v))
	chain.Register(c, catalog.TogglePropertiesPanel, v.togglePanel, windowed[catalog.TogglePropertiesPanelIn](v))
	chain.Register(c, catalog.SetTheme, v.setTheme, windowed[catalog.SetThemeIn](v))
}

func registerReader(c *chain.Chain, d Deps, find *Finder, vs *views) {
	r := &regions{library: d.Library, store: d.Store}
	chain.Register(c, command.SetRegion, r.setRegion)
	chain.Register(c, command.DescribeRegion, r.describeRegion)
	q := &plotQuestions{library: d.Library, stored: d.Kept.Questions, regions: r}
	chain.Register(c, command.AskQuestion, q.askQuestion)
	chain.Register(c, command.AskAboutTable, q.askAboutTable)
	chain.Register(c, command.TableQuestions, q.ofTable)
	chain.Register(c, command.DeleteQuestion, q.deleteQuestion)
	chain.Register(c, command.SetQuestionState, q.setState)
	read := &reader{
		library: d.Library, kept: d.Kept, store: d.Store, directories: d.Directories, cells: d.Cells, sayWay: d.SayWay,
		facts: d.Facts, compare: d.Compare, settle: d.Settle, find: find, views: vs, regions: r, questions: q,
	}
	chain.Register(c, catalog.GetCurrentFolder, read.currentFolder)
	chain.Register(c, catalog.GetSelectedFiles, read.selectedFiles)
	chain.Register(c, catalog.GetFilesInView, read.filesInView)
	chain.Register(c, catalog.GetPromptInfo, read.promptInfo)
}
