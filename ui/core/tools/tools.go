// Package tools implements Easel's tools. Each implementation is short: the kernels, the
// library or the state do the work, and the implementation converts the result to the types
// of the catalog. A call has three steps: can checks whether the tool is usable now, admit
// checks what the user allows, and do does the work.
//
// # Goroutines
//
// Tools run on goroutines of the bus, each with its caller's context.
package tools

import (
	"context"
	"log/slog"
	"sync/atomic"

	"easel/eventbus"
	"easel/internal/mask"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/cells"
	"easel/ui/core/collection"
	"easel/ui/core/interactive"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/private"
	"easel/ui/core/redraw"
	"easel/ui/core/report"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
)

// Deps are the dependencies of the tools.
type Deps struct {
	Bus     *eventbus.Bus
	Store   *state.Store
	Library *library.Library
	// Collection is what the gallery shows: Library and directories on disk. If nil, the
	// gallery shows Library only.
	Collection *collection.Collection
	RootDir    string             // the directory that relative paths start from
	Private    *private.Directory // what no tool reads or writes; may be nil
	Kernels    *kernels.Manager
	Pages      report.Pages // makes the pages of interactive figures for reports
	Figures    *interactive.Opener
	Redrawer   *redraw.Redrawer
	Printer    Printer  // may be nil
	Fonts      []string // files of fonts for Japanese text
	Checker    *reproduce.Checker
	Rooms      *notebooks.Rooms // joins shared notebooks; if nil, it cannot
	Cells      *cells.Cells     // knows the cells that drew plots; Register makes it read notebooks. May be nil
	Log        *slog.Logger
	Mask       *mask.Mask // hides tokens in the stored log of calls; may be nil
	// ShowWindow brings the window to the front, if there is one. It is nil if there can
	// be none.
	ShowWindow func()
	// OpenWindow opens the window on a display if Easel started without one. The error
	// says why that is not possible.
	OpenWindow func(context.Context, catalog.ShowWindowIn) error
}

type bodies struct {
	Deps
	gallery   *gallery
	approvals *oversight.Approvals
	chosen    choices // the servers that callers have chosen for notebooks
	used      choices // the servers on which callers have used notebooks last
	ran       latest
	acts      atomic.Uint64 // id of the user's last action; see actID
	examined  examinedPictures
	// saved reads a picture that is saved in a notebook.
	saved func(context.Context, notebooks.PictureName) (p notebooks.SavedPicture, path string, err error)
}

// Register registers the implementations of all tools of the catalog, and the handlers of
// the host's topics.
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
	handle(b, catalog.SearchHistory, b.searchHistory)
	handle(b, catalog.RenderImage, b.renderImage)
	catalog.RedrawImage.Handle(d.Bus, coded(b.redrawImage), nil)
	handle(b, catalog.CheckReproducibility, b.checkReproducibility)
	catalog.CheckPlots.Handle(d.Bus, coded(b.checkPlots), nil)
	catalog.CancelChecks.Handle(d.Bus, coded(b.cancelChecks), nil)
	catalog.ReadCheck.Handle(d.Bus, coded(b.readCheck), nil)
	registerNotebook(b)
	shown := GalleryDeps{Cells: b.Cells, Bus: d.Bus, Store: d.Store, Library: d.Library, RootDir: d.RootDir, Private: d.Private, ShowWindow: d.ShowWindow, Pages: d.Pages, History: d.Library, Printer: d.Printer, Fonts: d.Fonts}
	if d.Redrawer != nil {
		shown.Redraw, shown.Redrawable = d.Redrawer.Redraw, b.redrawable
	}
	if d.Collection != nil {
		shown.Library, shown.Directories, shown.Leaver = d.Collection, d.Collection, d.Collection
	}
	b.gallery = registerGallery(shown)

	catalog.ListImages.Handle(d.Bus, coded(b.listImages), nil)
	catalog.ReadImage.Handle(d.Bus, coded(b.readImage), nil)
	catalog.OpenFigure.Handle(d.Bus, coded(b.openFigure), nil)
	catalog.ReadFigure.Handle(d.Bus, coded(b.readFigure), nil)
	catalog.ReadDocument.Handle(d.Bus, coded(b.readDocument), nil)
	catalog.GetPrompt.Handle(d.Bus, coded(b.getPrompt), nil)
	catalog.Complete.Handle(d.Bus, coded(b.complete), nil)
	catalog.Health.Handle(d.Bus, b.health, nil)
	catalog.ShowWindow.Handle(d.Bus, b.showWindow, nil)
	catalog.AnswerApproval.Handle(d.Bus, recorded(b, catalog.AnswerApproval.Name(), b.answered, coded(b.answerApproval)), nil)
	catalog.AnnounceQuestions.Handle(d.Bus, coded(b.announceQuestions), nil)
	catalog.AnnounceAnswers.Handle(d.Bus, coded(b.announceAnswers), nil)
	catalog.PinSession.Handle(d.Bus, coded(b.pinSession), nil)
	catalog.PermitKernel.Handle(d.Bus, coded(b.permitKernel), nil)
	catalog.Distrust.Handle(d.Bus, coded(b.distrust), nil)
	catalog.ClientEnded.Handle(d.Bus, func(_ context.Context, holder string) (struct{}, error) {
		b.approvals.Ended(holder)
		return struct{}{}, nil
	}, nil)
}

// handle registers do as the implementation of t. Before a call, it checks what the user
// allows; after it, it converts errors to codes. Calls that change something are recorded.
func handle[In, Out any](b *bodies, t *tool.Tool[In, Out], do func(context.Context, In) (Out, error)) {
	body := coded(func(ctx context.Context, in In) (Out, error) {
		if err := oversight.Admit(b.Store.Snapshot(), tool.CallerFrom(ctx), t.Spec()); err != nil {
			var none Out
			return none, err
		}
		out, err := do(ctx, in)
		return out, b.tellReplaced(ctx, in, &out, code(err))
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
	case none && b.OpenWindow == nil:
		return struct{}{}, &tool.Error{
			Code: tool.NotExecutable, Detail: "The Easel that runs here has no window.", Hint: "Quit it and start the program with the window.",
		}
	case none && len(in.Env) == 0:
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
		Servers: b.Kernels.Servers.Health(),
	}, nil
}
