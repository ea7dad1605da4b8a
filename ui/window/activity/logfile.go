package activity

import (
	"path/filepath"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"

	"easel/internal/truncate"
	"easel/ui/core/command"
	"easel/ui/window/kit"
)

// saveMenu offers what can be saved of the log: what is listed, or all that the library has.
func (t *callsTab) saveMenu() {
	d := t.d
	under := fyne.CanvasObject(t.filter.save)
	if !t.filter.save.Visible() {
		under = t.filter.more.Button
	}
	all := []*fyne.MenuItem{
		d.item("log.all", func() { d.writeLog(command.WriteLogIn{}, "easel-log", ".jsonl") }),
		d.item("log.report_all", func() { d.writeLog(command.WriteLogIn{Report: true, Thumbnails: true}, "easel-log", ".html") }),
	}
	if session := d.session; session != "" {
		name := d.port.SessionName(session)
		all = append(all, d.item("log.report", func() {
			d.writeLog(command.WriteLogIn{Session: session, Report: true, Thumbnails: true}, name, ".html")
		}, truncate.Runes(name, 40)))
	}
	d.port.Menu(under, groups([]*fyne.MenuItem{d.item("log.listed", t.saveLog)}, all)...)
}

// writeLog asks where to save the log, and has it written.
func (d *Dock) writeLog(in command.WriteLogIn, name, ending string) {
	k := d.k
	in.Language = k.Tr.Lang()
	title := "log.save_lines"
	if in.Report {
		title = "log.save_report"
	}
	d.port.SaveFile(k.T(title), plain(name)+"-"+k.Now().Local().Format("20060102-1504")+ending, func(to string) {
		in.To = to
		d.port.WriteLog(in, func(out command.WriteLogOut) {
			text := k.Tr.N("log.saved", out.Entries, filepath.Base(to))
			if out.Masked > 0 {
				text += k.Tr.N("log.masked", out.Masked)
			}
			d.port.Say(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { d.port.Reveal(to) })
		})
	})
}

// plain makes a name one of a file.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || unicode.IsControl(r) {
			return '-'
		}
		return r
	}, name)
	if name = strings.Trim(truncate.Runes(name, 60), " .…"); name == "" {
		return "easel-log"
	}
	return name
}
