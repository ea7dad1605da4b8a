package projects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/jupyter/managed"
	"easel/jupyter/overlay"
	"easel/jupyter/project"
	"easel/jupyter/remote"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// The root of a project on another machine is its address, ssh://HOST/PATH. What looks at its
// files is asked of Easel's program there.

// elsewhere are the other machines.
type elsewhere struct {
	open func(tunnel.Address) *remote.Machine // see Config.Machine; may be nil
	log  *slog.Logger
	file string // has the open projects, for the next run of Easel
	// confined reports whether the kernels of a project on this machine have a sandbox: "" if not. It may be nil.
	confined func(root string) string

	mu         sync.Mutex
	machines   map[string]*remote.Machine // by their addresses
	links      []link
	remembered bool // a file has the open projects; see remember
}

// machine returns a machine, which is closed by close.
func (e *elsewhere) machine(address tunnel.Address) *remote.Machine {
	address = address.Machine()
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.machines[address.String()]
	if m == nil {
		m = e.open(address)
		if e.machines == nil {
			e.machines = make(map[string]*remote.Machine)
		}
		e.machines[address.String()] = m
	}
	return m
}

// at returns the machine of a project's root and the folder there; nil for one on this machine.
func (e *elsewhere) at(root string) (*remote.Machine, string) {
	if !tunnel.IsAddress(root) || e.open == nil {
		return nil, root
	}
	address, err := tunnel.Parse(root)
	if err != nil {
		return nil, root
	}
	return e.machine(address), address.Path
}

func (e *elsewhere) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.machines {
		m.Close()
	}
}

// A link is a directory that the user has allowed by an address that leads through links or begins
// with ~, and where it is.
type link struct{ allowed, directory string }

// mostLinks is the largest number of links that are remembered.
const mostLinks = 1000

func (e *elsewhere) note(x link) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.links) < mostLinks && !slices.Contains(e.links, x) {
		e.links = append(e.links, x)
	}
}

// allowed returns the addresses that the user may have allowed and that lead to a directory or one
// above it.
func (e *elsewhere) allowed(directory string) (addresses []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.links {
		if below(x.directory, directory) {
			addresses = append(addresses, x.allowed)
		}
	}
	return addresses
}

// findThere is find for a directory on another machine. Nothing is done there before the user has
// allowed the directory.
func (p *Projects) findThere(ctx context.Context, directory string) (project.Project, string, error) {
	address, err := tunnel.Parse(directory)
	switch {
	case err != nil:
		return project.Project{}, "", &Error{Detail: err.Error(), Remedy: "Give the machine and the whole path of the project's folder there, for example ssh://gpu/home/ann/sales."}
	case address.Path == "":
		return project.Project{}, "", &Error{Detail: fmt.Sprintf("the address %s names a machine and no folder", address), Remedy: "Give the path of the project's folder there, for example " + address.String() + "/home/ann/sales. To use the Jupyter server that the user runs there, they add it in Easel's settings."}
	case p.there.open == nil:
		return project.Project{}, "", &Error{Detail: "Easel uses another Jupyter server (--jupyter-url), so it runs none for projects", Remedy: "Omit directory."}
	}
	asked := project.Project{Root: address.String(), Name: named(address)}
	if err := p.authorize(ctx, asked, project.Environment{}); err != nil {
		return asked, "", err
	}
	found, err := p.there.machine(address).Find(ctx, address.Path, progress(ctx))
	if err != nil {
		return asked, "", problemThere(ctx, address, err)
	}
	address.Path = found.Directory
	dir := address.String()
	if err := p.authorizeThere(ctx, asked.Root, address); err != nil {
		return asked, "", err
	}
	root := address
	if root.Path = found.Project.Root; !p.Allows(root.String()) {
		root = address
	}
	return project.Project{Root: root.String(), Name: named(root)}, dir, nil
}

// authorizeThere returns nil if the caller may work in a directory on another machine, to which the
// address asked leads. A link in an allowed folder may lead out of it.
func (p *Projects) authorizeThere(ctx context.Context, asked string, directory tunnel.Address) error {
	dir := directory.String()
	if p.Allows(dir) {
		return nil
	}
	for _, allowed := range p.access.above(asked) {
		if allowed == asked {
			p.there.note(link{asked, dir})
			return nil
		}
		base, err := tunnel.Parse(allowed)
		if err != nil {
			continue
		}
		found, err := p.there.machine(base).Find(ctx, base.Path, nil)
		if err != nil { // it is no project, such as the home directory
			continue
		}
		base.Path = found.Directory
		p.there.note(link{allowed, base.String()})
		if p.Allows(dir) {
			return nil
		}
	}
	return p.authorize(ctx, project.Project{Root: dir, Name: named(directory)}, project.Environment{})
}

// nameOf returns what the server of the project with a root is called, unless another has the name.
func nameOf(root string) string {
	if address, err := tunnel.Parse(root); tunnel.IsAddress(root) && err == nil {
		return named(address)
	}
	return filepath.Base(root)
}

// named is what the server of a project on another machine is called.
func named(a tunnel.Address) string { return a.Host + ":" + path.Base(a.Path) }

// progress passes the steps on to the caller; it is nil if the caller wants none.
func progress(ctx context.Context) func(remote.Step) {
	tell := tool.CallerFrom(ctx).Progress
	if tell == nil {
		return nil
	}
	return func(s remote.Step) { tell(tool.Progress{Message: s.Text}) }
}

// problemThere converts an error of another machine.
func problemThere(ctx context.Context, address tunnel.Address, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{
			Problem: Preparing, Detail: "Easel is still connecting to " + address.Host + ", or copying its program there",
			Remedy: "Call again in a few seconds.", Err: err,
		}
	}
	if e, ok := errors.AsType[*remote.Error](err); ok {
		problem := map[remote.Kind]Problem{remote.NotAProject: Invalid, remote.NoKernel: NoKernel}
		is, ok := problem[e.Kind]
		if !ok {
			is = Unreachable
		}
		detail, remedy := e.Text, e.Remedy
		if !strings.Contains(detail, address.Host) {
			detail = "on " + address.Host + ", " + detail
		}
		if e.Folder != "" {
			address.Path = e.Folder
			remedy += " " + address.String() + "."
		}
		return &Error{Problem: is, Detail: detail, Remedy: remedy, Err: err}
	}
	if e, ok := errors.AsType[*tunnel.Error](err); ok {
		remedy := "Ask the user to do that, then call again."
		if e.Problem == tunnel.Lost || e.Problem == tunnel.Connecting {
			remedy = "Call again in a few seconds."
		}
		return &Error{Problem: Unreachable, Detail: "Easel cannot work on that machine: " + e.Error(), Remedy: remedy, Err: err}
	}
	return err
}

// explained converts an error of a project's server, or of its Python, if that is on another machine.
func explained(ctx context.Context, root string, err error) error {
	address, bad := tunnel.Parse(root)
	if err == nil || bad != nil || !tunnel.IsAddress(root) {
		return err
	}
	return problemThere(ctx, address, err)
}

// environments returns the environments of a project, best first, and how to make one that is
// missing.
func (e *elsewhere) environments(ctx context.Context, pr project.Project, dir string, w tool.Workspace) ([]project.Environment,
	*project.Advice,
) {
	m, root := e.at(pr.Root)
	if m == nil {
		pr.Confined = e.confined != nil && e.confined(pr.Root) != ""
		return project.Environments(ctx, pr, project.Surroundings(w), dir), nil
	}
	_, dir = e.at(dir)
	found, err := m.Environments(ctx, project.Project{Root: root, Name: path.Base(root)}, dir)
	if err != nil && ctx.Err() == nil {
		e.log.WarnContext(ctx, "the environments of a project are unknown", "root", pr.Root, "err", err)
	}
	return found.All, found.Advice
}

// missing is [project.Missing].
func (p *Projects) missing(ctx context.Context, pr project.Project) (project.Advice, bool) {
	if !tunnel.IsAddress(pr.Root) {
		return project.Missing(ctx, pr)
	}
	if !p.Allows(pr.Root) {
		return project.Advice{}, false
	}
	_, advice := p.there.environments(ctx, pr, pr.Root, tool.Workspace{})
	if advice == nil {
		return project.Advice{}, false
	}
	return *advice, true
}

// prepare says how to start a kernel in an interpreter of a project.
func (p *Projects) prepare(ctx context.Context, root, python string, report func(string)) (overlay.Kernel, error) {
	m, _ := p.there.at(root)
	if m == nil {
		return p.c.Prepare(ctx, python, p.boxes.confined(root), report)
	}
	return m.Prepare(ctx, python, func(s remote.Step) { report(s.Text) })
}

// host makes the server of a project.
func (p *Projects) host(o *openProject, report func(managed.Status)) Host {
	of := managed.ProjectServer{Root: o.root, Name: o.name}
	m, root := p.there.at(o.root)
	if m == nil {
		return p.c.Host(of, report)
	}
	of = managed.ProjectServer{Root: root, Name: path.Base(root)}
	return m.Host(of, report, func() {
		p.tasks.Go(func() { p.c.Servers.Recheck(p.tasks.Context(), o.name) })
	})
}

// reportThere handles the status of a server on another machine. Once it runs, it is checked like
// a server of the user's own, because the way to it may break.
func (p *Projects) reportThere(o *openProject, s managed.Status, h catalog.ServerHealth) {
	h.URL = o.root
	if s.Phase != managed.Ready {
		p.c.Servers.Set(nil, h)
		return
	}
	p.there.changed(o, &p.running, p.tasks)
	ctx, cancel := context.WithCancel(p.tasks.Context())
	p.running.mu.Lock()
	o.leave = cancel
	p.running.mu.Unlock()
	client := o.host.Server()
	p.tasks.Go(func() { p.c.Servers.Attach(ctx, o.name, client) })
}

// There returns the server of the project on another machine that an address leads into, and the
// path there. It starts the server if it does not run.
func (p *Projects) There(ctx context.Context, address string) (server, file string, err error) {
	a, err := tunnel.Parse(address)
	if err != nil {
		return "", "", &Error{Detail: err.Error(), Remedy: "Give the machine and the path there."}
	}
	if !p.Allows(a.String()) {
		return "", "", &Error{
			Problem: NotAllowed, Detail: "the user has not allowed " + a.String(),
			Remedy: "Call session_create with directory=" + cmp.Or(strings.TrimSuffix(a.String(), "/"+path.Base(a.Path)), a.String()) +
				" first: Easel then asks the user.",
		}
	}
	pr, dir, err := p.findThere(ctx, a.String())
	if e, ok := errors.AsType[*Error](err); ok && e.Problem == Invalid && path.Dir(a.Path) != a.Path { // a file, or a new one
		above := a
		above.Path = path.Dir(a.Path)
		if !p.Allows(above.String()) {
			return "", "", err
		}
		file = path.Base(a.Path)
		pr, dir, err = p.findThere(ctx, above.String())
	}
	if err != nil {
		return "", "", err
	}
	o, err := p.serve(ctx, pr)
	if err != nil {
		return "", "", err
	}
	if a, err = tunnel.Parse(dir); err != nil {
		return "", "", err
	}
	return o.name, path.Join(a.Path, file), nil
}

// openPatience is how long the user waits for a project on another machine. Its start goes on.
const openPatience = 30 * time.Second

// OpenThere allows a project on another machine, because the user has entered its address, and
// opens it. An address that leads to no project is not allowed any longer: it was mistyped.
func (p *Projects) OpenThere(ctx context.Context, address string) error {
	p.access.give(address)
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	_, _, err := p.There(ctx, address)
	if ctx.Err() != nil {
		return nil // the sidebar shows how far it is
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Problem == Invalid {
		p.c.Store.Update(func(n *state.Snapshot) { n.Settings.Projects = n.Settings.Projects.Without(address) })
	}
	return err
}
