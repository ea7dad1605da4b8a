// Package tools holds the bodies of Easel's tools. Each is short: it asks the
// kernels, the library or the state to do the work, and puts the answer into the
// catalog's words. A body runs in three steps: can (at once, says why not), admit
// (what the user allows), do.
//
// # Goroutines
//
// Bodies run on goroutines of the bus, each with its caller's context. What
// WatchActivities and WatchShown give runs on their caller's, until their context ends.
package tools

import (
	"context"
	"log/slog"
	"sync/atomic"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// Deps are what the bodies work with.
type Deps struct {
	Bus     *eventbus.Bus
	Store   *state.Store
	Library *library.Library
	// Collection is what the gallery shows: Library and directories on disk. Nil:
	// Library alone.
	Collection *collection.Collection
	RootDir    string // where relative paths begin
	Kernels    *kernels.Manager
	Log        *slog.Logger
	// ShowWindow brings the window to the front, if there is one; nil if there never is.
	ShowWindow func()
	// OpenWindow opens the window on a display, when there was none to begin with. An
	// error says why it cannot be opened there.
	OpenWindow func(context.Context, catalog.ShowWindowIn) error
}

type bodies struct {
	Deps
	gallery   *gallery
	approvals *oversight.Approvals
	acts      atomic.Uint64 // the id of the user's last act
}

// Register gives every tool of the catalog its body, and the topics of the host
// their handlers.
func Register(d Deps) {
	b := &bodies{Deps: d, approvals: oversight.NewApprovals(d.Store, func(name catalog.ChangeName, a catalog.Approval) {
		catalog.Changes.Notify(d.Bus, catalog.Change{Name: name, Object: a})
	})}
	handle(b, catalog.SessionCreate, b.sessionCreate)
	handle(b, catalog.SessionList, b.sessionList)
	handle(b, catalog.SessionConnect, b.sessionConnect)
	handle(b, catalog.SessionDelete, b.sessionDelete)
	handle(b, catalog.SessionRestart, b.sessionRestart)
	handle(b, catalog.SessionInterrupt, b.sessionInterrupt)
	handle(b, catalog.ExecuteCode, b.executeCode)
	handle(b, catalog.GetExecution, b.getExecution)
	handle(b, catalog.GetVariables, b.getVariables)
	handle(b, catalog.GetDataFrameInfo, b.getDataFrameInfo)
	handle(b, catalog.ListSessionImages, b.listSessionImages)
	handle(b, catalog.GetImageResource, b.getImageResource)
	registerNotebook(b)
	shown := GalleryDeps{Bus: d.Bus, Store: d.Store, Library: d.Library, RootDir: d.RootDir, ShowWindow: d.ShowWindow}
	if d.Collection != nil {
		shown.Library, shown.Directories = d.Collection, d.Collection
	}
	b.gallery = registerGallery(shown)

	catalog.ListImages.Handle(d.Bus, coded(b.listImages), nil)
	catalog.ReadImage.Handle(d.Bus, coded(b.readImage), nil)
	catalog.ReadDocument.Handle(d.Bus, coded(b.readDocument), nil)
	catalog.GetPrompt.Handle(d.Bus, coded(b.getPrompt), nil)
	catalog.Complete.Handle(d.Bus, coded(b.complete), nil)
	catalog.Health.Handle(d.Bus, b.health, nil)
	catalog.ShowWindow.Handle(d.Bus, b.showWindow, nil)
	catalog.AnswerApproval.Handle(d.Bus, recorded(b, catalog.AnswerApproval.Name(), b.answered, coded(b.answerApproval)), nil)
	catalog.PinSession.Handle(d.Bus, coded(b.pinSession), nil)
	catalog.Distrust.Handle(d.Bus, coded(b.distrust), nil)
}

// handle gives t its body: admitted by the user, with errors in
// the contract's codes.
func handle[In, Out any](b *bodies, t *tool.Tool[In, Out], do func(context.Context, In) (Out, error)) {
	body := coded(func(ctx context.Context, in In) (Out, error) {
		if err := oversight.Admit(b.Store.Snapshot(), tool.CallerFrom(ctx), t.Spec()); err != nil {
			var none Out
			return none, err
		}
		return do(ctx, in)
	})
	if !t.Spec().ReadOnly() {
		body = recorded(b, t.Spec().Name, func(in In) any { return in }, body)
	}
	t.Handle(b.Bus, body, nil)
}

func coded[In, Out any](do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := do(ctx, in)
		return out, code(err)
	}
}

func (b *bodies) showWindow(ctx context.Context, in catalog.ShowWindowIn) (struct{}, error) {
	none := b.Store.Snapshot().Window == state.WindowNone
	switch {
	case none && (b.OpenWindow == nil || len(in.Env) == 0):
		return struct{}{}, &tool.Error{
			Code: tool.NotExecutable, Detail: "This Easel runs without a window.", Hint: "Start Easel on a desktop: it opens the window of this one there.",
		}
	case none:
		if err := b.OpenWindow(ctx, in); err != nil {
			return struct{}{}, &tool.Error{
				Code: tool.NotExecutable, Detail: "No window can be opened there: " + err.Error() + ".", Hint: "Easel continues without one.",
			}
		}
	case b.ShowWindow != nil && !in.Hidden:
		b.ShowWindow()
	}
	return struct{}{}, nil
}

func (b *bodies) health(_ context.Context, _ struct{}) (catalog.HealthOut, error) {
	return catalog.HealthOut{
		Window:  string(b.Store.Snapshot().Window),
		Servers: b.Kernels.Servers(),
	}, nil
}
