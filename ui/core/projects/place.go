package projects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/internal/system"
	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// A Place is where a session of a project starts.
type Place struct {
	Server    string // the project's
	Root      string // the project's folder
	Kernel    string // name of the kernelspec of its Python; "" if the caller's name counts
	Directory string // relative to the project's folder, with slashes; "" is the folder itself
	Hint      string // what the caller should know; often ""
}

// A Problem is the kind of an Error.
type Problem int

// The problems.
const (
	Invalid     Problem = iota // the directory is no project
	NotAllowed                 // the user does not allow it, or nobody could be asked
	NoKernel                   // its Python cannot run a kernel
	Unreachable                // the other machine cannot be reached, or cannot be used
	Preparing                  // the other machine is still being prepared
	NoSandbox                  // the user wants a sandbox, and there is none here
)

// An Error says why a session cannot start in a project.
type Error struct {
	Problem Problem
	Detail  string
	Remedy  string
	Err     error
}

// Error returns the detail.
func (e *Error) Error() string { return e.Detail }

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// ForSession returns the place for a session of the caller in a directory; "" means where the
// caller works. It returns nil if that is no project, so that the session starts in the working
// folder. If only the caller's own directory is not allowed, hint says so.
func (p *Projects) ForSession(ctx context.Context, directory, kernel string) (place *Place, hint string, err error) {
	caller := tool.CallerFrom(ctx)
	asked := directory != ""
	directory = cmp.Or(directory, caller.Workspace.Directory)
	if directory == "" || p.c.Host == nil && !asked {
		return nil, "", nil
	}
	pr, dir, err := p.find(ctx, directory)
	switch {
	case err == nil && pr.Root == "" && asked:
		place, err = p.c.inWorkDir(dir)
		return place, "", err
	case err == nil && pr.Root == "":
		return nil, "", nil
	case err != nil && !asked: // an assistant may have been started anywhere
		return nil, p.elsewhereHint(ctx, err), nil
	case err != nil:
		return nil, "", err
	}
	env, found := p.choose(ctx, pr, dir, caller.Workspace)
	if err := p.authorize(ctx, pr, env); err != nil {
		if e, ok := errors.AsType[*Error](err); ok && e.Problem == NotAllowed && !asked {
			return nil, fmt.Sprintf("This session works in Easel's own folder, not in %s: %s. %s", pr.Root, strings.TrimSuffix(e.Detail, "."), e.Remedy), nil
		}
		return nil, "", err
	}
	if err := p.boxes.check(pr.Root); err != nil {
		return nil, "", err
	}
	began := time.Now()
	o, err := p.serve(ctx, pr)
	if err != nil {
		return nil, "", err
	}
	p.tasks.Go(func() { p.examine(p.tasks.Context(), o) }) // its environment may be another by now
	place = &Place{Server: o.name, Root: pr.Root, Directory: relative(pr.Root, dir)}
	chosen, _ := p.c.Store.Snapshot().Settings.Projects.Find(pr.Root)
	if isR(ctx, pr, found, chosen.Python) && placeR(ctx, o, place, kernel) || kernel != pythonKernel {
		return place, "", nil
	}
	if env.Python == "" {
		place.Kernel = managed.EaselKernel
		if chosen.Python != state.EaselPython {
			advice, missing := p.missing(ctx, pr)
			place.Hint = noPython(found, advice, missing)
		}
		return place, "", nil
	}
	if !found[0].Works() && found[0].Python != env.Python {
		place.Hint = fmt.Sprintf("%s cannot be used. %s. So this is %s. If the user wants the other one, ask them to make it again.", found[0].Label, found[0].Broken, Describe(env))
	}
	if chosen.Python != env.Python && place.Hint == "" {
		place.Hint = p.outside(ctx, pr, env, found)
	}
	if advice, ok := project.Missing(ctx, pr); ok && env.Kind == project.Pyenv {
		place.Hint = fmt.Sprintf("This is %s, which other projects use as well. %s. Ask the user whether to run %q in %s.", Describe(env), advice.Why, advice.Command, advice.Directory)
	}
	place.Kernel, err = p.kernelSince(ctx, o, env, began)
	return place, "", err
}

// elsewhereHint tells a caller, once, why its sessions are not in its own directory.
func (p *Projects) elsewhereHint(ctx context.Context, err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Problem != Invalid {
		return ""
	}
	if !p.callers.tellFirst(ctx) {
		return ""
	}
	return fmt.Sprintf("This session works in Easel's own folder, because %s. To work in the user's project, pass its folder as directory.", e.Detail)
}

// inWorkDir returns the place in a folder within the working folder, or nil for the working folder
// itself.
func (c *Config) inWorkDir(dir string) (*Place, error) {
	root := real(c.WorkDir)
	switch info, err := os.Stat(dir); {
	case dir == root || c.Host == nil:
		return nil, nil
	case err != nil || !info.IsDir():
		return nil, &Error{Detail: dir + " is no folder", Remedy: "Create it, or give the path of an existing folder."}
	}
	return &Place{Server: catalog.ManagedServer, Root: root, Directory: relative(root, dir)}, nil
}

// find returns the project of a directory and the directory without links. The project is empty
// if the directory is in the working folder.
func (p *Projects) find(ctx context.Context, directory string) (project.Project, string, error) {
	if tunnel.IsAddress(directory) {
		return p.findThere(ctx, directory)
	}
	if rest, ok := strings.CutPrefix(directory, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			directory = filepath.Join(home, rest)
		}
	}
	if file, ok := system.FilePath(directory); ok {
		directory = file
	}
	start := tool.CallerFrom(ctx).Workspace.Directory
	if filepath.IsAbs(start) && !filepath.IsAbs(directory) && !strings.Contains(directory, ":") {
		directory = filepath.Join(real(start), directory)
	}
	for part := range strings.SplitSeq(filepath.ToSlash(directory), "/") {
		if slices.Contains([]string{".git", ".hg", ".jj", ".svn"}, part) {
			return project.Project{}, "", &Error{Detail: directory + " is in the folder of the version control itself, " + part, Remedy: "Give the folder of the project, which contains it."}
		}
	}
	if !filepath.IsAbs(directory) {
		remedy := "Give the whole path of the project's folder."
		if host, path, ok := strings.Cut(directory, ":"); ok && len(host) > 1 && strings.HasPrefix(path, "/") { // as scp has it
			remedy = "For a project on another machine, give its address: ssh://" + host + path
		}
		return project.Project{}, "", &Error{Detail: fmt.Sprintf("directory must be absolute; %q is not", directory), Remedy: remedy}
	}
	if p.c.WorkDir != "" && below(real(p.c.WorkDir), real(directory)) {
		return project.Project{}, real(directory), nil
	}
	if why := p.c.Private.Why(directory); why != "" {
		return project.Project{}, "", &Error{Problem: NotAllowed, Detail: "directory " + why, Remedy: "Choose the folder of the user's project."}
	}
	pr, err := project.Of(directory, p.c.DataDir)
	if e, ok := errors.AsType[*project.Error](err); ok {
		return pr, "", &Error{Detail: strings.TrimSuffix(strings.TrimSuffix(e.Error(), e.Remedy), ". "), Remedy: e.Remedy, Err: err}
	}
	if err == nil && p.c.Host == nil {
		err = &Error{Detail: "Easel uses another Jupyter server (--jupyter-url), so it runs none for projects", Remedy: "Omit directory."}
	}
	return pr, real(directory), err
}

// choose returns the environment for a project: what the user chose, or the best that was found.
// It is empty if there is none that works.
func (p *Projects) choose(ctx context.Context, pr project.Project, dir string, w tool.Workspace) (best project.Environment,
	all []project.Environment,
) {
	all, _ = p.there.environments(ctx, pr, dir, w)
	if x, ok := p.c.Store.Snapshot().Settings.Projects.Find(pr.Root); ok && x.Python != "" {
		if x.Python == state.EaselPython {
			return project.Environment{}, nil
		}
		if i := slices.IndexFunc(all, func(e project.Environment) bool { return e.Python == x.Python && e.Works() }); i >= 0 {
			return all[i], all
		}
	}
	best, _ = project.Best(all)
	return best, all
}

// Describe returns an environment in a few words, for people and models.
func Describe(e project.Environment) string {
	var words []string
	if e.Label != e.Version { // pyenv names its installations so
		words = append(words, e.Label)
	}
	if e.Version != "" {
		words = append(words, "Python "+e.Version)
	}
	if e.Kind != project.Venv || strings.TrimPrefix(path.Base(e.Label), ".") != project.Venv { // .venv says it
		words = append(words, e.Kind)
	}
	return strings.Join(words, ", ")
}

// noPython says that a session has Easel's own Python, because the project has none.
func noPython(found []project.Environment, advice project.Advice, missing bool) string {
	text := "The project has no Python environment, so this is Easel's own Python, in the project's folder."
	if len(found) > 0 {
		text = fmt.Sprintf("%s cannot be used. %s. So this is Easel's own Python, in the project's folder.", found[0].Label, found[0].Broken)
	}
	if !missing && len(found) > 0 {
		text += " If the user wants that environment, ask them to make it again."
	} else if missing {
		text += fmt.Sprintf(" %s. Ask the user whether to run %q in %s.", advice.Why, advice.Command, advice.Directory)
	}
	return text
}

// authorize returns nil if the caller may work in a project. If the user has not allowed it yet, it
// asks. The error is an *Error.
func (p *Projects) authorize(ctx context.Context, pr project.Project, env project.Environment) error {
	if p.Allows(pr.Root) {
		return nil
	}
	if tool.CallerFrom(ctx).Transport == tool.Window { // the user's own click
		p.access.give(pr.Root)
		return nil
	}
	if !p.c.Store.Snapshot().CanAsk(tool.CallerFrom(ctx), true) {
		return &Error{
			Problem: NotAllowed, Detail: "the user has not allowed this project, and Easel runs without a window in which they could",
			Remedy: p.HowToAllow(ctx, pr.Root),
		}
	}
	question := catalog.Project{Name: pr.Name, Root: pr.Root, Why: reason(env.Why)}
	if env.Python != "" {
		question.Environment = Describe(env)
	} else if advice, ok := p.missing(ctx, pr); ok {
		question.Missing, question.Command = reason(advice.Why), advice.Command
	}
	err := p.access.ask(ctx, question)
	if d, ok := errors.AsType[*oversight.DeniedError](err); ok {
		return &Error{Problem: NotAllowed, Detail: d.Error(), Remedy: "Do not ask again unless the user wants it. Without directory, a session starts in Easel's own folder.", Err: err}
	}
	return err
}

// Allows reports whether the user has allowed a project, or a folder above it.
func (p *Projects) Allows(root string) bool { return p.access.allows(root) }

// below reports whether a path is a directory or in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// relative returns a directory relative to a root, with slashes; "" is the root.
func relative(root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// real returns a path without links, as far as it exists.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}
