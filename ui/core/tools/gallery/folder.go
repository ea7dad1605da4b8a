package gallery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/folders"
	"easel/ui/core/library"
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

func (g *Gallery) openFolder(ctx context.Context, in catalog.OpenFolderIn) (catalog.ViewOut, error) {
	g.opening.Lock()
	defer g.opening.Unlock()
	folder, file, err := g.folder(ctx, in.Path)
	if err != nil {
		return catalog.ViewOut{}, err
	}
	before := g.Store.Snapshot().Folder
	if folder.Kind == state.Directory {
		if folder.ID, err = g.Directories.OpenDirectory(ctx, folder.ID); err != nil {
			return catalog.ViewOut{}, noFolder(in.Path, err)
		}
	}
	var selection []string
	if in.Select != "" {
		file = in.Select
	}
	if file != "" {
		images, err := g.Resolve(ctx, file)
		if err != nil {
			g.reopen(ctx, before)
			return catalog.ViewOut{}, err
		}
		selection = idsOf(images)
	}
	out, err := g.change(ctx, func(s *state.Snapshot) {
		s.Folder, s.Mode, s.Selection, s.Current = folder, state.Grid, selection, ""
		s.SelectedBy = chooser(ctx, false)
		if len(selection) > 0 {
			s.Current = selection[0]
		}
	})
	if folder.Kind != state.Directory && g.Directories != nil {
		g.Directories.CloseDirectory()
	}
	return out, err
}

// reopen opens the directory of a folder, or closes the open one if f is not a directory.
// It reports whether it succeeded.
func (g *Gallery) reopen(ctx context.Context, f state.Folder) bool {
	switch {
	case g.Directories == nil:
		return f.Kind != state.Directory
	case f.Kind != state.Directory:
		g.Directories.CloseDirectory()
		return true
	default:
		_, err := g.Directories.OpenDirectory(ctx, f.ID)
		return err == nil
	}
}

// folder parses the address of a folder. For the address of a file on disk or of a plot, it
// returns the folder that contains it, and the file.
func (g *Gallery) folder(ctx context.Context, path string) (f state.Folder, file string, err error) {
	if id, ours := strings.CutPrefix(strings.TrimSuffix(path, "/")+"/", sessionsURI); ours {
		if strings.Contains(id, "/images/") {
			images, err := g.Resolve(ctx, path)
			if err != nil {
				return f, "", err
			}
			return state.Folder{Kind: state.OneSession, ID: images[0].SessionID}, path, nil
		}
		f, err = g.session(ctx, path, strings.TrimSuffix(id, "/"))
		return f, "", err
	}
	if g.Directories == nil {
		return f, "", &tool.Error{Code: tool.Unsupported, Detail: "This Easel shows no directories on disk.", Hint: "jupyter://sessions/ shows all plots."}
	}
	full, err := g.diskPath(path)
	if err != nil {
		return f, "", err
	}
	if why := g.Private.Why(full); why != "" {
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
func (g *Gallery) session(ctx context.Context, path, id string) (state.Folder, error) {
	if id == "" {
		return state.Folder{Kind: state.AllSessions}, nil
	}
	s, err := g.Library.Session(ctx, id)
	if errors.Is(err, library.ErrNotFound) {
		return state.Folder{}, &tool.Error{Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no folder %q: no such session.", path), Hint: "session_list shows the sessions.", Err: err}
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

// diskPath converts a path or file:// URL to an absolute path. ~ is the home directory. A
// relative path starts at the root directory and must not leave it.
func (g *Gallery) diskPath(path string) (string, error) {
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
