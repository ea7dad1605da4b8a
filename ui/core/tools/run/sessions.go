package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library/search"
	"easel/ui/core/projects"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
)

// createPatience is how long session_create may take. Some clients time out after a minute. The
// server may take 45 seconds of them, if it is being installed or started.
const createPatience = 55 * time.Second

func (t *sessions) sessionCreate(ctx context.Context, in catalog.SessionCreateIn) (catalog.SessionCreateOut, error) {
	if strings.TrimSpace(in.Name) == "" {
		return catalog.SessionCreateOut{}, codes.BadValue("name", "must not be blank")
	}
	if strings.ContainsRune(in.Name, 0) {
		return catalog.SessionCreateOut{}, codes.BadValue("name", "must not contain a NUL character")
	}
	ctx, cancel := context.WithTimeout(ctx, createPatience)
	defer cancel()
	n, hint, err := t.newSession(ctx, in)
	if err != nil {
		return catalog.SessionCreateOut{}, err
	}
	s, err := t.kernels.Open(ctx, n)
	if root := t.rootOf(n.Server); err != nil && root != "" {
		err = codes.InProject(root, err)
	}
	if err != nil {
		return catalog.SessionCreateOut{}, codes.Notebook(in.NotebookPath, codes.Path("notebook_path", err))
	}
	t.paths.Chosen.Add(ctx, s.NotebookPath, s.Server)
	if like := t.likeNew(ctx, s); like != "" {
		hint = strings.TrimSpace(fmt.Sprintf("There was no notebook %q, so a new, empty one was created. If you meant %q, end this session and call session_create with that notebook_path. %s", s.NotebookPath, like, hint))
	}
	return catalog.SessionCreateOut{
		Result: catalog.OK, AtServer: t.paths.At(s.Server), SessionID: s.ID, KernelID: s.KernelID, Status: "idle",
		CreatedAt: s.CreatedAt.UTC(), KernelName: s.KernelName, NotebookPath: s.NotebookPath,
		Directory: s.Directory, Environment: s.Interpreter(), Title: cmp.Or(s.Name, s.Title), NewNotebook: s.NewNotebook, Hint: hint,
		IdleSessions: t.idleSessions(ctx, s.Session),
	}, nil
}

// likeNew returns the path of a notebook in the same folder whose name is like that of a new one, or of one
// with that name in another folder of the project; "" if there is none.
func (t *sessions) likeNew(ctx context.Context, s kernels.StartedSession) string {
	on, err := t.kernels.Servers.Lookup(s.Server)
	if err != nil || !s.NewNotebook {
		return ""
	}
	client, err := on.Now()
	if err != nil {
		return ""
	}
	folder, name := path.Split(s.NotebookPath)
	listing, err := client.Contents(ctx, folder, jupyter.ContentsQuery{Type: "directory", Content: true})
	if err != nil {
		return ""
	}
	entries, err := listing.Entries()
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if e.Type == "notebook" && e.Name != name && mistyped(name, e.Name) {
			return folder + e.Name
		}
	}
	if root := t.rootOf(s.Server); root != "" && !tunnel.IsAddress(root) {
		for _, other := range projects.Notebooks(ctx, root) {
			if path.Base(other) == name && other != s.NotebookPath {
				return other
			}
		}
	}
	return ""
}

// mistyped reports whether the name of a notebook is probably meant to be another one. Names that
// differ in numbers, such as week1 and week2, are meant.
func mistyped(name, other string) bool {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	const ending = ".ipynb"
	return digits(name) == digits(other) && tool.Resembles(strings.TrimSuffix(name, ending), strings.TrimSuffix(other, ending))
}

// rootOf returns the root of the project that a server is for, or "".
func (t *sessions) rootOf(server string) string {
	if t.projects == nil || server == "" {
		return ""
	}
	return t.projects.Root(server)
}

// newSession says where a session starts: in the project of the given directory, of an existing
// notebook, or of the client; otherwise in the working folder. It checks the paths before anybody
// waits for a server. hint is what the client should know about the project.
func (t *sessions) newSession(ctx context.Context, in catalog.SessionCreateIn) (n kernels.NewSession, hint string, err error) {
	n = kernels.NewSession{
		Server: in.Server, KernelName: in.Name, Notebook: in.NotebookPath, Client: tool.CallerFrom(ctx).Name,
		Title: search.Clean(in.Title),
	}
	if in.Directory != "" && in.Server != "" {
		return n, "", codes.BadValue("directory", "is for Easel's own kernels: give either directory or server")
	}
	if in.Server == "" && in.Directory == "" && tool.CallerFrom(ctx).Workspace.Directory == "" {
		in.Server = t.chosen(ctx, in.NotebookPath)
		n.Server = in.Server
	}
	if tunnel.IsAddress(in.Server) && t.projects != nil { // a project on another machine
		in.Directory, in.Server, n.Server = in.Server, "", ""
	}
	if in.Server != "" && t.projects != nil {
		if err = t.projects.Ensure(ctx, in.Server); err == nil {
			err = t.projects.Permit(ctx, in.Server)
		}
		if err != nil {
			return n, "", codes.Of(err)
		}
	}
	if in.Server == "" && t.projects != nil {
		if in.Directory == "" {
			in.NotebookPath = t.paths.Existing(ctx, in.NotebookPath)
			n.Notebook = in.NotebookPath
		}
		if hint, err = t.inProject(ctx, &n, in); err != nil {
			return n, "", err
		}
	}
	if in.NotebookPath != "" {
		if err = t.paths.Astray(ctx, n.Server, "notebook_path", n.Notebook); err != nil {
			return n, "", err
		}
		n.Notebook, n.Server, err = t.paths.Resolve(ctx, n.Server, "notebook_path", n.Notebook, jupyter.NotebookPath)
	}
	return n, hint, err
}

// chosen returns the server on which the caller already works with a notebook of this relative path, if Easel
// still has it; "" otherwise.
func (t *sessions) chosen(ctx context.Context, notebook string) string {
	clean, err := jupyter.NotebookPath(notebook)
	if err != nil || paths.IsAbsolute(notebook) {
		return ""
	}
	server := t.paths.Chosen.Of(ctx, clean, t.paths.Renames.Now)
	if _, err := t.kernels.Servers.Lookup(server); err != nil {
		return ""
	}
	return server
}

// inProject moves a new session to a project, if it belongs in one.
func (t *sessions) inProject(ctx context.Context, n *kernels.NewSession, in catalog.SessionCreateIn) (hint string, err error) {
	directory := in.Directory
	if directory == "" && tunnel.IsAddress(in.NotebookPath) {
		if directory = in.NotebookPath[:strings.LastIndexByte(in.NotebookPath, '/')]; len(directory) <= len("ssh://") {
			return "", codes.BadValue("notebook_path", "names a machine and no notebook")
		}
		n.Notebook = in.NotebookPath[len(directory)+1:]
	}
	if clean, err := jupyter.NotebookPath(in.NotebookPath); err == nil && directory == "" && !paths.IsAbsolute(in.NotebookPath) {
		if root, here := t.projects.Of(ctx); root != "" {
			if full, exists := paths.Within(root, here, clean); exists && t.paths.Theirs(full) {
				n.Notebook = full
				return "", nil
			}
		}
	}
	if directory == "" && paths.IsAbsolute(in.NotebookPath) {
		if t.paths.Theirs(in.NotebookPath) {
			return "", nil
		}
		directory = paths.Folder(in.NotebookPath)
	}
	place, hint, err := t.projects.ForSession(ctx, directory, in.Name)
	if e, ok := errors.AsType[*projects.Error](err); ok && e.Problem == projects.Invalid && in.Directory == "" &&
		!tunnel.IsAddress(in.NotebookPath) {
		return "", nil // its path is refused later, or means a folder of the root
	}
	if err != nil || place == nil {
		return hint, codes.Of(err)
	}
	if directory == in.Directory || tool.CallerFrom(ctx).Workspace.Directory == "" { // else it is a notebook's
		t.projects.Works(ctx, place.Root)
	}
	if !tunnel.IsAddress(place.Root) {
		n.Notebook = paths.From(place.Root, place.Directory, n.Notebook)
	}
	n.Server, n.Directory = place.Server, place.Directory
	n.KernelName = cmp.Or(place.Kernel, n.KernelName)
	if clean, err := jupyter.NotebookPath(n.Notebook); err == nil && tunnel.IsAddress(place.Root) && !paths.IsAbsolute(n.Notebook) {
		n.Notebook = path.Join(place.Directory, clean)
	} else if err == nil && !paths.IsAbsolute(n.Notebook) { // an error is told later
		dir := filepath.Join(place.Root, filepath.FromSlash(place.Directory))
		full, exists := paths.Within(dir, dir, clean)
		if in.Directory == "" || !exists && strings.HasPrefix(clean, place.Directory+"/") { // as results name it
			full, _ = paths.Within(place.Root, dir, clean)
		}
		n.Notebook = full
	}
	return cmp.Or(place.Hint, hint), nil
}

func (t *sessions) sessionList(ctx context.Context, _ catalog.SessionListIn) (catalog.SessionListOut, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	sessions, err := t.kernels.List(ctx)
	t.usage.complete(ctx, sessions)
	return catalog.SessionListOut{Result: catalog.OK, Sessions: sessions, Servers: t.startingPoints(ctx)}, err
}

func (t *sessions) sessionConnect(ctx context.Context, in catalog.SessionConnectIn) (catalog.SessionConnectOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	if in.Server == "" {
		in.NotebookPath = t.paths.Existing(ctx, in.NotebookPath)
	}
	var err error
	if clean, bad := jupyter.CleanPath(in.NotebookPath); tunnel.IsAddress(in.Server) || tunnel.IsAddress(in.NotebookPath) ||
		paths.IsAbsolute(in.NotebookPath) && strings.Trim(in.NotebookPath, "/ ") != "" {
		in.NotebookPath, in.Server, err = t.paths.Resolve(ctx, in.Server, "notebook_path", in.NotebookPath, jupyter.CleanPath)
	} else if in.Server == "" && clean != "" && bad == nil {
		if path, server, exists, why := t.paths.InProject(ctx, clean); exists || why != nil {
			in.NotebookPath, in.Server, err = path, server, why
		}
	}
	if err != nil {
		return catalog.SessionConnectOut{}, err
	}
	v, err := t.kernels.Connect(ctx, kernels.RunningKernel{
		Server: in.Server, Notebook: in.NotebookPath, KernelID: in.KernelID, Client: tool.CallerFrom(ctx).Name, Reaches: t.paths.Reaches(ctx),
	})
	if err != nil {
		return catalog.SessionConnectOut{}, t.renamedOr(in, codes.SessionNotFound(in, err))
	}
	if in.Server != "" || in.KernelID != "" { // otherwise, another server may have the same path open
		t.paths.Chosen.Add(ctx, v.NotebookPath, v.Server)
	}
	return catalog.SessionConnectOut{
		Result: catalog.OK, AtServer: t.paths.At(v.Server), SessionID: v.ID, KernelID: v.KernelID, NotebookPath: v.NotebookPath,
		Status: v.Status, Connected: true,
	}, nil
}

func (t *sessions) sessionDelete(ctx context.Context, in catalog.SessionDeleteIn) (catalog.SessionDeleteOut, error) {
	s, err := t.kernels.Delete(ctx, in.SessionID, in.Force)
	if err != nil {
		return catalog.SessionDeleteOut{}, err
	}
	return catalog.SessionDeleteOut{Result: catalog.OK, SessionID: s.ID, Status: "deleted"}, nil
}

func (t *sessions) sessionRestart(ctx context.Context, in catalog.SessionRestartIn) (catalog.SessionRestartOut, error) {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	user := tool.CallerFrom(ctx).Transport == tool.Window
	if !user {
		if err := t.permitRestart(ctx, in.SessionID); err != nil {
			return catalog.SessionRestartOut{}, err
		}
	}
	before, _, err := t.live(ctx, in.SessionID)
	if err != nil {
		return catalog.SessionRestartOut{}, err
	}
	v, err := t.kernels.Restart(ctx, in.SessionID, in.Force || user)
	if err != nil {
		return catalog.SessionRestartOut{}, err
	}
	out := catalog.SessionRestartOut{
		Result: catalog.OK, SessionID: v.ID, KernelID: v.KernelID, Status: v.Status, Generation: v.Generation,
	}
	if t.projects != nil {
		out.Hint = t.projects.MadeSince(ctx, v.Session)
	}
	if was, is := before.Environment, v.Environment; was != "" && is != was { // such as after its environment was removed
		out.Hint = fmt.Sprintf("This kernel now runs in %s; before the restart, it was %s.", is, was)
	}
	return out, nil
}

// live returns a session as it is now; joined is false if Easel has not joined it.
func (t *sessions) live(ctx context.Context, session string) (v record.SessionView, joined bool, err error) {
	id, err := t.kernels.Known(ctx, session)
	if err != nil {
		return v, false, err
	}
	all := t.kernels.Live()
	if i := slices.IndexFunc(all, func(v record.SessionView) bool { return v.ID == id }); i >= 0 {
		return all[i], true, nil
	}
	return v, false, nil
}

// permitRestart returns nil if the caller may start a kernel in the project of a session. The user may
// have stopped allowing it while the session runs.
func (t *sessions) permitRestart(ctx context.Context, session string) error {
	if t.projects == nil {
		return nil
	}
	v, joined, err := t.live(ctx, session)
	if err != nil || !joined {
		return err
	}
	return codes.Of(t.projects.PermitRestart(ctx, v.Server))
}

func (t *sessions) sessionInterrupt(ctx context.Context, in catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
	user := tool.CallerFrom(ctx).Transport == tool.Window
	v, err := t.kernels.InterruptSession(ctx, in.SessionID, user)
	if err != nil {
		return catalog.SessionInterruptOut{}, err
	}
	out := catalog.SessionInterruptOut{
		Result: catalog.OK, SessionID: v.ID, KernelID: v.KernelID, Status: v.Status,
		Outcome: v.Outcome, ExecutionID: v.ExecutionID,
	}
	if v.Outcome == catalog.StillRuns {
		after := "or end it with session_restart, which loses the variables."
		if v.Server == catalog.ThisMachine {
			after = "or ask the user to restart the kernel in the program that runs it."
		}
		out.Hint = "The code has not reacted to the interrupt and is still running. Follow it with get_execution, interrupt it again, " + after
	}
	return out, nil
}

// renamedOr returns err, which session_connect returns. If that is because the notebook was
// renamed, it says so.
func (t *sessions) renamedOr(in catalog.SessionConnectIn, err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	relative, bad := jupyter.CleanPath(in.NotebookPath) // relative to the root already
	if !ok || e.Code != tool.SessionNotFound || bad != nil {
		return err
	}
	for _, s := range t.kernels.Servers.Health() {
		if now := t.kernels.Renames.Now(s.Name, relative); now != "" && (in.Server == "" || in.Server == s.Name) {
			return t.paths.RenamedTo(e, s.Name, relative, now)
		}
	}
	return err
}

// renameSession gives a session the user's name. The window calls it.
func (t *sessions) renameSession(ctx context.Context, in command.RenameSessionIn) (struct{}, error) {
	return struct{}{}, t.kernels.Rename(ctx, in.SessionID, truncate.Runes(search.Clean(in.Name), catalog.MaxTitle))
}

// pinSession sets whether a session is exempt from being ended when unused. The window
// calls it.
func (t *sessions) pinSession(ctx context.Context, in command.PinSessionIn) (struct{}, error) {
	return struct{}{}, t.kernels.Pin(ctx, in.SessionID, in.Pinned)
}
