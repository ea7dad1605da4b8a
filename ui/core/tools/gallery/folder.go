package gallery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/prompts"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
)

// Directories opens directories on disk for the gallery's tools.
type Directories interface {
	// OpenDirectory opens a directory and closes the one that was open. Its files may be listed later.
	OpenDirectory(ctx context.Context, path string, reach folders.Reach) (abs string, err error)
	// WaitListed waits until they are, or until ctx ends. StopListing ends that; what was listed stays.
	WaitListed(ctx context.Context, progress func(n int)) error
	StopListing()
	// Listing reports whether files are still missing.
	Listing() bool
	CloseDirectory()
	// WaitLoaded waits until every file of the open directory has been read, or until ctx ends.
	WaitLoaded(ctx context.Context) error
	// LatestFile returns the id of the last modified file, or "" if there is none.
	LatestFile() string
	// Prompt reads the prompt or the code that is embedded in a file.
	Prompt(ctx context.Context, id string) (prompts.Info, error)
}

// A folderOpener opens folders.
type folderOpener struct {
	library     Library
	sessions    *library.Sessions
	store       *state.Store
	directories Directories
	private     *private.Directory
	find        *Finder
	views       *views

	patience time.Duration // see countPatience

	opening sync.Mutex // serialises changes of the folder, which is in the state and in directories

	mu        sync.Mutex
	supersede context.CancelCauseFunc // ends the opening that is under way; nil if none is
}

// errSuperseded ends an opening when another begins: a disk may take long to list a folder.
var errSuperseded = errors.New("another folder was opened")

// begin ends the opening that is under way, and then lets the caller change the folder until it
// calls end.
func (g *folderOpener) begin(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	g.mu.Lock()
	if g.supersede != nil {
		g.supersede(errSuperseded)
	}
	g.supersede = cancel
	g.mu.Unlock()
	g.opening.Lock()
	return ctx, func() {
		g.opening.Unlock()
		cancel(nil)
	}
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

// openFolder opens a folder for an assistant or for the user, who may open the same: directories
// that this user can read, except for Easel's own data. That exception holds for the user, too,
// because assistants read what the gallery shows (get_files_in_view, get_selected_files). So a
// folder that the user opens gives them nothing that they could not open themselves, except while
// they may only read; then they see what the window shows, which is what the contract says.
func (g *folderOpener) openFolder(ctx context.Context, in catalog.OpenFolderIn) (catalog.ViewOut, error) {
	byUser := tool.CallerFrom(ctx).Transport == tool.Window
	ctx, end := g.begin(ctx)
	defer end()
	out, err := g.open(ctx, in, byUser)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errSuperseded):
		err = &tool.Error{Code: tool.Cancelled, Detail: fmt.Sprintf("Another folder was opened before %q was read.", in.Path), Err: errSuperseded}
	case byUser:
		if e, ok := errors.AsType[*tool.Error](err); ok && e.Code == tool.FileNotFound {
			err = &tool.Error{Code: e.Code, Detail: e.Detail, Err: e.Err} // the hint is for assistants
		}
	}
	return out, err
}

func (g *folderOpener) open(ctx context.Context, in catalog.OpenFolderIn, byUser bool) (catalog.ViewOut, error) {
	folder, file, err := g.folder(ctx, in.Path)
	if err != nil {
		return catalog.ViewOut{}, err
	}
	before := g.store.Snapshot().Folder
	if folder.Kind == state.Directory {
		if folder.ID, err = g.directories.OpenDirectory(ctx, folder.ID, g.reach(folder.ID)); err != nil {
			return catalog.ViewOut{}, noFolder(in.Path, err)
		}
	}
	var selection []string
	if in.Select != "" {
		file = in.Select
	}
	if file != "" {
		images, err := g.choose(ctx, folder, file)
		if err != nil {
			g.reopen(ctx, before)
			return catalog.ViewOut{}, err
		}
		selection = idsOf(images)
	}
	g.views.update(ctx, func(s *state.Snapshot) {
		s.Folder, s.Mode, s.Selection, s.Current = folder, state.Grid, selection, ""
		s.SelectedBy = chooser(ctx, false)
		if len(selection) > 0 {
			s.Current = selection[0]
		}
		if byUser && folder.Kind == state.Directory && !isStep(before, folder) {
			s.Settings.Folders = s.Settings.Folders.Opened(folder.ID)
		}
	})
	if folder.Kind != state.Directory && g.directories != nil {
		g.directories.CloseDirectory()
	}
	if folder.Kind == state.Directory && !byUser {
		g.awaitCounts(ctx)
	}
	return g.views.count(ctx)
}

// choose returns the images of a file in a folder that is about to be shown. If that is not listed yet, it waits.
func (g *folderOpener) choose(ctx context.Context, folder state.Folder, file string) ([]library.Image, error) {
	if folder.Kind != state.Directory {
		return g.find.Resolve(ctx, file)
	}
	if file != catalog.Latest {
		if images, err := g.find.Resolve(ctx, file); !errors.Is(err, library.ErrNotFound) || !g.directories.Listing() {
			return images, err
		}
	}
	if err := g.directories.WaitListed(ctx, nil); err != nil {
		return nil, err
	}
	return g.find.Resolve(ctx, file)
}

// countPatience is how long open_folder waits for the numbers of files in a directory, which the window shows meanwhile.
const countPatience = time.Second

// awaitCounts waits until the open directory is listed. If that takes longer, the view says that it goes on.
func (g *folderOpener) awaitCounts(ctx context.Context) {
	waiting, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	_ = g.directories.WaitListed(waiting, nil)
}

// isStep reports whether the user goes from a directory to its parent or into it, which is no folder to
// remember.
func isStep(from, to state.Folder) bool {
	return from.Kind == state.Directory && (filepath.Dir(to.ID) == from.ID || filepath.Dir(from.ID) == to.ID)
}

// reopen opens the directory of a folder, or closes the open one if f is not a directory.
// It reports whether it succeeded.
func (g *folderOpener) reopen(ctx context.Context, f state.Folder) bool {
	switch {
	case g.directories == nil:
		return f.Kind != state.Directory
	case f.Kind != state.Directory:
		g.directories.CloseDirectory()
		return true
	default:
		_, err := g.directories.OpenDirectory(ctx, f.ID, g.reach(f.ID))
		return err == nil
	}
}

// folder parses the address of a folder. For the address of a file on disk or of a plot, it
// returns the folder that contains it, and the file.
func (g *folderOpener) folder(ctx context.Context, path string) (f state.Folder, file string, err error) {
	if id, ours := strings.CutPrefix(strings.TrimSuffix(path, "/")+"/", sessionsURI); ours {
		if strings.Contains(id, "/images/") {
			images, err := g.find.Resolve(ctx, path)
			if err != nil {
				return f, "", err
			}
			return state.Folder{Kind: state.OneSession, ID: images[0].SessionID}, path, nil
		}
		f, err = g.session(ctx, path, strings.TrimSuffix(id, "/"))
		return f, "", err
	}
	if g.directories == nil {
		return f, "", &tool.Error{
			Code: tool.Unsupported, Detail: "This Easel shows no directories on disk.",
			Hint: "jupyter://sessions/ shows all plots.",
		}
	}
	full, err := g.find.diskPath(path)
	if err != nil {
		return f, "", err
	}
	if why := g.private.Why(full); why != "" {
		return f, "", codes.BadPath(why)
	}
	info, err := folders.Patiently(ctx, func() (os.FileInfo, error) { return os.Stat(full) }, nil)
	if err != nil {
		return f, "", noFolder(path, err)
	}
	if info.IsDir() {
		return state.Folder{Kind: state.Directory, ID: full}, "", nil
	}
	return state.Folder{Kind: state.Directory, ID: filepath.Dir(full)}, full, nil
}

// session returns the folder of a session, or of all sessions if id is empty.
func (g *folderOpener) session(ctx context.Context, path, id string) (state.Folder, error) {
	if id == "" {
		return state.Folder{Kind: state.AllSessions}, nil
	}
	s, err := g.sessions.Get(ctx, id)
	if errors.Is(err, library.ErrNotFound) {
		return state.Folder{}, &tool.Error{
			Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no folder %q: no such session.", path),
			Hint: "session_list shows the sessions.", Err: err,
		}
	}
	return state.Folder{Kind: state.OneSession, ID: s.ID}, err
}

// noFolder returns the error for a directory or file that cannot be opened.
func noFolder(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	why := "it does not exist"
	if inner, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(err, fs.ErrNotExist) {
		why = inner.Err.Error()
	}
	return &tool.Error{
		Code: tool.FileNotFound, Detail: fmt.Sprintf("The folder %q cannot be opened: %s.", path, why),
		Hint: "Give an absolute path, one relative to Easel's root directory, or jupyter://sessions/.", Err: err,
	}
}

func (g *folderOpener) openTrash(ctx context.Context, _ struct{}) (struct{}, error) {
	ctx, end := g.begin(ctx)
	defer end()
	_, err := g.views.change(ctx, func(s *state.Snapshot) {
		s.Folder, s.Mode, s.Selection, s.Current = state.Folder{Kind: state.Trash}, state.Grid, nil, ""
	})
	if g.directories != nil {
		g.directories.CloseDirectory()
	}
	return struct{}{}, err
}

// reshow restores what the window showed, as far as it still shows what replaced it.
func (g *folderOpener) reshow(ctx context.Context, before, after display) (changed bool) {
	ctx, end := g.begin(ctx)
	defer end()
	if before.folder != after.folder && g.store.Snapshot().Folder == after.folder && !g.reopen(ctx, before.folder) {
		before = after // the folder no longer exists, so keep the current one and its selection
		g.reopen(ctx, after.folder)
	}
	g.store.Update(func(s *state.Snapshot) { changed = back(s, before, after) })
	return changed
}
