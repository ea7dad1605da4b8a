package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/google/uuid"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// A RunningKernel names a kernel to join: that of a notebook, or one by its id. If both are given, it is
// the notebook's.
type RunningKernel struct {
	Server   string // its name; "" is any
	Notebook string // its path; it need not be that of a notebook, because consoles in JupyterLab have sessions, too
	KernelID string
	Client   string
	// Reaches reports whether the path may mean a file on a server, if none is named; nil is any. The
	// kernel with an id may be anywhere.
	Reaches func(server string) bool
}

// Connect joins a running kernel. If no session has the path, and it is not that of a notebook, the error
// says so. Of several servers on which a notebook is open, it is the first.
func (m *Manager) Connect(ctx context.Context, q RunningKernel) (record.SessionView, error) {
	all, err := m.Servers.Select(q.Server)
	if err != nil {
		return record.SessionView{}, err
	}
	var unfit error
	if q.Notebook != "" {
		_, unfit = jupyter.NotebookPath(q.Notebook)
		if q.Notebook, err = jupyter.CleanPath(q.Notebook); err != nil || q.Notebook == "" {
			return record.SessionView{}, unfit
		}
	}
	v, err := m.connectOn(ctx, all, q)
	if _, away := errors.AsType[*servers.NotReadyError](err); away && all[0].Recheck(ctx) {
		v, err = m.connectOn(ctx, all, q)
	}
	if unfit != nil && errors.Is(err, ErrSessionNotFound) {
		err = unfit
	}
	return v, err
}

func (m *Manager) connectOn(ctx context.Context, all []*servers.Server, q RunningKernel) (record.SessionView, error) {
	problem := ErrSessionNotFound
	for i, l := range m.survey.List(ctx, all) {
		f, ok := l.Pick(ctx, q.Notebook, q.KernelID)
		if ok && (q.Notebook == "" || q.Server != "" || q.Reaches == nil || q.Reaches(l.Server.Name)) {
			r, err := m.join(ctx, l.Server, l.Client, f, q.Client)
			if err != nil {
				return record.SessionView{}, err
			}
			return r.Session.View(), nil
		}
		// Report an error of the first server, or survey.ErrUnlisted. Others do not matter.
		if l.Err != nil && (i == 0 || errors.Is(l.Err, survey.ErrUnlisted) && problem == ErrSessionNotFound) { //nolint:errorlint // is it still the first value
			problem = l.Err
		}
	}
	return record.SessionView{}, problem
}

// joined returns the recorder of a session, given its id or its kernel's id. If the session
// runs on any server but is not joined yet, it joins it.
func (m *Manager) joined(ctx context.Context, id string) (*record.Recorder, error) {
	return m.joinedOr(ctx, id, func(l survey.Listing, f survey.Kernel) (*record.Recorder, error) {
		return m.join(ctx, l.Server, l.Client, f, "")
	})
}

// followed is like joined, but joins nothing: the error of a session that is not joined is
// ErrNotJoined.
func (m *Manager) followed(ctx context.Context, id string) (*record.Recorder, error) {
	return m.joinedOr(ctx, id, func(survey.Listing, survey.Kernel) (*record.Recorder, error) { return nil, ErrNotJoined })
}

// looked is followed for a client that looks at a plot, which does not use its session.
func (m *Manager) looked(ctx context.Context, id string) (*record.Recorder, error) {
	return m.followed(tool.WithCaller(ctx, tool.Caller{}), id)
}

// joinedOr returns the recorder of a joined session, and otherwise calls other with the session
// if it runs on any server.
func (m *Manager) joinedOr(ctx context.Context, id string,
	other func(survey.Listing, survey.Kernel) (*record.Recorder, error),
) (*record.Recorder, error) {
	if r := m.recorders.find(id); r != nil {
		r.Session.Use(ctx)
		return r, nil
	}
	if uuid.Validate(id) != nil { // no Jupyter server uses such an id
		return nil, fmt.Errorf("%w: %q", ErrSessionNotFound, id)
	}
	kept, keptErr := m.cfg.Library.Sessions.Get(ctx, id)
	if keptErr == nil && kept.Held != nil {
		return nil, &UnusedError{kept}
	}
	all, _ := m.Servers.Select("")
	var problem error
	for i, l := range m.survey.List(ctx, all) {
		if f, ok := l.Pick(ctx, "", id); ok {
			return other(l, f)
		}
		// An error matters only if it is from the server that probably has the session.
		if l.Err != nil && !errors.Is(l.Err, survey.ErrUnlisted) && !errors.Is(l.Err, jupyter.ErrNotFound) &&
			(keptErr == nil && kept.Server == l.Server.Name || keptErr != nil && i == 0) {
			problem = l.Err
		}
	}
	if problem != nil {
		return nil, problem
	}
	if keptErr == nil && kept.EndedBy != "" {
		return nil, fmt.Errorf("%w: %q. It was ended at %s by %s", ErrSessionNotFound, id, kept.EndedAt.UTC().Format(time.RFC3339), kept.EndedBy)
	}
	return nil, fmt.Errorf("%w: %q", ErrSessionNotFound, id)
}

// join joins a running kernel, unless it is joined already. For a kernel that no server
// runs, it asks the user first, unless its program has offered it.
func (m *Manager) join(ctx context.Context, s *servers.Server, jup *jupyter.Server, f survey.Kernel, client string) (*record.Recorder,
	error,
) {
	if s.Local && !f.Model.Process.Guest && m.recorders.find(f.Model.ID) == nil {
		if err := m.permit(ctx, s, jup, f); err != nil {
			return nil, err
		}
	}
	r, err := m.joinPermitted(ctx, s, jup, f, client)
	return r, s.Unavailable(err)
}

// errNobodyPermits means that there is no window in which the user could answer.
var errNobodyPermits = errors.New("nobody can allow it")

// AskBy sets the function that asks the user whether Easel may connect to a kernel that no Jupyter
// server runs, for the caller in ctx, and waits for the answer. It must be called before Start.
// Without it, Easel may not.
func (m *Manager) AskBy(ask func(ctx context.Context, s catalog.Session) error) { m.ask = ask }

// permit returns nil if the user lets Easel connect to a kernel. If that is not known yet, it
// asks; if the user permits it, Easel connects. A permission lasts until the kernel ends or Easel
// disconnects from it, also over a restart of Easel: the library has the session, and it has not
// ended.
func (m *Manager) permit(ctx context.Context, s *servers.Server, jup *jupyter.Server, f survey.Kernel) error {
	kept, err := m.cfg.Library.Sessions.Get(ctx, f.ID())
	if err == nil && kept.EndedAt.IsZero() && kept.Server == s.Name {
		return nil
	}
	if tool.CallerFrom(ctx).Transport == tool.Window { // the user's own click
		m.permissions.Given(f.ID())
		return nil
	}
	client := tool.CallerFrom(ctx).Name
	p := m.permissions.Question(ctx, m.tasks, f.ID(), func(ctx context.Context) error {
		if m.ask == nil {
			return errNobodyPermits
		}
		if err := m.ask(ctx, m.listed(s, f, kept)); err != nil {
			return err
		}
		_, err := m.joinPermitted(ctx, s, jup, f, client)
		return err
	})
	if p == nil {
		return tasks.ErrClosed
	}
	return m.permissions.Answer(ctx, p)
}

// joinPermitted is join without a question. It keeps what the library knows about the
// session.
func (m *Manager) joinPermitted(ctx context.Context, s *servers.Server, jup *jupyter.Server, f survey.Kernel,
	client string,
) (*record.Recorder, error) {
	sess := library.Session{
		ID: f.ID(), KernelID: f.Model.ID, KernelName: f.Model.Name, Server: s.Name,
		Client: client, Owner: record.OwnerOther, CreatedAt: time.Now().UTC(), Generation: 1,
	}
	if f.Session != nil {
		sess.NotebookPath = f.Session.Path
	}
	if p := f.Model.Process; p != nil {
		sess.Program = p.Program
	}
	if kept, err := m.cfg.Library.Sessions.Get(ctx, sess.ID); err == nil {
		if kept.KernelID != sess.KernelID {
			kept.KernelID, kept.KernelName = sess.KernelID, sess.KernelName
			sessionuse.Replace(&kept, sessionuse.OtherKernel)
			kept.Process, kept.Assistant = "", ""
		}
		if kept.Server == sess.Server {
			m.Renames.Record(s.Name, kept.NotebookPath, sess.NotebookPath)
		}
		kept.NotebookPath, kept.Server, kept.EndedAt = sess.NotebookPath, sess.Server, time.Time{}
		kept.Held, kept.EndedBy, kept.EndedByID = nil, "", ""
		kept.Client = cmp.Or(kept.Client, client)
		sess = kept
	}
	return m.follow(ctx, s, jup, &sess, connectTo(jup, m.timing.options(m.cfg.Log)), true)
}

// follow joins the kernel of a session and starts its recorder. midway means that the kernel
// may have run code before. Concurrent calls for one kernel get the same recorder.
func (m *Manager) follow(ctx context.Context, s *servers.Server, jup *jupyter.Server, sess *library.Session, connect connector,
	midway bool,
) (*record.Recorder, error) {
	asked := sess.KernelID
	r, mine, err := m.recorders.turn(ctx, asked, m.tasks.Closed)
	if r != nil {
		r.Session.Use(ctx)
	}
	if r != nil || err != nil {
		return r, err
	}
	defer m.recorders.done(asked, mine)
	conn, joined, err := connect(ctx, sess)
	if err != nil {
		return nil, err
	}
	sess.ClientSession = conn.Session()
	former := sess.Process
	if former == "" {
		sess.Process = conn.JoinedProcess()
	}
	if sess.NotebookPath != "" && (sess.Owner == record.OwnerEasel || s.Managed) { // then the server has started it
		sess.Directory = directory(s, jup, path.Dir(sess.NotebookPath))
	}
	if m.cfg.Project != nil {
		root, environment := m.cfg.Project(s.Name, sess.KernelName)
		sess.Project, sess.Environment = cmp.Or(sess.Project, root), cmp.Or(sess.Environment, environment)
	}
	sess.Colour = colour(ctx, m.cfg.Library, sess.ID)
	caller := tool.CallerFrom(ctx).Identity()
	sessionuse.Add(sess, tool.CallerFrom(ctx))
	if err := m.cfg.Library.Sessions.Put(ctx, *sess); err != nil {
		_ = conn.Close()
		return nil, err
	}
	r = record.New(m.env, s, jup, conn, *sess)
	if midway {
		r.JoinMidway(ctx, joined, former)
	} else {
		r.JoinNew(joined)
	}
	if midway && caller == "" { // restored at startup
		r.Session.SetUsed(m.Unused.LastUse(conn.Clock(joined.LastActivity)))
	}
	m.recorders.add(sess.KernelID, r)
	m.Unused.WakeUp()
	r.Publish() // before any other event of the session
	if !r.Start() {
		_ = conn.Close()
		return nil, tasks.ErrClosed
	}
	return r, nil
}

// forget removes the recorder of an ended session and stores the session. If the session has
// a notebook that now uses another kernel, forget joins that kernel in the background.
func (m *Manager) forget(r *record.Recorder, sess library.Session) {
	m.recorders.remove(r.Link.KernelID(), r)
	if err := m.cfg.Library.Sessions.Put(context.WithoutCancel(m.tasks.Context()), sess); err != nil {
		m.cfg.Log.Error("storing the end of a session", "session", sess.ID, "err", err)
	}
	if m.cfg.On.Session != nil {
		v := r.Session.View()
		v.Gone = true
		m.cfg.On.Session(v)
	}
	if sess.NotebookPath == "" {
		return
	}
	m.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(m.tasks.Context(), 10*time.Second)
		defer cancel()
		model, err := r.Link.Client.Session(ctx, sess.ID)
		s, known := m.Servers.Lookup(r.Link.Server)
		if err != nil || known != nil || model.Kernel.ID == sess.KernelID {
			return
		}
		if _, err := m.join(ctx, s, r.Link.Client, survey.Kernel{Model: model.Kernel, Session: &model}, sess.Client); err != nil {
			m.cfg.Log.Warn("joining the notebook's new kernel", "session", sess.ID, "err", err)
		}
	})
}
