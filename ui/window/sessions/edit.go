package sessions

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A piece is code that the user edits for a session.
type piece struct{ session, code string }

// EditAndRun lets the user edit code and run it in a session. What is not run is kept for the next
// time, until Easel quits.
func (c *Control) EditAndRun(session, code string) {
	k, d, of := c.port.Kit(), c.port.Dialogs(), piece{session, code}
	editor := k.Editor()
	text, kept := c.drafts[of]
	if !kept {
		text = strings.TrimRight(code, "\n")
	}
	editor.SetText(text)
	hint := kit.NewPara(k.T("edit_run.hint", c.port.Name(session)), 12, k.P.Muted, fyne.TextStyle{})
	run := func() {}
	button := k.Button(kit.Primary, "play", k.T("edit_run.run"), k.T("edit_run.run_tip"), func() { run() }).OnCtrlEnter()
	reset := k.Button(kit.Quiet, "", k.T("edit_run.reset"), k.T("edit_run.reset_tip"), func() { editor.SetText(strings.TrimRight(code, "\n")) })
	reset.SetEnabled(kept)
	size := editSize(d)
	f := d.Form(k.T("edit_run.title"), size, []fyne.CanvasObject{kit.Box(editor, fyne.NewSize(60, size.Height-170)), hint}, reset, button)
	f.CloseOnEscape(editor)
	editor.OnChanged = func(text string) {
		button.SetEnabled(strings.TrimSpace(text) != "")
		c.draft(of, text)
		_, changed := c.drafts[of]
		reset.SetEnabled(changed)
	}
	run = func() {
		if !button.Enabled() || !f.Shown() {
			return
		}
		button.SetEnabled(false)
		wait := 0.0
		requests.TopicFinally(c.port.Requests, catalog.ExecuteCode.Spec().Name, catalog.ExecuteCode,
			catalog.ExecuteCodeIn{SessionID: session, Code: editor.Text, Wait: &wait}, func(_ catalog.Execution, err error) {
				if err != nil { // the code stays
					button.SetEnabled(true)
					return
				}
				c.draft(of, code)
				f.Close()
				c.port.Say(kit.MarkCheck, k.T("flash.running"))
			})
	}
	editor.Forward = func(s fyne.Shortcut) {
		if x, ok := s.(*desktop.CustomShortcut); ok && (x.KeyName == fyne.KeyReturn || x.KeyName == fyne.KeyEnter) {
			run()
		}
	}
	d.Focus(editor)
}

// editSize returns the size of the dialog: the window's, up to that of a page of code.
func editSize(d *dialogs.Host) fyne.Size {
	return fyne.NewSize(min(d.Size().Width-60, 820), min(d.Size().Height-60, 600))
}

// draft keeps what the user has made of code, unless it is the code.
func (c *Control) draft(of piece, text string) {
	if text == strings.TrimRight(of.code, "\n") || text == of.code {
		delete(c.drafts, of)
		return
	}
	c.drafts[of] = text
}
