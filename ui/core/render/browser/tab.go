package browser

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

const closeLimit = 2 * time.Second // timeout for closing a tab

// tracesScript returns what a figure could change for the next one on the same stage: the
// names of global variables and of the properties that all objects have.
const tracesScript = `[window, Object.prototype, Array.prototype].map(o => Object.getOwnPropertyNames(o).sort().join()).join(";")`

// A tab is a page of the browser in a browser context of its own, with separate storage,
// which is deleted when the tab is closed.
type tab struct {
	p       *process
	in      cdp.BrowserContextID
	page    target.ID // also the id of its main frame
	id      target.SessionID
	stage   page.Document          // the stage that it has loaded; empty: none
	traces  string                 // of the stage without a figure; see tracesScript
	drawn   int                    // figures, so far
	warm    bool                   // the stage is prepared for figures in 3D
	figure  atomic.Pointer[figure] // that is being drawn in it; nil: none
	crashed chan struct{}          // closed when the page's process has crashed
	once    sync.Once
}

// openTab opens a tab.
func openTab(ctx context.Context, p *process) (_ *tab, err error) {
	top := session{pipe: p.pipe, ctx: ctx}
	made, err := call(top, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		return nil, err
	}
	t := &tab{p: p, in: made.BrowserContextID, crashed: make(chan struct{})}
	defer func() {
		if err != nil {
			t.close(ctx)
		}
	}()
	err = do(top, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:         browser.SetDownloadBehaviorBehaviorDeny,
		BrowserContextID: t.in,
	})
	if err != nil {
		return nil, err
	}
	created, err := call(top, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: t.in})
	if err != nil {
		return nil, err
	}
	attached, err := call(top, target.AttachToTarget, target.AttachToTargetParams{TargetID: created.TargetID, Flatten: new(true)})
	if err != nil {
		return nil, err
	}
	t.page, t.id = created.TargetID, attached.SessionID
	p.tabs.Store(t.id, t)
	return t, t.prepare(ctx)
}

// report handles an event of the tab.
func (t *tab) report(e event) {
	if e.Method == inspector.TargetCrashed.Method {
		t.once.Do(func() { close(t.crashed) })
		return
	}
	if f := t.figure.Load(); f != nil {
		f.report(e)
	}
}

// works reports whether the tab can be used: its page has not crashed.
func (t *tab) works() bool {
	select {
	case <-t.crashed:
		return false
	default:
		return true
	}
}

// prepare turns on the events and settings that drawing needs.
func (t *tab) prepare(ctx context.Context) error {
	return t.p.callAll(ctx, t.id,
		methodCall{method: inspector.Enable.Method}, methodCall{method: devpage.Enable.Method}, methodCall{method: audits.Enable.Method},
		methodCall{network.Enable.Method, network.EnableParams{MaxTotalBufferSize: new(int64), MaxResourceBufferSize: new(int64)}},
		methodCall{emulation.SetEmulatedMedia.Method, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		}},
		methodCall{
			devpage.AddScriptToEvaluateOnNewDocument.Method,
			devpage.AddScriptToEvaluateOnNewDocumentParams{Source: page.Guard + drawnScript},
		},
	)
}

func (t *tab) session(ctx context.Context) session {
	return session{pipe: t.p.pipe, id: t.id, ctx: ctx}
}

// load loads a stage.
func (t *tab) load(ctx context.Context, stage page.Document, open doors) (err error) {
	f := newFigure(page.Page{Document: stage}, open)
	return t.use(ctx, f, func(s session) error {
		if _, err := call(s, devpage.Navigate, devpage.NavigateParams{URL: origin}); err != nil {
			return err
		}
		select {
		case <-f.loaded:
			t.stage = stage
			t.traces, err = evaluate[string](s, tracesScript, 0)
			return err
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	})
}

// use shows f in the tab while do runs. The session's context ends if the page crashes or the
// browser ends.
func (t *tab) use(ctx context.Context, f *figure, do func(session) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.figure.Store(f)
	t.p.figure.Store(f)
	defer func() {
		t.p.figure.Store(nil)
		t.figure.Store(nil)
	}()
	go func() {
		select {
		case <-t.crashed:
			cancel(&render.RefusedError{Reason: "its page crashed, most likely for lack of memory"})
		case <-t.p.gone:
			cancel(errGone)
		case <-ctx.Done():
		}
	}()
	return cause(ctx, do(t.session(ctx)))
}

// warmUp prepares the tab's stage for figures in 3D, unless that has been done.
func (t *tab) warmUp(ctx context.Context, open doors) error {
	if t.warm {
		return nil
	}
	t.warm = true
	return t.use(ctx, newFigure(page.Page{Document: t.stage}, open), func(s session) error {
		_, err := evaluate[bool](s, "window.easelWarm ? easelWarm() : false", 0)
		return err
	})
}

// clear removes the figure from the tab's stage. It reports whether nothing of it is left, as
// far as it can tell.
func (t *tab) clear(ctx context.Context) bool {
	traces, err := evaluate[string](t.session(ctx), "easelClear(), "+tracesScript, 0)
	return err == nil && traces == t.traces
}

// cause returns the cause of ctx instead of err if err is not nil and ctx is done.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// close closes the tab. If that fails, it kills the browser.
func (t *tab) close(ctx context.Context) {
	t.p.tabs.Delete(t.id)
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer stop()
	if err := do(session{pipe: t.p.pipe, ctx: ctx}, target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: t.in}); err != nil {
		t.p.kill()
	}
}
