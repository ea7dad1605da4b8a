package kernels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// Bounds of what is kept of a session that is ended.
const (
	heldVariables = 40
	heldText      = 60              // characters of a name, type or size
	heldTimeout   = 5 * time.Second // for the kernel to tell its variables
	maxUsers      = 8
)

// An UnusedError tells that Easel ended the session as nobody used it, and what it had.
type UnusedError struct{ Session library.Session }

// Error tells when and why.
func (e *UnusedError) Error() string {
	return fmt.Sprintf("the session was ended after %s unused", e.Session.Held.Unused)
}

// Is makes it an ErrSessionNotFound.
func (e *UnusedError) Is(target error) bool { return target == ErrSessionNotFound }

// errInUse is why a session is not ended after all.
var errInUse = errors.New("the session is in use")

// use notes that a session is used now, by the caller of ctx.
func (r *recorder) use(ctx context.Context) {
	r.mu.Lock()
	r.used = time.Now()
	users, added := withUser(r.sess.Users, tool.CallerFrom(ctx).Identity())
	r.sess.Users = users
	r.mu.Unlock()
	if added {
		r.post(r.keepSession)
	}
}

// withUser adds a caller to the last ones of a session, unless it is among them.
func withUser(users, id string) (all string, added bool) {
	list := strings.Fields(users)
	if id == "" || slices.Contains(list, id) {
		return users, false
	}
	list = append(list, id)
	return strings.Join(list[max(0, len(list)-maxUsers):], "\n"), true
}

// lastUse is when a session that an earlier Easel knew was last used: its kernel's last
// activity, but late enough for clients to come back.
func (m *Manager) lastUse(activity time.Time) time.Time {
	now := time.Now()
	back := now.Add(min(0, sweepRetry-m.sweeper.limit()))
	if activity.After(now) || activity.IsZero() {
		return now
	}
	if activity.Before(back) {
		return back
	}
	return activity
}

// touch notes that the kernel is used now.
func (r *recorder) touch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = time.Now()
}

// keepSession writes the session down.
func (r *recorder) keepSession() {
	if err := r.m.cfg.Library.PutSession(r.keeping(), r.session()); err != nil {
		r.log.Error("keeping the session", "err", err)
	}
}

// Pin keeps a session from being ended for want of use, or no longer.
func (m *Manager) Pin(ctx context.Context, id string, on bool) error {
	r, err := m.joined(ctx, id)
	if err != nil {
		return err
	}
	r.call(func() {
		r.mu.Lock()
		r.sess.Pinned = on
		r.mu.Unlock()
		r.keepSession()
	})
	m.sweeper.wakeUp()
	return nil
}

// CheckUnused checks the sessions that nobody uses: the limit may have changed.
func (m *Manager) CheckUnused() { m.sweeper.wakeUp() }

// newSweeper is what ends the manager's unused sessions.
func (m *Manager) newSweeper() *sweeper {
	s := &sweeper{
		limit: m.cfg.Unused, list: m.unused, connected: m.cfg.Connected, wake: make(chan struct{}, 1),
		end: func(ctx context.Context, u unusedSession, idle time.Duration) error {
			return m.endUnused(ctx, u.r, idle)
		},
	}
	if s.limit == nil {
		s.limit = func() time.Duration { return 0 }
	}
	if s.connected == nil {
		s.connected = func(context.Context) (map[string]catalog.Connection, error) { return nil, nil }
	}
	return s
}

// unused lists the sessions that may be ended once nobody uses them: those that Easel
// started without a notebook and that are not pinned.
func (m *Manager) unused() []unusedSession {
	m.mu.Lock()
	rs := make([]*recorder, 0, len(m.kernels))
	for _, r := range m.kernels {
		rs = append(rs, r)
	}
	m.mu.Unlock()
	var list []unusedSession
	for _, r := range rs {
		v := r.view()
		if v.Owner != OwnerEasel || v.Pinned || v.NotebookPath != "" || v.Gone {
			continue
		}
		r.mu.Lock()
		u := unusedSession{r: r, used: r.used, busy: v.Running != nil || v.Queued > 0 || r.awaitingApproval > 0}
		r.mu.Unlock()
		if v.Users != "" {
			u.users = strings.Fields(v.Users)
		}
		list = append(list, u)
	}
	return list
}

// endUnused ends a session that nobody has used for idle, unless it turns out to be in
// use. What it has is kept for whoever asks for it next.
func (m *Manager) endUnused(ctx context.Context, r *recorder, idle time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := r.openElsewhere(ctx); err != nil {
		return err
	}
	held := r.holds(ctx)
	held.Unused = idle.Round(time.Second)
	var sess library.Session
	err := errInUse
	r.call(func() {
		if works, _ := r.works(); works || r.current != nil || len(r.queue)+len(r.awaiting) > 0 || r.isGone() {
			return
		}
		r.mu.Lock()
		since, pinned := time.Since(r.used), r.sess.Pinned
		if since >= idle && !pinned {
			r.sess.Held = &held
		}
		sess = r.sess
		r.mu.Unlock()
		if sess.Held == nil {
			return
		}
		err = nil
		r.gone("nobody used it for " + held.Unused.String())
	})
	if err != nil {
		return err
	}
	if err := r.remove(ctx, sess); err != nil { // it is listed as long as it runs, and can be deleted
		r.log.ErrorContext(ctx, "ending a session that nobody used", "err", err)
	}
	r.log.InfoContext(ctx, "ended a session that nobody used", "unused", held.Unused, "client", sess.Client, "variables", len(held.Variables)+held.More)
	if m.cfg.On.Unused != nil {
		m.cfg.On.Unused(r.session())
	}
	return nil
}

// openElsewhere is an error while the kernel is open in a notebook: a Jupyter session
// is bound to it, or somebody beside Easel is connected to it.
func (r *recorder) openElsewhere(ctx context.Context) error {
	sessions, err := r.client.Sessions(ctx)
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

// holds lists the session's variables, within bounds.
func (r *recorder) holds(ctx context.Context) library.Held {
	ctx, cancel := context.WithTimeout(ctx, heldTimeout)
	defer cancel()
	vs, err := r.variables(ctx, "")
	if err != nil {
		return library.Held{Unknown: true}
	}
	h := library.Held{More: max(0, len(vs)-heldVariables)}
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
