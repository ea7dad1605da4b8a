package kernels

import (
	"context"
	"errors"
	"log/slog"
	"path"

	"easel/jupyter"
	"easel/ui/core/kernels/pool"
	"easel/ui/core/library"
)

// A connector connects to the kernel of a session, and returns the connection and the
// server's model of the kernel. It may move a new session to another kernel.
type connector func(ctx context.Context, sess *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error)

// connectTo returns a connector to a running kernel. The model of the kernel is empty if the
// server does not respond.
func connectTo(jup *jupyter.Server, options jupyter.FollowOptions) connector {
	return func(ctx context.Context, sess *library.Session) (conn *jupyter.Kernel, k jupyter.KernelModel, err error) {
		if conn, err = jup.Follow(ctx, sess.KernelID, followOptions(options, sess)); err != nil {
			return nil, k, err
		}
		k, _ = jup.Kernel(ctx, sess.KernelID) // if the server is unreachable, the connection reports it
		return conn, k, nil
	}
}

// followOptions returns options with the identity that Easel had in the session before.
func followOptions(o jupyter.FollowOptions, sess *library.Session) jupyter.FollowOptions {
	o.Session = sess.ClientSession
	return o
}

// connectNew returns a connector to the kernel that was just started for a session, or to a
// fallback, to which it then moves the session.
func connectNew(start pool.FallbackStart) connector {
	return func(ctx context.Context, sess *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error) {
		start := start
		start.Options = followOptions(start.Options, sess)
		if sess.NotebookPath != "" {
			start.Dir = path.Dir(sess.NotebookPath)
		}
		conn, k, err := start.Connect(ctx, jupyter.KernelModel{ID: sess.KernelID, Name: sess.KernelName})
		if err != nil || k.ID == sess.KernelID {
			return conn, k, err
		}
		if err := exchange(ctx, start.Background, start.Client, sess, k); err != nil {
			_ = conn.Close()
			start.Background.Discard(start.Client, k.ID)
			return nil, k, err
		}
		return conn, k, nil
	}
}

// exchange moves a new session to another kernel. Without a notebook, it deletes the former
// kernel. With one, it changes the kernel of the Jupyter session, whereupon the server ends
// the former one. After an error, sess is unchanged.
func exchange(ctx context.Context, b pool.Background, jup *jupyter.Server, sess *library.Session, k jupyter.KernelModel) error {
	former := *sess
	sess.KernelID = k.ID
	if sess.NotebookPath == "" {
		sess.ID = k.ID
		b.Discard(jup, former.KernelID)
		return nil
	}
	_, err := jup.SetSessionKernel(ctx, sess.ID, k.ID)
	if errors.Is(err, jupyter.ErrNotFound) { // the server gave up the kernel, which ended the session
		var model jupyter.SessionModel
		model, err = jup.CreateSession(ctx, jupyter.CreateSessionRequest{
			Path: sess.NotebookPath, Name: path.Base(sess.NotebookPath), Type: "notebook", KernelID: k.ID,
		})
		sess.ID = model.ID
	}
	if err != nil {
		*sess = former
	}
	return err
}

// options returns how to connect to a kernel.
func (t timing) options(log *slog.Logger) jupyter.FollowOptions {
	return jupyter.FollowOptions{Log: log, CheckEvery: t.check, Silence: t.silence}
}
