package record

import (
	"context"
	"errors"
	"time"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/servers"
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

// holds returns the variables of a kernel, up to heldVariables.
func holds(ctx context.Context, kernel inspect.Kernel) library.EndState {
	ctx, cancel := context.WithTimeout(ctx, heldTimeout)
	defer cancel()
	vs, err := inspect.Variables(ctx, kernel, "")
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

// EndUnused ends a session that was unused for idle, and stores a list of its variables for
// clients that use its id later. If the session is in use after all, it returns errInUse.
func (r *Recorder) EndUnused(ctx context.Context, idle time.Duration,
	list func(context.Context, servers.Host) ([]jupyter.SessionModel, error),
) error {
	if err := r.Link.openElsewhere(ctx, list); err != nil {
		return err
	}
	held := holds(ctx, r.Inquiry)
	held.Unused = idle.Round(time.Second)
	var sess library.Session
	err := errInUse
	r.mail.call(func() {
		if r.dispatch.busy() || r.Session.gone() {
			return
		}
		sess = r.Session.hold(idle, &held)
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
