package export

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"easel/mcphost/catalog"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/window/dialogs"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// SaveReport asks how to save plots as a report. Plots of the library are in the order of
// their creation, files in the given order.
func (e *Exporter) SaveReport(ids []string, title string) {
	if len(ids) == 0 {
		return
	}
	ids = slices.Clone(ids)
	if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, folders.Scheme) }) {
		slices.Sort(ids)
	}
	k, d := e.port.Kit(), e.port.Dialogs()
	name := k.Field("")
	name.SetText(title)
	code, live := k.Check(k.T("report.code"), true), k.Check(k.T("report.interactive"), true)
	var f *dialogs.Form
	next := func() {
		f.Close()
		in := catalog.ExportIn{
			Kind: catalog.ExportHTML, Notes: true, Timings: true, IDs: ids, Title: strings.TrimSpace(name.Text), Language: k.Tr.Lang(), Code: code.On(), Interactive: live.On(),
			Name: func(n int) string { return k.T("gallery.untitled", n) },
		}
		if in.Title == "" {
			in.Title = title
		}
		e.SaveFile(k.T("report.title"), fileName(in.Title)+".html", func(to string) {
			in.To = to
			e.writeReport(in)
		})
	}
	name.OnSubmitted = func(string) { next() }
	f = d.Form(k.T("report.title"), fyne.NewSize(480, 336), []fyne.CanvasObject{
		kit.NewPara(k.Tr.N("report.text", len(ids)), 13, k.P.Muted, fyne.TextStyle{}),
		d.Labelled("report.name", name), code, live,
	}, k.Button(kit.Primary, "", k.T("report.next"), "", next))
	f.CloseOnEscape(name)
	d.Focus(name)
}

// SaveSessionReport asks how to save the plots of a session as a report, oldest first.
func (e *Exporter) SaveSessionReport(session, name string) {
	var ids []string
	e.port.Requests.Background("report", func(ctx context.Context) (err error) {
		q := library.All()
		q.SessionID, q.Asc = session, true
		ids, err = e.port.Library.IDs(ctx, q)
		return err
	}, func() {
		if len(ids) == 0 {
			e.port.Say(kit.MarkWait, e.port.Kit().T("report.empty"))
			return
		}
		e.SaveReport(ids, name)
	})
}

// progressEvery limits how often the dialog shows the progress of a report.
const progressEvery = 100 * time.Millisecond

// writeReport writes a report and shows its progress in a dialog, which can cancel it.
func (e *Exporter) writeReport(in catalog.ExportIn) {
	k, d := e.port.Kit(), e.port.Dialogs()
	bar := k.Progress(0, 400)
	row := container.NewStack(bar)
	line := kit.NewLine(k.T("report.progress", 0, len(in.IDs)), 13, k.P.Muted, fyne.TextStyle{}, 200)
	ended, cancelled := false, false
	var cancel func()
	f := d.Form(k.T("report.writing"), fyne.NewSize(460, 160), []fyne.CanvasObject{line, row})
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
				line.Set(k.T("report.progress", done, total), nil)
				row.Objects[0] = k.Progress(float64(done)/float64(total), 400)
				row.Refresh()
			})
		}
	}
	cancel = requests.Quiet(e.port.Requests, catalog.Export, in, func(out catalog.ExportOut, err error) {
		ended = true
		f.Close()
		switch {
		case err == nil:
			e.reported(out)
		case cancelled:
			e.port.Say(kit.MarkWait, k.T("report.cancelled"))
		default:
			e.port.Say(kit.MarkBad, k.T("report.failed", err.Error()))
		}
	})
}

// reported says where a report is and what it lacks.
func (e *Exporter) reported(out catalog.ExportOut) {
	k := e.port.Kit()
	text := k.T("report.saved", filepath.Base(out.Path), k.Tr.N("status_bar.plots", out.Plots), i18n.Bytes(out.Bytes))
	if n := len(out.Missing); n > 0 {
		text += " " + k.Tr.N("report.missing", n)
	}
	e.port.Offer(kit.MarkCheck, text, k.T("report.open"), func() { e.port.Open(out.Path) })
}
