package sessions

import (
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// Rename asks for the name of a session, live or ended. An empty one takes the user's name back.
func (c *Control) Rename(id string) {
	k, d := c.port.Kit(), c.port.Dialogs()
	was := c.port.Name(id)
	name := k.Field("")
	name.SetText(was)
	var form *dialogs.Form
	rename := func() {
		form.Close()
		if name.Text == was {
			return
		}
		in := command.RenameSessionIn{SessionID: id, Name: strings.TrimSpace(name.Text)}
		requests.Topic(c.port.Requests, "rename", command.RenameSession, in, func(struct{}) { c.port.Renamed() })
	}
	name.OnSubmitted = func(string) { rename() }
	note := kit.NewPara(k.T("sessions.rename_note"), 12, k.P.Muted, fyne.TextStyle{})
	rows := []fyne.CanvasObject{d.Labelled("sessions.name", name), note}
	yes := k.Button(kit.Primary, "", k.T("sessions.rename"), "", rename)
	form = d.Form(k.T("sessions.rename_title"), fyne.NewSize(420, 230), rows, yes)
	form.CloseOnEscape(name)
	d.Focus(name)
	name.TypedShortcut(&fyne.ShortcutSelectAll{})
}
