package record

import (
	"context"
	"errors"
	"time"

	"easel/internal/truncate"
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

// Use records that the caller of ctx uses the session now.
func (r *Recorder) Use(ctx context.Context) {
	changed := false
	r.state.useAt(time.Now())
	r.state.change(func(sess *library.Session) { changed = sessionuse.Add(sess, tool.CallerFrom(ctx)) })
	if changed {
		r.mail.post(r.keepSession)
	}
}

// keepSession stores the session in the library.
func (r *Recorder) keepSession() {
	if err := r.env.Library.Sessions.Put(r.journal.keeping(), r.Session()); err != nil {
		r.log.Error("storing the session", "err", err)
	}
}

// MoveTo makes the path of a session that of its Jupyter session, and returns the former path
// if it was another. The library has it when MoveTo returns.
func (r *Recorder) MoveTo(s jupyter.SessionModel) (was string) {
	r.state.change(func(sess *library.Session) {
		if sess.ID == s.ID && sess.NotebookPath != s.Path {
			was, sess.NotebookPath = sess.NotebookPath, s.Path
		}
	})
	if was != "" {
		r.mail.call(r.keepSession)
	}
	return was
}

// holds returns the session's variables, up to heldVariables.
func (r *Recorder) holds(ctx context.Context) library.EndState {
	ctx, cancel := context.WithTimeout(ctx, heldTimeout)
	defer cancel()
	vs, err := inspect.Variables(ctx, r, "")
	if err != nil {
		return library.EndState{Unknown: true}
	}
	h := library.EndState{More: max(0, len(vs)-heldVariables)}
	for _, v := range vs[:min(len(vs), heldVariables)] {
		h.Variables = append(h.Variables, library.HeldVariable{
			Name: truncate.Runes(v.Name, heldText), Type: truncate.Runes(v.Type, heldText), Size: truncate.Runes(v.Size, heldText),
		})
	}
	return h
}

// Pin sets whether Easel keeps the session while it is unused.
func (r *Recorder) Pin(on bool) {
	r.mail.call(func() {
		r.state.change(func(sess *library.Session) { sess.Pinned = on })
		r.keepSession()
	})
}

// Tell returns how the variables of the session were lost, if the caller of ctx has not been told,
// and notes that it was.
func (r *Recorder) Tell(ctx context.Context) (news library.Replacement, generation int, ok bool) {
	r.state.change(func(sess *library.Session) {
		if ok = sessionuse.Tell(sess, tool.CallerFrom(ctx)); ok {
			news, generation = *sess.Replaced, sess.Generation
		}
	})
	if ok {
		r.mail.post(r.keepSession)
	}
	return news, generation, ok
}

// EndUnused ends a session that was unused for idle, and stores a list of its variables for
// clients that use its id later. If the session is in use after all, it returns errInUse.
func (r *Recorder) EndUnused(ctx context.Context, idle time.Duration, list func(context.Context, servers.Host) ([]jupyter.SessionModel, error)) error {
	if err := r.Link.openElsewhere(ctx, list); err != nil {
		return err
	}
	held := r.holds(ctx)
	held.Unused = idle.Round(time.Second)
	var sess library.Session
	err := errInUse
	r.mail.call(func() {
		if works, _ := r.works(); works || r.current != nil || len(r.queue)+len(r.awaiting) > 0 || r.state.gone() {
			return
		}
		sess = r.state.hold(idle, &held)
		if sess.Held == nil {
			return
		}
		err = nil
		r.gone("nobody used it for " + held.Unused.String())
	})
	if err != nil {
		return err
	}
	if err := r.Link.remove(ctx, sess); err != nil { // the kernel stays in the list and can be deleted there
		r.log.ErrorContext(ctx, "ending an unused session", "err", err)
	}
	r.log.InfoContext(ctx, "ended an unused session", "unused", held.Unused, "client", sess.Client, "variables", len(held.Variables)+held.More)
	return nil
}
