package export

import (
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// SaveNotebook asks how to save a session as a notebook. name is the name of the
// session.
func (e *Exporter) SaveNotebook(session, name string) {
	k, d := e.port.Kit(), e.port.Dialogs()
	path := k.Field(k.T("notebook.path_hint"))
	everyone, failed := k.Check(k.T("notebook.everyone"), true), k.Check(k.T("notebook.failed"), false)
	var f *dialogs.Form
	run := func() {
		f.Close()
		file := strings.TrimSpace(path.Text)
		if file != "" && !strings.HasSuffix(file, ".ipynb") {
			file += ".ipynb"
		}
		requests.Topic(e.port.Requests, "save_as_notebook", command.SaveAsNotebook, command.SaveAsNotebookIn{
			SessionID: session, Path: file, Everyone: everyone.On(), Failed: failed.On(),
		}, func(out command.SaveAsNotebookOut) {
			text := e.port.Kit().T("notebook.saved", out.Path, e.port.Kit().Tr.N("notebook.cells", out.Cells))
			if out.LeftOut > 0 {
				text += " " + e.port.Kit().Tr.N("notebook.left_out", out.LeftOut)
			}
			e.port.Offer(kit.MarkCheck, text, e.port.Kit().T("menu.copy_path"), func() { e.CopyText(out.Path, e.port.Kit().T("what.path")) })
		})
	}
	path.OnSubmitted = func(string) { run() }
	f = d.Form(k.T("notebook.title"), fyne.NewSize(480, 330), []fyne.CanvasObject{
		kit.NewPara(k.T("notebook.text", name), 13, k.P.Muted, fyne.TextStyle{}),
		d.Labelled("notebook.path", path), everyone, failed,
	}, k.Button(kit.Primary, "", k.T("save.save"), "", run))
	f.CloseOnEscape(path)
	d.Focus(path)
}
