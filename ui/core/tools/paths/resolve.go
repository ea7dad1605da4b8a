package paths

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"easel/internal/system"
	"easel/jupyter"
	"easel/jupyter/tunnel"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/private"
	"easel/ui/core/tools/codes"
)

// An absolute path means a file on the disk if that is below the root of a server. Otherwise it
// means one in the root, as Jupyter writes paths, if it is a plain name or its first folder
// exists there. Anything else is refused: it must never become a new file somewhere else.

// drive matches the beginning of an absolute path on Windows.
var drive = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)

// IsAbsolute reports whether a path is absolute, on this machine or another one, or begins at
// the home directory.
func IsAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || drive.MatchString(p) || p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, "file:///")
}

// Resolve returns what check returns for a path that a caller gave. An absolute path may
// decide on a server, whose name it returns then; otherwise it returns the given name. The server of a
// project that the user has stopped allowing may still run, for its sessions. No path leads there.
func (f *Finder) Resolve(ctx context.Context, server, parameter, p string, check func(string) (string, error)) (clean, on string,
	err error,
) {
	if clean, on, err = f.resolve(ctx, server, parameter, p, check); err != nil || f.Projects == nil || on == "" {
		return clean, on, err
	}
	root := f.Projects.Root(on)
	if root == "" || f.Projects.Allows(root) || tool.CallerFrom(ctx).Transport == tool.Window {
		return clean, on, nil
	}
	return "", "", f.noLongerAllowed(ctx, root)
}

// resolve is Resolve without the permission.
func (f *Finder) resolve(ctx context.Context, server, parameter, p string, check func(string) (string, error)) (clean, on string,
	err error,
) {
	if runtime.GOOS == "windows" && !IsAbsolute(p) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if f.Projects != nil && (tunnel.IsAddress(p) || tunnel.IsAddress(server)) {
		if server, p, err = f.elsewhere(ctx, server, p); err != nil {
			return "", "", err
		}
	}
	if climbs(p) {
		return f.upwards(ctx, server, parameter, p, check)
	}
	plain := strings.Trim(p, "/")
	if !IsAbsolute(p) || strings.HasPrefix(p, "/") && !strings.Contains(plain, "/") && !f.isRoot(p) {
		if clean, err = check(p); err != nil || server != "" {
			return clean, server, codes.Path(parameter, err)
		}
		if full := f.Existing(ctx, p); full != p {
			return f.Resolve(ctx, "", parameter, full, check)
		}
		clean, server, _, err = f.InProject(ctx, clean)
		return clean, server, err
	}
	if server == "" && f.Projects != nil {
		if f.Theirs(p) {
			server, _ = f.theirs(onDisk(p))
		} else if server, err = f.Projects.At(ctx, onDisk(p)); err != nil {
			return "", "", err
		}
	}
	hosts, err := f.Servers.Hosts(ctx, server)
	if err != nil {
		return "", "", err
	}
	if on, rel, ok := below(hosts, onDisk(p)); ok {
		clean, err = check(rel)
		return clean, on, codes.Path(parameter, err)
	}
	if strings.HasPrefix(p, "/") {
		if clean, err = check(p); err != nil {
			return "", "", codes.Path(parameter, err)
		}
		first, _, _ := strings.Cut(clean, "/")
		there := Which(ctx, hosts, func(ctx context.Context, h servers.Host) bool {
			_, err := h.Client.Contents(ctx, first, jupyter.ContentsQuery{})
			return err == nil
		})
		if len(there) > 1 {
			return clean, server, nil // the file decides
		}
		if len(there) == 1 {
			return clean, there[0].Name, nil
		}
	}
	return "", "", f.outside(ctx, refusedPath{parameter, p, server}, hosts)
}

// elsewhere returns the server and the path there of a path on another machine.
func (f *Finder) elsewhere(ctx context.Context, server, p string) (on, there string, err error) {
	if tunnel.IsAddress(p) {
		return f.Projects.There(ctx, p)
	}
	on, _, err = f.Projects.There(ctx, server)
	return on, p, err
}

// Existing returns the absolute path of the notebook that a relative path means in the caller's
// project, or p if there is none. It decides on the server as if the caller had given it: the
// notebook may belong to a project within that one, with its own Python, or to a server of the
// user's, where they may have it open.
func (f *Finder) Existing(ctx context.Context, p string) string {
	if climbs(p) {
		return f.Upwards(ctx, p)
	}
	clean, err := jupyter.NotebookPath(p)
	if f.Projects == nil || err != nil || IsAbsolute(p) || f.Chosen.Of(ctx, clean, f.Renames.Now) != "" {
		return p
	}
	if _, full, exists := f.own(ctx, clean); exists {
		return full
	}
	return p
}

// own returns what a relative path means in the caller's projects: in the one that it was started in or, if
// nothing is there, in that of its last session. The root is "" if it works in none.
func (f *Finder) own(ctx context.Context, clean string) (root, full string, exists bool) {
	root, directory := f.Projects.Of(ctx)
	if root == "" || tunnel.IsAddress(root) {
		return root, "", false
	}
	if full, exists = Within(root, directory, clean); exists {
		return root, full, true
	}
	if last := f.Projects.Last(ctx); last != "" && !tunnel.IsAddress(last) {
		if there, ok := Within(last, last, clean); ok {
			return last, there, true
		}
	}
	return root, full, false
}

// InProject returns which path on which server a relative path means, if the caller works in a
// project: what exists below its root, as results name it, or below the caller's directory there, or else
// in the project of its last session. Otherwise it is a new file in that directory, or below the root if only that has its folder.
// A file that is also below the root of a server that the user runs is the one there. If only that
// server or the working folder has such a file, it means that. The server is "" if the caller has
// chosen one for that path.
func (f *Finder) InProject(ctx context.Context, clean string) (path, server string, exists bool, err error) {
	if f.Projects == nil || f.Chosen.Of(ctx, clean, f.Renames.Now) != "" {
		return clean, "", false, nil
	}
	if root := f.Projects.Withdrawn(ctx); root != "" { // it must not mean a file elsewhere
		return "", "", false, f.noLongerAllowed(ctx, root)
	}
	root, full, exists := f.own(ctx, clean)
	if root == "" {
		return clean, "", false, nil
	}
	if tunnel.IsAddress(root) {
		server, err = f.Projects.At(ctx, root)
		return clean, server, server != "", err
	}
	switch info, problem := os.Stat(full); {
	case problem == nil && !info.IsDir():
		if server, path = f.theirs(full); server != "" {
			return path, server, true, nil
		}
	case exists:
	case f.RootDir != "" && isThere(filepath.Join(f.RootDir, filepath.FromSlash(clean))):
		return clean, f.ofRootDir(), true, nil
	default:
		if server, above := f.theirs(root); server != "" { // as its results name files
			if path = strings.TrimPrefix(clean, above+"/"); isThere(filepath.Join(root, filepath.FromSlash(path))) && path != clean {
				return clean, server, true, nil
			}
		}
	}
	if server, err = f.Projects.At(ctx, root); server == "" || err != nil {
		return clean, "", false, err
	}
	path, _ = relative(root, full)
	return path, server, exists, nil
}

// ofRootDir returns the server whose root is the working folder, or "".
func (f *Finder) ofRootDir() string {
	all, _ := f.Servers.Select("")
	for _, s := range all {
		if client, err := s.Now(); err == nil && s.Managed && client.Root() == f.RootDir {
			return s.Name
		}
	}
	return ""
}

// Within returns what a relative path means in a project whose caller works in a directory of it,
// as InProject does, and whether that exists.
func Within(root, directory, clean string) (full string, exists bool) {
	below, here := filepath.Join(root, filepath.FromSlash(clean)), filepath.Join(directory, filepath.FromSlash(clean))
	switch {
	case isThere(below):
		return below, true
	case isThere(here):
		return here, true
	case isThere(filepath.Dir(here)):
		return here, false
	}
	return below, false
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Theirs reports whether an absolute path is below the root of a server on this machine that the
// user runs, and not in the working folder. Then it means the file there, which they may have open.
func (f *Finder) Theirs(p string) bool {
	server, _ := f.theirs(onDisk(p))
	return server != ""
}

// theirs returns that server and the path there, or "".
func (f *Finder) theirs(full string) (server, rel string) {
	if f.RootDir != "" {
		if _, ok := relative(private.Real(f.RootDir), private.Real(full)); ok {
			return "", ""
		}
	}
	all, _ := f.Servers.Select("")
	for _, s := range all {
		if s.Managed || s.Local || !s.IsHere() {
			continue
		}
		if client, err := s.Now(); err == nil {
			if rel, ok := belowRoot(servers.Host{Name: s.Name, Client: client}, full); ok {
				return s.Name, rel
			}
		}
	}
	return "", ""
}

// Folder returns the folder of an absolute path on the disk, or "" if there is none or the path
// is relative.
func Folder(p string) string {
	if !IsAbsolute(p) {
		return ""
	}
	dir := filepath.Dir(onDisk(p))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || filepath.Dir(dir) == dir {
		return ""
	}
	return dir
}

// isRoot reports whether a path of one name is the root of a server, or may be in it: a root
// such as /work.
func (f *Finder) isRoot(p string) bool { return f.RootDir != "" && path.Clean(p) == f.RootDir }

// onDisk returns the path on the disk that an absolute path means.
func onDisk(p string) string {
	if file, ok := system.FilePath(p); ok {
		return file
	}
	if rest, ok := strings.CutPrefix(p, "~"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return p
}

// belowRoot returns the path relative to the root of a server, if it is below that.
func belowRoot(h servers.Host, full string) (rel string, ok bool) {
	root := h.Client.Root()
	if root == "" {
		return "", false
	}
	if rel, ok = relative(root, full); ok || h.Client.Elsewhere() {
		return rel, ok
	}
	return relative(private.Real(root), private.Real(full)) // one of them may be written with links
}

// relative returns path relative to root, both absolute and of the same system, which need
// not be this one.
func relative(root, p string) (string, bool) {
	windows := drive.MatchString(root)
	if windows {
		root, p = strings.ReplaceAll(root, `\`, "/"), strings.ReplaceAll(p, `\`, "/")
	}
	root, p = path.Clean(root), path.Clean(p)
	if root != "/" {
		root += "/"
	}
	switch {
	case p+"/" == root:
		return "", true
	case len(p) < len(root), p[:len(root)] != root && (!windows || !strings.EqualFold(p[:len(root)], root)):
		return "", false
	}
	return p[len(root):], true
}

// RootOf names the root of a server.
func RootOf(h servers.Host) string {
	if root := h.Client.Root(); root != "" {
		return root
	}
	return fmt.Sprintf("the root directory of the Jupyter server %q", h.Name)
}

// InRoot adds the root to an error that says that nothing is there.
func InRoot(h servers.Host, err error) error {
	e, ok := err.(*tool.Error) //nolint:errorlint // it has just been made
	if ok && (e.Code == tool.FileNotFound || e.Code == tool.NotebookNotFound) {
		e.Detail = strings.TrimSuffix(e.Detail, ".") + " in " + RootOf(h) + "."
	}
	return err
}
