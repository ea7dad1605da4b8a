package kernels

import (
	"context"
	"errors"
	"slices"
	"time"

	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
)

// Limits of what is stored about a session.
const (
	heldVariables = 40
	heldText      = 60              // characters of a name, type or size
	heldTimeout   = 5 * time.Second // for the kernel to list its variables
)

// errInUse reports that an unused session was not ended, because it is in use again.
var errInUse = errors.New("the session is in use")

// use records that the caller of ctx uses the session now.
func (r *recorder) use(ctx context.Context) {
	r.mu.Lock()
	r.used = time.Now()
	changed := sessionuse.Add(&r.sess, tool.CallerFrom(ctx))
	r.mu.Unlock()
	if changed {
		r.post(r.keepSession)
	}
}

// touch records that the kernel is used now.
func (r *recorder) touch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = time.Now()
}

// keepSession stores the session in the library.
func (r *recorder) keepSession() {
	if err := r.env.cfg.Library.Sessions.Put(r.keeping(), r.session()); err != nil {
		r.log.Error("storing the session", "err", err)
	}
}

// moveTo makes the path of a session that of its Jupyter session, and returns the former path
// if it was another. The library has it when moveTo returns.
func (r *recorder) moveTo(s jupyter.SessionModel) (was string) {
	r.mu.Lock()
	if r.sess.ID == s.ID && r.sess.NotebookPath != s.Path {
		was, r.sess.NotebookPath = r.sess.NotebookPath, s.Path
	}
	r.mu.Unlock()
	if was != "" {
		r.call(r.keepSession)
	}
	return was
}

// openElsewhere returns errInUse if the kernel is used outside Easel: it belongs to a
// Jupyter session, or another client is connected to it.
func (r *recorder) openElsewhere(ctx context.Context, list func(context.Context, servers.Host) ([]jupyter.SessionModel, error)) error {
	sessions, err := list(ctx, servers.Host{Name: r.server, Client: r.client})
	if err != nil && !isUnknown(err) { // a gateway has none
		return err
	}
	if slices.ContainsFunc(sessions, func(s jupyter.SessionModel) bool { return s.Kernel.ID == r.conn.ID() }) {
		return errInUse
	}
	k, err := r.client.Kernel(ctx, r.conn.ID())
	if err != nil {
		return err
	}
	own := 0
	if r.conn.Connected() {
		own = 1
	}
	if k.Connections > own {
		return errInUse
	}
	return nil
}

// holds returns the session's variables, up to heldVariables.
func (r *recorder) holds(ctx context.Context) library.EndState {
	ctx, cancel := context.WithTimeout(ctx, heldTimeout)
	defer cancel()
	vs, err := inspect.Variables(ctx, r, "")
	if err != nil {
		return library.EndState{Unknown: true}
	}
	h := library.EndState{More: max(0, len(vs)-heldVariables)}
	for _, v := range vs[:min(len(vs), heldVariables)] {
		h.Variables = append(h.Variables, library.HeldVariable{Name: short(v.Name), Type: short(v.Type), Size: short(v.Size)})
	}
	return h
}

func short(s string) string {
	if r := []rune(s); len(r) > heldText {
		return string(r[:heldText]) + "…"
	}
	return s
}
