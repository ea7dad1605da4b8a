package window

import (
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// preparingKey identifies what makePreparing draws, apart from the progress.
func preparingKey(s *state.Server) string {
	return strings.Join([]string{s.State, s.Install.Kind, s.Install.Command, failure(s)}, "\x00")
}

// failure returns why the server is not running, in English; "" if it is being started.
func failure(s *state.Server) string {
	if s.State == "installing" || s.State == "starting" {
		return ""
	}
	return s.Message
}

// makePreparing shows the progress of the installation of Easel's own Jupyter, or why it
// failed and what the user can do.
func (c *galleryPage) makePreparing(s *state.Server, connect fyne.CanvasObject) fyne.CanvasObject {
	c.progress = nil
	k, install := c.s.k, c.s.a.install
	cancel := k.Button(kit.Quiet, "", k.T("confirm.cancel"), "", install.cancel)
	switch s.State {
	case "installing", "starting":
		title := k.T("empty.installing")
		if s.State == "starting" {
			title, cancel = k.T("empty.starting"), nil
		}
		bar, setBar := k.ProgressBar(s.Fraction, 260)
		buttons := kit.NewRow(8, -1, connect)
		if cancel != nil {
			buttons = kit.NewRow(8, -1, cancel, connect)
		}
		root, setText := k.EmptyText("refresh", title, installText(k, s), kit.NewPile(18, bar, buttons))
		c.progress = func(s *state.Server) {
			setText(installText(k, s))
			setBar(s.Fraction)
		}
		return root
	}
	title, text := failureText(k, s)
	return k.Empty("warning", title, text, install.failureButtons(s)...)
}

// installText describes the progress.
func installText(k *kit.Kit, s *state.Server) string {
	i := s.Install
	if s.State == "starting" {
		return k.T("empty.starting_text")
	}
	var text string
	switch i.Step {
	case "installer":
		text = k.T("install.installer", i18n.Bytes(i.Total))
	case "fetching":
		text = k.T("install.fetching", i18n.Bytes(i.Done), i18n.Bytes(i.Total))
		if i.Package != "" {
			text += k.T("install.package", i.Package)
		}
	case "creating":
		text = k.T("install.creating", i.Python)
	case "python", "unpacking", "checking":
		text = k.T("install.step." + i.Step)
	default:
		return k.T("empty.installing_text")
	}
	if i.After > 0 {
		text += "\n" + k.T("install.after", i18n.Bytes(i.After))
	}
	return text
}

// failureText returns a title and a text for a server that is not running.
func failureText(k *kit.Kit, s *state.Server) (title, text string) {
	i := s.Install
	key := "install.failed." + i.Kind
	switch {
	case i.Cancelled:
		return k.T("install.cancelled"), k.T("install.cancelled_text")
	case i.Kind == "python" && i.Command != "":
		return k.T(key), k.T("install.failed.python_command", i.Command)
	case i.Kind != "" && k.Tr.Has(key+"_text"):
		text = k.T(key + "_text")
		switch {
		case i.Kind == "wheelhouse" || i.Kind == "permission":
			text = firstLine(s.Message) + "\n" + text
		case i.Need > 0:
			text = k.T("install.failed.disk_space", i18n.Bytes(i.Free), i18n.Bytes(i.Need)) + "\n" + text
		}
		return k.T(key), text
	}
	return k.T("empty.no_python"), s.Message
}

// firstLine returns the first line of a message, which a program has written.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// An installer lets the user control the installation of Easel's own Jupyter.
type installer struct {
	kit      func() *kit.Kit
	dialogs  func() *dialogs.Host
	requests *requests.Sender
	copy     func(text, what string)
}

// failureButtons returns what the user can do about a server that is not running.
func (i *installer) failureButtons(s *state.Server) []fyne.CanvasObject {
	k, failed := i.kit(), s.Install
	word := "install.retry"
	if failed.Cancelled {
		word = "install.continue"
	}
	buttons := []fyne.CanvasObject{k.Button(kit.Primary, "refresh", k.T(word), "", func() { i.start(command.StartJupyterIn{}) })}
	if failed.Kind == "wheelhouse" {
		buttons = append(buttons, k.Button(kit.Quiet, "", k.T("install.online"), "", func() { i.start(command.StartJupyterIn{Online: true}) }))
	}
	if failed.Kind == "wheelhouse" || offline(failed.Kind) {
		buttons = append(buttons, k.Button(kit.Quiet, "", k.T("install.offline"), k.T("install.offline_tip"), i.chooseSavedPackages))
	}
	if !failed.Cancelled {
		what, text := "empty.copy_message", s.Message
		if failed.Command != "" {
			what, text = "install.copy_command", failed.Command
		}
		buttons = append(buttons, k.Button(kit.Quiet, "copy", k.T(what), "", func() { i.copy(text, k.T("what.message")) }))
	}
	return buttons
}

// laterButtons returns what the user can do if packages cannot be installed in the
// background.
func (i *installer) laterButtons(kind string) []fyne.CanvasObject {
	k := i.kit()
	buttons := []fyne.CanvasObject{k.Button(kit.Quiet, "refresh", k.T("install.retry"), "",
		func() { i.start(command.StartJupyterIn{}) }).Small()}
	if kind == "wheelhouse" || offline(kind) {
		buttons = append(buttons, k.Button(kit.Quiet, "", k.T("install.offline"), k.T("install.offline_tip"), i.chooseSavedPackages).Small())
	}
	return buttons
}

// offline reports whether a failure of a kind is one of the network.
func offline(kind string) bool { return kind == "network" || kind == "proxy" || kind == "cert" }

func (i *installer) start(in command.StartJupyterIn) {
	requests.Topic(i.requests, "start_jupyter", command.StartJupyter, in, nil)
}

func (i *installer) cancel() {
	requests.Topic(i.requests, "cancel_jupyter", command.CancelJupyter, struct{}{}, nil)
}

// chooseSavedPackages lets the user install from packages that another machine has saved.
func (i *installer) chooseSavedPackages() {
	k, d := i.kit(), i.dialogs()
	path := k.Field(k.T("install.offline_path"))
	hint := kit.NewPara(k.T("install.offline_hint"), 12, k.P.Muted, fyne.TextStyle{})
	send := func() {}
	button := k.Button(kit.Primary, "", k.T("install.offline_use"), "", func() { send() })
	f := d.Form(k.T("install.offline_title"), fyne.NewSize(480, 250), []fyne.CanvasObject{hint, d.Labelled("install.offline_path", path)}, button)
	f.CloseOnEscape(path)
	button.SetEnabled(false)
	path.OnChanged = func(text string) { button.SetEnabled(strings.TrimSpace(text) != "") }
	send = func() {
		if button.Enabled() && f.Shown() {
			f.Close()
			i.start(command.StartJupyterIn{Offline: strings.TrimSpace(path.Text)})
		}
	}
	path.OnSubmitted = func(string) { send() }
	d.Focus(path)
}

// laterText describes an installation in the background for the status bar; "" if there is
// none.
func laterText(k *kit.Kit, s *state.Server) string {
	i := s.Install
	switch {
	case !i.Later:
		return ""
	case i.Failed != "":
		return k.T("install.later_failed")
	case i.Step == "fetching" && i.Total > 0:
		return k.T("install.later_fetching", i18n.Bytes(i.Done), i18n.Bytes(i.Total))
	}
	return k.T("install.later")
}
