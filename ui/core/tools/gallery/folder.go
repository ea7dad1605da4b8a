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

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/prompts"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
)

// Directories opens directories on disk for the gallery's tools.
type Directories interface {
	// OpenDirectory opens a directory and closes the one that was open.
	OpenDirectory(ctx context.Context, path string) (abs string, err error)
	CloseDirectory()
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

	opening sync.Mutex // serialises changes of the folder, which is in the state and in directories
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

func (g *folderOpener) openFolder(ctx context.Context, in catalog.OpenFolderIn) (catalog.ViewOut, error) {
	g.opening.Lock()
	defer g.opening.Unlock()
	folder, file, err := g.folder(ctx, in.Path)
	if err != nil {
		return catalog.ViewOut{}, err
	}
	before := g.store.Snapshot().Folder
	if folder.Kind == state.Directory {
		if folder.ID, err = g.directories.OpenDirectory(ctx, folder.ID); err != nil {
			return catalog.ViewOut{}, noFolder(in.Path, err)
		}
	}
	var selection []string
	if in.Select != "" {
		file = in.Select
	}
	if file != "" {
		images, err := g.find.Resolve(ctx, file)
		if err != nil {
			g.reopen(ctx, before)
			return catalog.ViewOut{}, err
		}
		selection = idsOf(images)
	}
	out, err := g.views.change(ctx, func(s *state.Snapshot) {
		s.Folder, s.Mode, s.Selection, s.Current = folder, state.Grid, selection, ""
		s.SelectedBy = chooser(ctx, false)
		if len(selection) > 0 {
			s.Current = selection[0]
		}
	})
	if folder.Kind != state.Directory && g.directories != nil {
		g.directories.CloseDirectory()
	}
	return out, err
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
		_, err := g.directories.OpenDirectory(ctx, f.ID)
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
	info, err := os.Stat(full)
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
	g.opening.Lock()
	defer g.opening.Unlock()
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
	g.opening.Lock()
	defer g.opening.Unlock()
	if before.folder != after.folder && g.store.Snapshot().Folder == after.folder && !g.reopen(ctx, before.folder) {
		before = after // the folder no longer exists, so keep the current one and its selection
		g.reopen(ctx, after.folder)
	}
	g.store.Update(func(s *state.Snapshot) { changed = back(s, before, after) })
	return changed
}
