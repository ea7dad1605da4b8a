package export

import (
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// progressEvery limits how often the dialog shows the progress of an export.
const progressEvery = 100 * time.Millisecond

// write exports plots and shows the progress in a dialog, which can cancel it.
func (e *Exporter) write(in command.ExportIn) {
	k, d := e.port.Kit(), e.port.Dialogs()
	row := container.NewStack(k.Progress(0, 400))
	line := kit.NewLine(k.T("export.progress", 0, len(in.IDs)), 13, k.P.Muted, fyne.TextStyle{}, 200)
	ended, cancelled := false, false
	var cancel func()
	f := d.Form(k.T("export.writing", k.T(kindNames[in.Kind])), fyne.NewSize(460, 160), []fyne.CanvasObject{line, row})
	f.OnCancel = func() {
		cancelled = true
		cancel()
	}
	last := time.Now()
	in.Progress = func(done, total int) { // on the goroutine of the request
		if now := time.Now(); done == total || now.Sub(last) >= progressEvery {
			last = now
			e.port.Requests.Post(func() {
				if ended {
					return
				}
				text := k.T("export.progress", done, total)
				if done == total && in.Kind == command.ExportPDF {
					text = k.T("export.printing")
				}
				line.Set(text, nil)
				row.Objects[0] = k.Progress(float64(done)/float64(total), 400)
				row.Refresh()
			})
		}
	}
	cancel = requests.Quiet(e.port.Requests, command.Export, in, func(out command.ExportOut, err error) {
		ended = true
		f.Close()
		switch {
		case err == nil:
			e.exported(in.Kind, out)
		case cancelled:
			e.port.Say(kit.MarkWait, k.T("export.cancelled"))
		default:
			e.port.Say(kit.MarkBad, k.T("export.failed", tool.Explain(err)))
		}
	})
}

// exported says where an export is and what it lacks, and offers to open it.
func (e *Exporter) exported(kind command.ExportKind, out command.ExportOut) {
	k := e.port.Kit()
	text := k.T("export.saved", filepath.Base(out.Path), k.Tr.N("status_bar.plots", out.Plots), i18n.Bytes(out.Bytes))
	if n := len(out.Missing); n > 0 {
		text += " " + k.Tr.N("export.missing", n)
	}
	if kind == command.ExportHTML || kind == command.ExportPDF {
		e.port.Offer(kit.MarkCheck, text, k.T("export.open"), func() { e.port.Open(out.Path) })
		return
	}
	e.port.Offer(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { e.port.Reveal(out.Path) })
}
