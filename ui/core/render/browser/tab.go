package browser

import (
	"bytes"
	"context"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

const closeLimit = 2 * time.Second // timeout for closing a tab

// A tab is a page of the browser in a browser context of its own, with separate storage. One
// figure is drawn in it. Then it is closed, and its storage deleted.
type tab struct {
	p     *process
	in    proto.BrowserBrowserContextID
	id    proto.TargetSessionID
	used  bool   // a figure was drawn in it, or is being drawn
	stage []byte // the stage that it has loaded; nil: none
}

// openTab opens a tab.
func openTab(ctx context.Context, p *process) (_ *tab, err error) {
	top := session{pipe: p.pipe, ctx: ctx}
	made, err := proto.TargetCreateBrowserContext{DisposeOnDetach: true}.Call(top)
	if err != nil {
		return nil, err
	}
	t := &tab{p: p, in: made.BrowserContextID}
	defer func() {
		if err != nil {
			t.close(ctx)
		}
	}()
	err = proto.BrowserSetDownloadBehavior{Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, BrowserContextID: t.in}.Call(top)
	if err != nil {
		return nil, err
	}
	target, err := proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: t.in}.Call(top)
	if err != nil {
		return nil, err
	}
	attached, err := proto.TargetAttachToTarget{TargetID: target.TargetID, Flatten: true}.Call(top)
	if err != nil {
		return nil, err
	}
	t.id = attached.SessionID
	return t, t.prepare(ctx)
}

// prepare turns on the events and settings that drawing needs.
func (t *tab) prepare(ctx context.Context) error {
	nothing := 0
	return t.p.callAll(ctx, t.id,
		proto.InspectorEnable{}, proto.PageEnable{}, proto.AuditsEnable{},
		proto.NetworkEnable{MaxTotalBufferSize: &nothing, MaxResourceBufferSize: &nothing},
		proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}},
		proto.PageAddScriptToEvaluateOnNewDocument{Source: page.Guard},
	)
}

func (t *tab) session(ctx context.Context) session {
	return session{pipe: t.p.pipe, id: t.id, ctx: ctx}
}

// load loads a stage in advance, because the next figure is likely to need the same one as
// the last.
func (t *tab) load(ctx context.Context, stage page.Document, open doors) error {
	f := newFigure(page.Page{Document: stage}, open)
	t.p.figure.Store(f)
	defer t.p.figure.Store(nil)
	if _, err := (proto.PageNavigate{URL: origin}).Call(t.session(ctx)); err != nil {
		return err
	}
	select {
	case <-f.loaded:
		t.stage = stage.Body
		return nil
	case <-f.crashed:
		return errGone
	case <-t.p.gone:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// use shows f in an unused tab while do runs. The session's context ends if the page crashes
// or the browser ends.
func (t *tab) use(ctx context.Context, f *figure, do func(session) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.used = true
	t.p.figure.Store(f)
	defer t.p.figure.Store(nil)
	go func() {
		select {
		case <-f.crashed:
			cancel(&render.RefusedError{Reason: "its page crashed, most likely for lack of memory"})
		case <-t.p.gone:
			cancel(errGone)
		case <-ctx.Done():
		}
	}()
	return cause(ctx, do(t.session(ctx)))
}

// cause returns the cause of ctx instead of err if err is not nil and ctx is done.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// holds reports whether the tab has loaded the stage of p.
func (t *tab) holds(p page.Page) bool {
	return t.stage != nil && bytes.Equal(t.stage, p.Stage.Body)
}

// close closes the tab. If that fails, it kills the browser.
func (t *tab) close(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer stop()
	if err := (proto.TargetDisposeBrowserContext{BrowserContextID: t.in}).Call(session{pipe: t.p.pipe, ctx: ctx}); err != nil {
		t.p.kill()
	}
}
