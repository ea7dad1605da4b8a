package window

import (
	"context"
	"image"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/access"
	"easel/ui/window/activity"
	"easel/ui/window/approvals"
	"easel/ui/window/assistants"
	"easel/ui/window/connect"
	"easel/ui/window/data"
	"easel/ui/window/dialogs"
	"easel/ui/window/edits"
	"easel/ui/window/export"
	"easel/ui/window/external"
	"easel/ui/window/folders"
	"easel/ui/window/inputs"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/navigate"
	"easel/ui/window/preferences"
	"easel/ui/window/projects"
	"easel/ui/window/requests"
	"easel/ui/window/sessions"
	"easel/ui/window/viewer"
)

// The parts of the window are separate packages. Each has a port: a struct with what the
// part may read and do in the window.

// approvalPort returns the port of the approvals.
func (s *shell) approvalPort() approvals.Port {
	a := s.a
	return approvals.Port{
		Snapshot: a.cfg.Store.Snapshot, Fullscreen: func() bool { return s.full }, Drafts: a.access.Drafts,
		Answer: a.access.Answer, LeaveFullscreen: func() { a.navigate.LeaveFullscreen(func() {}) }, Relayout: s.relayout,
		Focus: func(f fyne.Focusable) { a.win.Canvas().Focus(f) }, Forward: a.shortcut,
		Say: func(m kit.Mark, text string) { a.shell.flash(m, text) }, Arm: a.cfg.arm,
		Language: func(session string) string { return languageIn(s, session) },
		Menu:     func(under fyne.CanvasObject, items ...*fyne.MenuItem) { s.dialogs.MenuUnder(under, items...) },
	}
}

// inputPort returns the port of the questions of running code.
func (s *shell) inputPort() inputs.Port {
	a := s.a
	return inputs.Port{
		Snapshot: a.cfg.Store.Snapshot, Fullscreen: func() bool { return s.full }, Drafts: a.typed,
		Answer: func(in command.InputAnswer, done func(error)) {
			requests.TopicFinally(a.requests, "answer_input", command.AnswerInput, in, func(_ struct{}, err error) { done(err) })
		},
		Interrupt:       func(session string) { a.sessions.Interrupt(session) },
		LeaveFullscreen: func() { a.navigate.LeaveFullscreen(func() {}) }, Relayout: s.relayout,
		Focus: func(f fyne.Focusable) { a.win.Canvas().Focus(f) }, Focused: func() fyne.Focusable { return a.win.Canvas().Focused() },
		Forward: a.shortcut, Arm: a.cfg.arm, Linger: a.cfg.linger,
	}
}

// connectPort returns the port of the page for clients.
func (s *shell) connectPort() connect.Port {
	a := s.a
	p := connect.Port{
		Snapshot: a.cfg.Store.Snapshot, Shown: func() bool { return s.page == pageConnect }, Session: func() string { return s.top.chosen },
		Token: a.cfg.Token, TokenOf: a.cfg.TokenOf, Exe: a.cfg.Exe, Bridge: a.cfg.Bridge,
		Go: func(f func()) { a.requests.Go(func(context.Context) { f() }) }, Background: a.requests.Background, Settings: a.settings,
		Written: func() { a.shell.connect.Reread() },
		Say:     func(m kit.Mark, text, label string, do func()) { a.shell.offer(m, text, label, do) },
		Copy:    a.export.CopyText, Reveal: a.external.Reveal, Browse: a.external.Browse, Swagger: a.external.Swagger, Forward: a.shortcut,
	}
	if a.external.HasJupyterLab() {
		p.JupyterLab = a.external.JupyterLab
	}
	return p
}

// activityPort returns the port of the dock.
func (s *shell) activityPort() activity.Port {
	a := s.a
	return activity.Port{
		Snapshot: a.cfg.Store.Snapshot, SessionName: s.sessionName, SessionColour: func(id string) int { return s.gallery.colours[id] },
		Language: func(session string) string { return languageIn(s, session) },
		Token:    a.cfg.Token, Tab: a.layout.tab,
		Variables: func(session string, done func([]catalog.Variable, error)) (cancel func()) {
			return requests.Quiet(a.requests, catalog.GetVariables, catalog.GetVariablesIn{SessionID: session},
				func(out catalog.GetVariablesOut, err error) { done(out.Variables, err) })
		},
		OpenTable: func(session, name string) {
			a.shell.data.Open(session, name)
			a.shell.open(pageData)
		},
		Run: func(session, code string, done func(catalog.Execution)) {
			wait := 0.0
			requests.Run(a.requests, catalog.ExecuteCode, catalog.ExecuteCodeIn{SessionID: session, Code: code, Wait: &wait}, done)
		},
		CompleteCode: func(of command.CodeAt, done func(command.CodeCompletion, error)) func() {
			return requests.Quiet(a.requests, command.CompleteCode, of, done)
		},
		InspectCode: func(of command.CodeAt, done func(string, error)) func() {
			return requests.Quiet(a.requests, command.InspectCode, of, done)
		},
		RunAgain: a.sessions.RunAgain, EditAndRun: a.sessions.EditAndRun, Interrupt: func(id string) { a.sessions.Interrupt(id) },
		AnswerInput: func(id string) { s.inputs.Go(id) },
		ShowPlots: func(session string, uris []string) {
			a.navigate.OpenSession(session)
			if len(uris) > 0 {
				requests.Ask(a.requests, catalog.SelectFile, catalog.SelectFileIn{Paths: uris}, nil)
			}
		},
		CancelRun: func(id string) { requests.Topic(a.requests, "cancel_run", command.CancelRun, id, nil) },
		SaveFile:  a.export.SaveFile,
		WriteLog: func(in command.WriteLogIn, done func(command.WriteLogOut)) {
			requests.Topic(a.requests, "write_log", command.WriteLog, in, done)
		},
		Go:         a.requests.Go,
		Background: a.requests.Background, Menu: s.dialogs.MenuUnder, MenuAt: s.dialogs.Menu,
		Focus: func(f fyne.Focusable) { a.win.Canvas().Focus(f) },
		Sheet: func(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) activity.Overlay {
			return a.shell.dialogs.Sheet(title, body, actions...) // the shell may be another when an answer comes
		},
		Say:  func(m kit.Mark, text, label string, do func()) { a.shell.offer(m, text, label, do) },
		Copy: a.export.CopyText, Reveal: a.external.Reveal,
		OpenImage: func(id string) {
			s.open(pageGallery)
			a.navigate.Open(id)
		},
		TabOpened: func(tab int) {
			a.layout.tab = tab
			a.layout.keep()
		},
		Hide: s.toggleDock, Forward: a.shortcut,
	}
}

// dataPort returns the port of the page for tables.
func (s *shell) dataPort() data.Port {
	a := s.a
	return data.Port{
		Snapshot: a.cfg.Store.Snapshot, SessionName: s.sessionName, Ended: a.history.Ended,
		Read: data.Reader{
			Shape: quietly(a, command.ReadTableShape), Page: quietly(a, command.ReadTable), Heads: quietly(a, command.ReadTableHeads),
			Search: quietly(a, command.SearchTable), Code: quietly(a, command.ReadTableCode),
			Forget: func(in command.TableRef) {
				requests.Quiet(a.requests, command.ForgetTable, in, func(struct{}, error) {})
			},
		},
		Copy: a.export.CopyText, Say: func(m kit.Mark, text string) { a.shell.flash(m, text) }, Menu: s.dialogs.Menu, Form: s.dialogs.Texts,
		Sheet: func(title, text string) {
			s.dialogs.Sheet(title, s.k.Code(text, ""), s.k.Button(kit.Quiet, "copy", s.k.T("data.copy"), "", func() {
				a.export.CopyText(text, s.k.T("data.cell"))
			}))
		},
		Typed: a.typedRune, Ask: a.questions.askAboutTable, Questions: a.questions.showOfTable,
		Focus:   func(f fyne.Focusable) { a.win.Canvas().Focus(f) },
		Forward: a.shortcut, Back: func() { a.shell.open(pageGallery) },
	}
}

// quietly asks by a topic without showing an error.
func quietly[In, Out any](a *App, t requests.Asker[In, Out]) func(In, func(Out, error)) (cancel func()) {
	return func(in In, done func(Out, error)) func() { return requests.Quiet(a.requests, t, in, done) }
}

// preferencesPort returns the port of the page for settings.
func (s *shell) preferencesPort() preferences.Port {
	a := s.a
	p := preferences.Port{
		Snapshot: a.cfg.Store.Snapshot, Version: a.cfg.Version, DataDir: a.cfg.DataDir, Token: a.cfg.Token, Given: a.cfg.Given,
		Settings: a.settings, SetTheme: func(name string) { requests.Ask(a.requests, catalog.SetTheme, catalog.SetThemeIn{Theme: name}, nil) },
		SetAccess: a.access.Set, SetAutostart: a.Autostart,
		PreferServer: func(name string) { requests.Topic(a.requests, "prefer_server", command.PreferServer, name, nil) },
		AddServer: func(in command.NamedServer, done func()) {
			requests.Topic(a.requests, "add_server", command.AddServer, in, func(struct{}) { done() })
		},
		RemoveServer: func(name string, done func()) {
			requests.Topic(a.requests, "remove_server", command.RemoveServer, name, func(struct{}) { done() })
		},
		PythonMenu: a.projects.PythonMenu, OpenProject: a.projects.Ask,
		Confirm: s.dialogs.Confirm, Sheet: func(title string, body fyne.CanvasObject) { a.shell.dialogs.Sheet(title, body) },
		Say:  func(m kit.Mark, text string) { a.shell.flash(m, text) },
		Copy: a.export.CopyText, Reveal: a.external.Reveal, Focus: a.focus, Forward: a.shortcut,
	}
	p.Keys = a.keyboard.port()
	p.Assistants = assistants.Port{
		Snapshot: a.cfg.Store.Snapshot, Update: a.cfg.Store.Update, Forgot: func() {
			if a.cfg.EndStreams != nil {
				a.cfg.EndStreams()
			}
		},
		Sheet: func(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) func() {
			return a.shell.dialogs.Sheet(title, body, actions...).Hide
		},
		Confirm: s.dialogs.Confirm, Say: func(m kit.Mark, text string) { a.shell.flash(m, text) }, Forward: a.shortcut,
	}
	if a.cfg.RotateToken != nil {
		p.RotateToken = a.rotation.start
	}
	return p
}

// editsPort returns the port of the user's changes to plots.
func (a *App) editsPort() edits.Port {
	return edits.Port{
		Kit: a.kit, Snapshot: a.cfg.Store.Snapshot, Requests: a.requests, Bus: a.cfg.Bus, Say: a.say, Offer: a.offer,
		Show:    func(m messages.Message) { a.shell.messages.Show(m) },
		Confirm: func(title, text, yes string, do func()) { a.shell.dialogs.Confirm(title, text, yes, do) },
		Work:    a.works.Begin,
	}
}

// exportPort returns the port of the exporter.
func (a *App) exportPort() export.Port {
	return export.Port{
		Kit: a.kit, Dialogs: func() *dialogs.Host { return a.shell.dialogs }, Snapshot: a.cfg.Store.Snapshot,
		Library: a.cfg.Library, Requests: a.requests, Log: a.cfg.Log,
		Say: a.say, Offer: a.offer, Settings: a.settings, Reveal: a.external.Reveal, Open: a.external.BrowseFile,
		InView:      func() []string { return a.shell.gallery.ids },
		SessionName: func(id string) string { return a.shell.sessionName(id) },
		Clipboard:   func(text string) { a.cfg.App.Clipboard().SetContent(text) }, CopyImage: a.cfg.CopyImage,
		Marked: viewer.Marked,
		Frame: func(id string) image.Image {
			if c := a.shell.gallery; c.mode == state.Viewer && !c.comparing {
				return c.view.FrameOf(id)
			}
			return nil
		},
	}
}

// externalPort returns the port of the opener.
func (a *App) externalPort() external.Port {
	return external.Port{
		Kit: a.kit, Dialogs: func() *dialogs.Host { return a.shell.dialogs }, Library: a.cfg.Library,
		OpenWith: a.cfg.OpenWith, HandOut: a.cfg.HandOut, Name: export.FileName, Drag: a.cfg.Drag, Window: func() uintptr { return x11(a.win) },
		Snapshot: a.cfg.Store.Snapshot, Requests: a.requests, Token: a.cfg.Token, Say: a.say,
		Reveal:     func(path string) error { return a.cfg.Reveal(path) },
		Open:       func(url string) error { return a.cfg.Open(url) },
		OpenSecret: func(url string) error { return a.cfg.OpenSecret(url) },
		Figure: func(ctx context.Context, id string) (string, error) {
			ticket, err := command.OpenFigure.Ask(ctx, a.cfg.Bus, id)
			return catalog.FigurePath + ticket, err
		},
		ShowCell: func(ctx context.Context, in command.ShowCellIn) (command.ShowCellOut, error) {
			return command.ShowCell.Ask(ctx, a.cfg.Bus, in)
		},
		ProjectLab: func(ctx context.Context, in command.ProjectLabIn) (string, error) {
			return command.ProjectLab.Ask(ctx, a.cfg.Bus, in)
		},
		JupyterLab: a.cfg.JupyterLab,
	}
}

// slidePort returns the port of the slide show.
func (a *App) slidePort() slidePort {
	return slidePort{
		window: a.cfg.App.NewWindow, kit: a.kit, snapshot: a.cfg.Store.Snapshot, settings: a.settings, library: a.cfg.Library,
		ids: func() []string { return a.shell.gallery.ids },
		say: func(text string) { a.say(kit.MarkBad, text) },
		after: func(d time.Duration, f func()) (stop func()) {
			timer := time.AfterFunc(d, func() { a.cfg.Do(f) })
			return func() { timer.Stop() }
		},
		awake: func() (release func()) {
			ctx, cancel := context.WithCancel(a.ctx)
			if a.cfg.KeepAwake != nil {
				why := a.kit().T("slides.title")
				a.requests.Go(func(context.Context) {
					if err := a.cfg.KeepAwake(ctx, why); err != nil {
						a.cfg.Log.DebugContext(ctx, "the screen cannot be kept on", "err", err)
					}
				})
			}
			return cancel
		},
	}
}

// sessionsPort returns the port of the control of sessions.
func (a *App) sessionsPort() sessions.Port {
	p := sessions.Port{
		Kit: a.kit, Dialogs: func() *dialogs.Host { return a.shell.dialogs }, Snapshot: a.cfg.Store.Snapshot, Update: a.cfg.Store.Update,
		Name: func(id string) string { return a.shell.sessionName(id) },
		Button: func() fyne.CanvasObject {
			if a.shell.full {
				return a.shell.gallery.corner.button()
			}
			return a.shell.top.interrupt
		},
		Now: a.cfg.Now, Bus: a.cfg.Bus, Requests: a.requests, Log: a.cfg.Log,
		Say: a.say, Offer: a.offer, OfferWhile: a.offerWhile, Open: a.navigate.OpenSession,
		SaveNotebook: func(id string) { a.export.SaveNotebook(id, a.shell.sessionName(id)) },
		SaveReport:   func(id string) { a.export.SessionPlots(id, a.shell.sessionName(id)) },
		Distrust:     a.access.Distrust,
		Renamed:      func() { a.shell.side.Reread() },
	}
	if a.external.HasJupyterLab() {
		p.JupyterLab = a.external.JupyterLab
	}
	return p
}

// projectsPort returns the port of the control of projects.
func (a *App) projectsPort() projects.Port {
	p := projects.Port{
		Kit: a.kit, Dialogs: func() *dialogs.Host { return a.shell.dialogs }, Snapshot: a.cfg.Store.Snapshot, Requests: a.requests,
		Settings: a.settings, Say: a.say, Work: a.works.Begin, Copy: a.export.CopyText, Folder: a.external.Folder, Reveal: a.external.Reveal,
		ChooseFolder: a.export.ChooseFolder, ShowSession: a.navigate.OpenSession,
	}
	if a.external.HasJupyterLab() {
		p.Lab = a.external.ProjectLab
	}
	return p
}

// foldersPort returns the port of the control of folders on disk.
func (a *App) foldersPort() folders.Port {
	return folders.Port{
		Kit: a.kit, Dialogs: func() *dialogs.Host { return a.shell.dialogs }, Snapshot: a.cfg.Store.Snapshot, Requests: a.requests,
		Settings: a.settings, DataDir: a.cfg.DataDir, Say: a.say, Offer: a.offer, Work: a.works.Begin,
		After:        func(d time.Duration, f func()) { time.AfterFunc(d, func() { a.requests.Post(f) }) },
		ChooseFolder: a.export.ChooseFolder, ShowGallery: func() { a.shell.open(pageGallery) },
		OpenSession: a.navigate.OpenSession, OpenTrash: a.navigate.OpenTrash,
		OpenProject: func(folder string) { a.projects.Open(folder) }, Reveal: a.external.Folder, Copy: a.export.CopyText,
	}
}

// accessPort returns the port of the control of assistants.
func (a *App) accessPort() access.Port {
	return access.Port{
		Kit: a.kit, Snapshot: a.cfg.Store.Snapshot, Update: a.cfg.Store.Update, Requests: a.requests, Say: a.say,
		OfferWhile: a.offerWhile, InterruptAll: func() { a.sessions.InterruptAll() },
	}
}

// navigatePort returns the port of the navigator.
func (a *App) navigatePort() navigate.Port {
	return navigate.Port{
		Update: a.cfg.Store.Update, Requests: a.requests,
		ShowGallery: func() { a.shell.open(pageGallery) }, ClearSearch: func() { a.shell.clearSearch() },
		Unpick: func() { a.sessions.Pick("") }, PanelToggled: a.layout.keepPanel,
	}
}

// The shell is built again for another language, so these read it at each call.

func (a *App) kit() *kit.Kit { return a.shell.k }

func (a *App) say(m kit.Mark, text string) { a.shell.flash(m, text) }

// messagesPort returns the port of the messages.
func (s *shell) messagesPort() messages.Port {
	a := s.a
	return messages.Port{
		Kit: s.k, Stand: a.cfg.stand,
		Repaint: func() { kit.Repaint(a.win.Canvas()) },
		Resized: s.gallery.root.Refresh,
	}
}

func (a *App) offer(m kit.Mark, text, label string, do func()) { a.shell.offer(m, text, label, do) }

// offerWhile is offer for a message that disappears when it no longer holds.
func (a *App) offerWhile(m kit.Mark, text, label string, do func(), holds func(*state.Snapshot) bool) {
	a.shell.messages.Show(messages.Message{Mark: m, Text: text, Label: label, Do: do, Holds: holds})
}
