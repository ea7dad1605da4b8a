package window

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/approvals"
	"easel/ui/window/connect"
	"easel/ui/window/kit"
)

// The parts of the window are packages of their own. Each one gets a port: a struct that
// says what the part may read of the window and do in it.

// approvalPort is what the approvals may do.
func (s *shell) approvalPort() approvals.Port {
	a := s.a
	return approvals.Port{
		Snapshot: a.cfg.Store.Snapshot, Fullscreen: func() bool { return s.full }, Drafts: a.drafts,
		Answer: a.answer, LeaveFullscreen: a.toggleFullscreen, Relayout: s.relayout,
		Focus: func(f fyne.Focusable) { a.win.Canvas().Focus(f) }, Forward: a.shortcut,
		Say: func(m kit.Mark, text string) { a.shell.flash(m, text) },
	}
}

// connectPort is what the page about clients may do.
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
