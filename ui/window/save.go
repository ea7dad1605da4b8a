package window

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/ui/window/dialogs"

	"easel/ui/window/requests"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/state"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
)

// A saver is the dialog that asks where to save a file or several files.
type saver struct {
	s     *shell
	title string
	file  string                     // the suggested name; empty for several files
	plots bool                       // the files are plots
	write func(to string, code bool) // writes to a file or, for several, to a folder

	f    *dialogs.Form
	name *kit.Field // of the file; nil for several
	path *kit.Field // of the folder
	code *kit.Check // nil if there is no code to include
	rows *kit.Rows
	dir  string
	dirs []string // folders in the current folder
	note *kit.Line
	save *kit.Button
}

// saveAs asks where to save plots.
func (s *shell) saveAs(ids []string) {
	if len(ids) == 0 {
		return
	}
	ids = slices.Clone(ids)
	var first library.Image
	s.a.requests.Background("save", func(ctx context.Context) error {
		images, err := s.a.cfg.Library.Get(ctx, ids[0])
		if len(images) > 0 {
			first = images[0]
		}
		return err
	}, func() {
		v := &saver{s: s, title: s.k.Tr.N("save.title", len(ids)), plots: true}
		if len(ids) == 1 {
			v.file = fileName(gallery.Title(s.k, first)) + picture.DataEnding(first.MIMEType, first.Path)
		}
		v.write = func(to string, code bool) { s.a.export(catalog.ExportImagesIn{IDs: ids, To: to, WithCode: code}) }
		v.ask()
	})
}

// ask shows the dialog with the folder that was chosen last.
func (v *saver) ask() {
	a := v.s.a
	dir := a.cfg.Store.Snapshot().Settings.SaveDir
	a.requests.Background("save", func(context.Context) error {
		if info, e := os.Stat(dir); dir == "" || e != nil || !info.IsDir() {
			dir, _ = os.UserHomeDir()
		}
		return nil
	}, func() { v.show(dir) })
}

func (v *saver) show(dir string) {
	s, k := v.s, v.s.k
	var rows []fyne.CanvasObject
	if v.file != "" {
		v.name = k.Field("")
		v.name.SetText(v.file)
		v.name.OnSubmitted = func(string) { v.run() }
		rows = append(rows, s.dialogs.Labelled("save.name", v.name))
	}
	v.path = k.Field("")
	v.path.OnSubmitted = func(p string) { v.open(p) }
	up := k.Button(kit.Quiet, "up", "", k.T("save.up"), func() { v.open(filepath.Dir(v.dir)) })
	v.rows = k.Rows(26, []kit.ColumnSpec{{}}, func() int { return len(v.dirs) }, func(i int) []kit.Cell { return []kit.Cell{{Text: v.dirs[i] + "/"}} },
		func(i int) { v.open(filepath.Join(v.dir, v.dirs[i])) })
	v.note = kit.NewLine("", 12, k.P.Bad, fyne.TextStyle{}, 60)
	list := k.Panel(k.P.Code, "tblr", v.rows)
	rows = append(rows, s.dialogs.Labelled("save.folder", kit.NewRow(6, 0, v.path, up)), kit.Box(list, fyne.NewSize(60, 156)))
	if v.plots {
		v.code = k.Check(k.T("save.with_code"), s.a.cfg.Store.Snapshot().Settings.SaveCode)
		rows = append(rows, v.code)
	}
	rows = append(rows, v.note)
	v.save = k.Button(kit.Primary, "", k.T("save.save"), "", v.run)
	high := float32(505)
	if v.name == nil {
		high -= 72
	}
	if v.code == nil {
		high -= 30
	}
	v.f = s.dialogs.Form(v.title, fyne.NewSize(520, high), rows, v.save)
	v.f.CloseOnEscape(v.path)
	v.open(dir)
	if v.name != nil {
		v.f.CloseOnEscape(v.name)
		s.a.win.Canvas().Focus(v.name)
	}
}

// fileName converts a title to the beginning of a file's name.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, title)
	return kit.Shorten(strings.Trim(name, " ."), 600, 12, fyne.TextStyle{})
}

// open lists the folders in a folder.
func (v *saver) open(dir string) {
	a := v.s.a
	var dirs []string
	a.requests.Go(func(context.Context) {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				dirs = append(dirs, e.Name())
			}
		}
		a.cfg.Do(func() {
			if err != nil {
				v.note.Set(v.s.k.T("save.no_folder", dir), nil)
				return
			}
			v.dir, v.dirs = dir, dirs
			v.note.Set("", nil)
			v.path.SetText(dir)
			v.rows.Update()
		})
	})
}

// run saves. It asks first if a file would be replaced.
func (v *saver) run() {
	a := v.s.a
	if p := strings.TrimSpace(v.path.Text); p != v.dir {
		v.open(p) // typed, but not opened yet
		return
	}
	to, code := v.dir, v.code != nil && v.code.On()
	if v.name != nil {
		name := strings.TrimSpace(v.name.Text)
		if name == "" || name != filepath.Base(name) {
			v.note.Set(v.s.k.T("save.bad_name"), nil)
			return
		}
		to = filepath.Join(v.dir, name)
	}
	v.f.Close()
	a.settings(func(c *state.Settings) {
		c.SaveDir = v.dir
		if v.code != nil {
			c.SaveCode = code
		}
	})
	exists := false
	a.requests.Background("save", func(context.Context) error {
		_, err := os.Stat(to)
		exists = v.name != nil && err == nil
		return nil
	}, func() {
		if exists {
			k := a.shell.k
			a.shell.dialogs.Confirm(k.T("save.replace"), k.T("save.replace_text", to), k.T("save.replace_yes"), func() { v.write(to, code) })
			return
		}
		v.write(to, code)
	})
}

func (a *App) export(in catalog.ExportImagesIn) {
	requests.Topic(a.requests, "export_images", catalog.ExportImages, in, func(out catalog.ExportImagesOut) {
		if len(out.Files) == 0 {
			return
		}
		k := a.shell.k
		text := k.T("save.saved", filepath.Base(out.Files[0].Path))
		if n := len(out.Files); n > 1 {
			text = k.T("save.saved_many", n, filepath.Dir(out.Files[0].Path))
		}
		a.shell.offer(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { a.reveal(out.Files[0].Path) })
	})
}

// saveAll saves the selected plots. If at most one is selected, it saves all plots in
// view.
func (a *App) saveAll() {
	ids := a.cfg.Store.Snapshot().Selection
	if len(ids) < 2 {
		ids = a.shell.center.ids
	}
	a.shell.saveAs(ids)
}

// saveNotebook asks how to save a session as a notebook.
func (s *shell) saveNotebook(session string) {
	k, a := s.k, s.a
	path := k.Field(k.T("notebook.path_hint"))
	everyone, failed := k.Check(k.T("notebook.everyone"), true), k.Check(k.T("notebook.failed"), false)
	var f *dialogs.Form
	run := func() {
		f.Close()
		name := strings.TrimSpace(path.Text)
		if name != "" && !strings.HasSuffix(name, ".ipynb") {
			name += ".ipynb"
		}
		requests.Topic(a.requests, "save_as_notebook", catalog.SaveAsNotebook, catalog.SaveAsNotebookIn{
			SessionID: session, Path: name, Everyone: everyone.On(), Failed: failed.On(),
		}, func(out catalog.SaveAsNotebookOut) {
			text := a.shell.k.T("notebook.saved", out.Path, a.shell.k.Tr.N("notebook.cells", out.Cells))
			if out.LeftOut > 0 {
				text += " " + a.shell.k.Tr.N("notebook.left_out", out.LeftOut)
			}
			a.shell.offer(kit.MarkCheck, text, a.shell.k.T("menu.copy_path"), func() { a.copyText(out.Path, a.shell.k.T("what.path")) })
		})
	}
	path.OnSubmitted = func(string) { run() }
	f = s.dialogs.Form(k.T("notebook.title"), fyne.NewSize(480, 330), []fyne.CanvasObject{
		kit.NewPara(k.T("notebook.text", s.sessionName(session)), 13, k.P.Muted, fyne.TextStyle{}),
		s.dialogs.Labelled("notebook.path", path), everyone, failed,
	}, k.Button(kit.Primary, "", k.T("save.save"), "", run))
	f.CloseOnEscape(path)
	a.win.Canvas().Focus(path)
}
