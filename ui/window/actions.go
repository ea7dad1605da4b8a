package window

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// asUser marks a request as the user's.
func asUser(ctx context.Context) context.Context {
	return tool.WithCaller(ctx, tool.Caller{Transport: tool.Window})
}

// actionTime is the timeout of an action in the gallery.
const actionTime = 10 * time.Second

// ask runs a tool for the user, after the earlier requests, and shows its error. If done
// is not nil, it runs on the UI goroutine with the tool's output. It does not run after
// an error.
func ask[In, Out any](a *App, t *tool.Tool[In, Out], in In, done func(Out)) {
	askFinally(a, t, in, done, nil)
}

// askFinally is ask with a function that runs on the UI goroutine when the request has
// ended, whether it failed or not, and after done.
func askFinally[In, Out any](a *App, t *tool.Tool[In, Out], in In, done func(Out), finally func()) {
	a.asking++
	a.queue.add(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(asUser(ctx), actionTime)
		defer cancel()
		out, err := t.Ask(ctx, a.cfg.Bus, in)
		a.finishAction(t.Spec().Name, err, func() {
			a.asking--
			if err == nil && done != nil {
				done(out)
			}
			if finally != nil {
				finally()
			}
		})
	})
}

// run runs a tool for the user without waiting for other requests, because it may wait
// for a kernel.
func run[In, Out any](a *App, t *tool.Tool[In, Out], in In, done func(Out)) {
	a.tasks.Go(func() {
		out, err := t.Ask(asUser(a.ctx), a.cfg.Bus, in)
		a.finishAction(t.Spec().Name, err, func() {
			if done != nil && err == nil {
				done(out)
			}
		})
	})
}

// finishAction shows an error and then continues on the UI goroutine.
func (a *App) finishAction(what string, err error, done func()) {
	if err != nil && errors.Is(err, context.Canceled) && a.ctx.Err() != nil {
		return
	}
	a.cfg.Do(func() {
		if a.closed {
			return
		}
		if err != nil {
			a.cfg.Log.Info("the window's request failed", "tool", what, "err", err)
			e := tool.AsError(err)
			text := e.Detail
			if e.Hint != "" {
				text += " " + e.Hint
			}
			a.shell.flash(kit.MarkBad, text)
		}
		done()
	})
}

// background runs f on another goroutine and shows its error.
func (a *App) background(what string, f func(ctx context.Context) error, done func()) {
	a.tasks.Go(func() {
		err := f(a.ctx)
		a.finishAction(what, err, func() {
			if err == nil && done != nil {
				done()
			}
		})
	})
}

func (a *App) rate(ids []string, rating int) {
	if len(ids) > 0 {
		ask(a, catalog.SetRating, catalog.SetRatingIn{Rating: rating, Paths: ids}, nil)
	}
}

func (a *App) tag(ids, add, remove []string) {
	ask(a, catalog.SetTags, catalog.SetTagsIn{Add: add, Remove: remove, Paths: ids}, nil)
}

func (a *App) openViewer(id string) {
	ask(a, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id}, nil)
}

func (a *App) closeViewer() {
	ask(a, catalog.CloseImageViewer, catalog.CloseImageViewerIn{}, nil)
}

func (a *App) goTo(direction string) {
	ask(a, catalog.NavigateImage, catalog.NavigateImageIn{Direction: direction}, nil)
}

func (a *App) openSession(id string) {
	a.shell.open(pageGallery)
	a.pick("") // the top bar shows the session that the user opened last
	ask(a, catalog.OpenFolder, catalog.OpenFolderIn{Path: "jupyter://sessions/" + id + "/"}, nil)
}

// openAll shows all plots with a filter by stars; an empty op means no filter.
func (a *App) openAll(op string, rating int) {
	a.shell.open(pageGallery)
	ask(a, catalog.OpenFolder, catalog.OpenFolderIn{Path: "jupyter://sessions/"}, nil)
	a.filterRating(op, rating)
}

func (a *App) filterRating(op string, rating int) {
	if op == "" {
		ask(a, catalog.ClearRatingFilter, catalog.ClearRatingFilterIn{}, nil)
		return
	}
	ask(a, catalog.FilterByRating, catalog.FilterByRatingIn{Rating: rating, Op: op}, nil)
}

func (a *App) filterTags(tags []string) {
	a.shell.open(pageGallery)
	if len(tags) == 0 {
		ask(a, catalog.ClearTagFilter, catalog.ClearTagFilterIn{}, nil)
		return
	}
	ask(a, catalog.FilterByTag, catalog.FilterByTagIn{Tags: tags}, nil)
}

func (a *App) clearFilters() {
	a.shell.clearSearch()
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Query.Text = "" })
	a.filterRating("", 0)
	a.filterTags(nil)
}

func (a *App) sort(by string, asc bool) {
	order := "desc"
	if asc {
		order = "asc"
	}
	ask(a, catalog.SortThumbnails, catalog.SortThumbnailsIn{By: by, Order: order}, nil)
}

func (a *App) setTheme(name string) {
	ask(a, catalog.SetTheme, catalog.SetThemeIn{Theme: name}, nil)
}

// search narrows the view to a text. Only the user has this filter; there is no tool for
// it.
func (a *App) search(text string) {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Query.Text = text })
}

func (a *App) togglePanel() {
	ask(a, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(out catalog.ViewOut) {
		a.keepPanel(out.View.PropertiesPanel)
	})
}

func (a *App) toggleFullscreen() {
	ask(a, catalog.ToggleFullscreen, catalog.ToggleFullscreenIn{}, nil)
}

func (a *App) toggleFollow() {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.FollowLatest = !s.FollowLatest })
}

// togglePause pauses or resumes the AI. Only the user can do that; there is no tool for
// it.
func (a *App) togglePause() {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Paused = !s.Paused })
	if n := a.cfg.Store.Snapshot(); n.Hold() == state.HeldRunning {
		a.shell.offer(kit.MarkWait, a.shell.k.T("hold.goes_on", state.Titles(n.Busy())), a.shell.k.T("top.interrupt"), a.interruptBusy)
		a.shell.toast.holds = func(n *state.Snapshot) bool { return n.Hold() == state.HeldRunning }
	}
}

func (a *App) settings(edit func(*state.Settings)) {
	a.cfg.Store.Update(func(s *state.Snapshot) { edit(&s.Settings) })
}

// rotateToken creates a new token and then calls done. It works off the UI goroutine,
// because it writes files. Until it has finished, further requests are ignored.
func (a *App) rotateToken(done func(error)) {
	if a.rotating {
		return
	}
	a.rotating = true
	var failed error
	a.background("rotate_token", func(context.Context) error {
		failed = a.cfg.RotateToken()
		return nil // done shows the error
	}, func() {
		a.rotating = false
		done(failed)
	})
}

func (a *App) restart(id string) {
	run(a, catalog.SessionRestart, catalog.SessionRestartIn{SessionID: id, Force: true}, func(catalog.SessionRestartOut) {
		a.shell.flash(kit.MarkCheck, a.shell.k.T("flash.restarted"))
	})
}

func (a *App) endSession(id string) {
	run(a, catalog.SessionDelete, catalog.SessionDeleteIn{SessionID: id}, nil)
}

func (a *App) newSession() {
	run(a, catalog.SessionCreate, catalog.SessionCreateIn{Name: "python3"}, nil)
}

func (a *App) runAgain(session, code string) {
	wait := 0.0
	run(a, catalog.ExecuteCode, catalog.ExecuteCodeIn{SessionID: session, Code: code, Wait: &wait}, func(catalog.Execution) {
		a.shell.flash(kit.MarkCheck, a.shell.k.T("flash.running"))
	})
}

func (a *App) copyText(text, what string) {
	a.cfg.App.Clipboard().SetContent(text)
	a.shell.flash(kit.MarkCheck, a.shell.k.T("flash.copied", what))
}

// copyImage copies a picture to the clipboard. If that is not possible, it copies the
// picture's path. Of a figure without a picture, it copies the data.
func (a *App) copyImage(id string) {
	var im library.Image
	var text string  // of a figure without a picture
	var failed error // why the picture is not on the clipboard
	a.background("copy_image", func(ctx context.Context) error {
		data, found, err := a.cfg.Library.Read(ctx, id)
		if err != nil {
			return err
		}
		im = found
		if im.Interactive != "" {
			text = string(data)
			return nil
		}
		if a.cfg.CopyImage == nil {
			failed = errors.ErrUnsupported
		} else if failed = a.cfg.CopyImage(ctx, found.MIMEType, data); failed != nil {
			a.cfg.Log.WarnContext(ctx, "a picture could not be copied", "err", failed)
		}
		return nil
	}, func() {
		if text != "" {
			a.copyText(text, a.shell.k.T("what.data"))
			return
		}
		if failed == nil {
			a.shell.flash(kit.MarkCheck, a.shell.k.T("flash.copied", a.shell.k.T("what.image")))
			return
		}
		a.cfg.App.Clipboard().SetContent(im.Path)
		a.shell.flash(kit.MarkBad, a.shell.k.T("flash.copied_path"))
	})
}

func (a *App) copyCode(id string) {
	var code string
	a.background("copy_code", func(ctx context.Context) error {
		images, err := a.cfg.Library.Get(ctx, id)
		if err == nil && len(images) > 0 {
			code = images[0].Code
		}
		return err
	}, func() { a.copyText(code, a.shell.k.T("what.code")) })
}

func (a *App) copyPath(id string) {
	var path string
	a.background("copy_path", func(ctx context.Context) error {
		images, err := a.cfg.Library.Get(ctx, id)
		if err == nil && len(images) > 0 {
			path = images[0].Path
		}
		return err
	}, func() { a.copyText(path, a.shell.k.T("what.path")) })
}

func (a *App) reveal(path string) {
	a.background("reveal", func(context.Context) error { return a.cfg.Reveal(path) }, nil)
}

func (a *App) demo() {
	a.shell.flash(kit.MarkBusy, a.shell.k.T("flash.demo"))
	a.background("demo", a.cfg.Demo, nil)
}

// labOf returns a function that opens a session in JupyterLab, or nil if the session has
// ended or there is no JupyterLab.
func (a *App) labOf(session string) func() {
	live := slices.ContainsFunc(a.cfg.Store.Snapshot().Sessions, func(s state.Session) bool { return s.SessionID == session })
	if a.cfg.JupyterLab == nil || !live {
		return nil
	}
	return func() { a.jupyterLab(session) }
}

func (a *App) jupyterLab(session string) {
	a.background("jupyterlab", func(ctx context.Context) error {
		address, err := a.cfg.JupyterLab(ctx, session)
		if err != nil {
			return err
		}
		return a.cfg.OpenSecret(address)
	}, nil)
}

// browse opens a page in the browser.
func (a *App) browse(address string) {
	a.background("browse", func(context.Context) error { return a.cfg.Open(address) }, nil)
}

// swagger opens the page of the API with the token in the browser. The token is in the
// address's fragment, which no server sees, and not in any process's arguments.
func (a *App) swagger() {
	base := a.cfg.Store.Snapshot().URL
	if base == "" || a.cfg.Token == nil {
		return
	}
	address := base + "/api/swagger/#token=" + url.PathEscape(a.cfg.Token())
	a.background("swagger", func(context.Context) error { return a.cfg.OpenSecret(address) }, nil)
}
