package window

import (
	"context"

	"fyne.io/fyne/v2"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/window/activity"
	"easel/ui/window/approvals"
	"easel/ui/window/connect"
	"easel/ui/window/kit"
	"easel/ui/window/preferences"
)

// The parts of the window are separate packages. Each has a port: a struct with what the
// part may read and do in the window.

// approvalPort returns the port of the approvals.
func (s *shell) approvalPort() approvals.Port {
	a := s.a
	return approvals.Port{
		Snapshot: a.cfg.Store.Snapshot, Fullscreen: func() bool { return s.full }, Drafts: a.drafts,
		Answer: a.answer, LeaveFullscreen: a.toggleFullscreen, Relayout: s.relayout,
		Focus: func(f fyne.Focusable) { a.win.Canvas().Focus(f) }, Forward: a.shortcut,
		Say: func(m kit.Mark, text string) { a.shell.flash(m, text) },
	}
}

// connectPort returns the port of the page for clients.
func (s *shell) connectPort() connect.Port {
	a := s.a
	p := connect.Port{
		Snapshot: a.cfg.Store.Snapshot, Shown: func() bool { return s.page == pageConnect }, Session: func() string { return s.top.chosen },
		Token: a.cfg.Token, Exe: a.cfg.Exe, Bridge: a.cfg.Bridge,
		Go: a.tasks.Go, Background: a.background, Settings: a.settings, Written: func() { a.shell.connect.Reread() },
		Say:  func(m kit.Mark, text, label string, do func()) { a.shell.offer(m, text, label, do) },
		Copy: a.copyText, Reveal: a.reveal, Browse: a.browse, Swagger: a.swagger, Forward: a.shortcut,
	}
	if a.cfg.JupyterLab != nil {
		p.JupyterLab = a.jupyterLab
	}
	return p
}

// activityPort returns the port of the dock.
func (s *shell) activityPort() activity.Port {
	a := s.a
	return activity.Port{
		Snapshot: a.cfg.Store.Snapshot, SessionName: s.sessionName, Token: a.cfg.Token, Tab: a.layout.tab,
		Variables: a.variables,
		DataFrame: func(in catalog.GetDataFrameInfoIn, done func(catalog.GetDataFrameInfoOut)) {
			run(a, catalog.GetDataFrameInfo, in, done)
		},
		SaveFile: func(title, name string, write func(to string)) {
			(&saver{s: s, title: title, file: name, write: func(to string, _ bool) { write(to) }}).ask()
		},
		Go:         func(f func(context.Context)) { a.tasks.Go(func() { f(a.ctx) }) },
		Background: a.background, Sheet: s.sheet, Menu: s.popUnder,
		Say:  func(m kit.Mark, text, label string, do func()) { a.shell.offer(m, text, label, do) },
		Copy: a.copyText, Reveal: a.reveal,
		OpenImage: func(id string) {
			s.open(pageGallery)
			a.openViewer(id)
		},
		TabOpened: func(tab int) {
			a.layout.tab = tab
			a.keepLayout()
		},
		Hide: s.toggleDock, Forward: a.shortcut,
	}
}

// variables requests the variables of a session's kernel.
func (a *App) variables(session string, done func([]catalog.Variable, error)) (cancel func()) {
	ctx, cancel := context.WithCancel(asUser(a.ctx))
	a.tasks.Go(func() {
		out, err := catalog.GetVariables.Ask(ctx, a.cfg.Bus, catalog.GetVariablesIn{SessionID: session})
		cancel()
		a.cfg.Do(func() {
			if !a.closed {
				done(out.Variables, err)
			}
		})
	})
	return cancel
}

// preferencesPort returns the port of the page for settings.
func (s *shell) preferencesPort() preferences.Port {
	a := s.a
	p := preferences.Port{
		Snapshot: a.cfg.Store.Snapshot, Version: a.cfg.Version, DataDir: a.cfg.DataDir, Token: a.cfg.Token, Given: a.cfg.Given,
		Settings: a.settings, SetTheme: a.setTheme, SetAccess: a.setAccess, SetAutostart: a.Autostart,
		PreferServer: func(name string) { askTopic(a, "prefer_server", catalog.PreferServer, name, nil) },
		AddServer:    func(in catalog.NamedServer, done func()) { askTopic(a, "add_server", catalog.AddServer, in, done) },
		RemoveServer: func(name string, done func()) { askTopic(a, "remove_server", catalog.RemoveServer, name, done) },
		Confirm:      s.confirm, Sheet: func(title string, body fyne.CanvasObject) { s.sheet(title, body) },
		Say:  func(m kit.Mark, text string) { a.shell.flash(m, text) },
		Copy: a.copyText, Reveal: a.reveal, Forward: a.shortcut,
	}
	if a.cfg.RotateToken != nil {
		p.RotateToken = a.rotateToken
	}
	return p
}

// askTopic asks a topic that is not a tool, off the UI goroutine. It shows an error, or
// calls done.
func askTopic[In any](a *App, what string, t *eventbus.Topic[In, struct{}], in In, done func()) {
	a.background(what, func(ctx context.Context) error {
		_, err := t.Ask(asUser(ctx), a.cfg.Bus, in)
		return err
	}, done)
}
