// Package survey finds out which kernels run on the servers.
//
// # Goroutines
//
// A [Survey] asks several servers at once, and returns when it has all answers.
package survey

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
)

// ErrUnlisted is the error of a server that does not list its kernels.
var ErrUnlisted = errors.New("this server does not list its kernels")

// A Survey lists the kernels of servers.
type Survey struct {
	Log *slog.Logger
	// Sessions lists the Jupyter sessions of a server.
	Sessions func(ctx context.Context, h servers.Host) ([]jupyter.SessionModel, error)
	// Kept returns the sessions in the library.
	Kept func(ctx context.Context) ([]library.Session, error)
	// Joined and Hidden report whether a kernel, by its id, is joined or hidden.
	Joined, Hidden func(kernelID string) bool
	// ListLocal reports whether the kernels that no Jupyter server runs are listed.
	ListLocal func() bool
}

// A Kernel is a running kernel on a server, with its Jupyter session, or nil.
type Kernel struct {
	Model   jupyter.KernelModel
	Session *jupyter.SessionModel
}

// ID returns the id of the session.
func (k Kernel) ID() string {
	if k.Session != nil {
		return k.Session.ID
	}
	return k.Model.ID
}

// listTries is the number of attempts to list kernels. jupyter-server 2.21 returns status
// 500 while a kernel is starting, because that kernel has no last_activity yet.
const listTries = 5

// A Listing is the kernels that run on a server, or the reason why they are unknown.
type Listing struct {
	Server  *servers.Server
	Client  *jupyter.Server
	Kernels []Kernel
	Err     error // if ErrUnlisted, Kernels has the kernels that Easel knows
}

// listTime is the time limit for listing the kernels of one server, so that one that hangs
// does not block a list of all.
const listTime = 5 * time.Second

// List lists the kernels of servers, in parallel. The result is in the order of of.
func (y *Survey) List(ctx context.Context, of []*servers.Server) []Listing {
	all := make([]Listing, len(of))
	var asked sync.WaitGroup
	for i, s := range of {
		asked.Go(func() {
			l := Listing{Server: s}
			if s.Local && !y.ListLocal() {
				all[i] = l
				return
			}
			if l.Client, l.Err = s.Soon(ctx); l.Err == nil {
				ctx, cancel := context.WithTimeout(ctx, listTime)
				defer cancel()
				l.Kernels, l.Err = y.Running(ctx, s, l.Client)
				l.Err = s.Explained(ctx, l.Err)
			}
			all[i] = l
		})
	}
	asked.Wait()
	y.dropServed(all)
	return all
}

// Running returns the kernels of a server. If the server does not list them (a gateway
// without list_kernels), it returns the running kernels that Easel knows, and ErrUnlisted.
func (y *Survey) Running(ctx context.Context, s *servers.Server, jup *jupyter.Server) ([]Kernel, error) {
	for try := 1; ; try++ {
		fs, err := y.runningNow(ctx, s, jup)
		if errors.Is(err, ErrUnlisted) {
			return y.remembered(ctx, s, jup), err
		}
		if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Status != 500 || try == listTries {
			return fs, err
		}
		again := time.NewTimer(time.Duration(try) * 50 * time.Millisecond)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

func (y *Survey) runningNow(ctx context.Context, s *servers.Server, jup *jupyter.Server) ([]Kernel, error) {
	kernels, err := jup.Kernels(ctx)
	if errors.Is(err, jupyter.ErrUnauthorized) { // if the specs are readable, it is a gateway without list_kernels
		if _, specs := jup.KernelSpecs(ctx); specs == nil {
			return nil, ErrUnlisted
		}
	}
	if err != nil {
		return nil, err
	}
	sessions, err := y.Sessions(ctx, servers.Host{Name: s.Name, Client: jup})
	if err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		return nil, err
	}
	byKernel := make(map[string]*jupyter.SessionModel, len(sessions))
	for i := range sessions {
		byKernel[sessions[i].Kernel.ID] = &sessions[i]
	}
	fs := make([]Kernel, len(kernels))
	for i, k := range kernels {
		fs[i] = Kernel{k, byKernel[k.ID]}
	}
	return fs, nil
}

// askAtOnce is the number of requests at once about single kernels. The server may be far away.
const askAtOnce = 16

// remembered returns the kernels of open sessions in the library that a server still has. It
// asks the server only about those that are not joined: the connections to the others show
// that they exist.
func (y *Survey) remembered(ctx context.Context, s *servers.Server, jup *jupyter.Server) []Kernel {
	kept, err := y.Kept(ctx)
	if err != nil {
		y.Log.ErrorContext(ctx, "reading the sessions", "err", err)
	}
	kept = slices.DeleteFunc(kept, func(x library.Session) bool { return x.Server != s.Name || !x.EndedAt.IsZero() })
	fs := make([]Kernel, len(kept))
	slots := make(chan struct{}, askAtOnce)
	var asked sync.WaitGroup
	for i, sess := range kept {
		if y.Joined(sess.KernelID) {
			fs[i].Model = jupyter.KernelModel{ID: sess.KernelID, Name: sess.KernelName}
			continue
		}
		asked.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if k, err := jup.Kernel(ctx, sess.KernelID); err == nil {
				fs[i].Model = k
			}
		})
	}
	asked.Wait()
	return slices.DeleteFunc(fs, func(f Kernel) bool { return f.Model.ID == "" })
}

// dropServed removes from the listing of catalog.ThisMachine the kernels that another server has,
// or that are joined as another server's.
func (y *Survey) dropServed(all []Listing) {
	served := make(map[string]bool)
	for _, l := range all {
		for _, f := range l.Kernels {
			if !l.Server.Local {
				served[f.Model.ID] = true
			}
		}
	}
	for i, l := range all {
		if l.Server.Local {
			all[i].Kernels = slices.DeleteFunc(l.Kernels, func(f Kernel) bool {
				id := f.Model.Process.KernelID()
				return id != "" && (served[id] || y.Joined(id) || y.Hidden(id))
			})
		}
	}
}

// Pick finds the kernel of a notebook, or a kernel by its id, in the listing. If the server
// does not list its kernels, Pick requests the kernel by its id.
func (l Listing) Pick(ctx context.Context, notebook, kernelID string) (Kernel, bool) {
	for _, f := range l.Kernels {
		if f.is(notebook, kernelID) {
			return f, true
		}
	}
	if notebook == "" && errors.Is(l.Err, ErrUnlisted) {
		if k, err := l.Client.Kernel(ctx, kernelID); err == nil {
			return Kernel{Model: k}, true
		}
	}
	return Kernel{}, false
}

func (k Kernel) is(notebook, kernelID string) bool {
	if notebook == "" {
		return k.Model.ID == kernelID || k.Session != nil && k.Session.ID == kernelID
	}
	if k.Session == nil {
		return false
	}
	p, err := jupyter.CleanPath(k.Session.Path)
	return err == nil && p == notebook
}
