package export

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A saver is the dialog that asks where to save a file or several files.
type saver struct {
	e     *Exporter
	k     *kit.Kit
	title string
	file  string                     // the suggested name; empty for several files
	plots bool                       // the files are plots
	fresh bool                       // write never replaces what is there
	write func(to string, code bool) // writes to a file or, for several, to a folder
	yes   string                     // text of the button that chooses a folder; empty to save
	about string                     // what that means

	f    *dialogs.Form
	name *kit.Field // of the file; nil for several
	path *kit.Field // of the folder
	code *kit.Check // nil if there is no code to include
	rows *kit.Rows
	dir  string
	dirs []string // folders in the current folder
	// chosen is the path that the arrow down has put into the field; "" if the user has typed since.
	chosen string
	note   *kit.Line
	save   *kit.Button
}

// SaveAs asks where to save plots.
func (e *Exporter) SaveAs(ids []string) {
	if len(ids) == 0 {
		return
	}
	ids = slices.Clone(ids)
	var first library.Image
	e.port.Requests.Background("save", func(ctx context.Context) error {
		images, err := e.port.Library.Get(ctx, ids[0])
		if len(images) > 0 {
			first = images[0]
		}
		return err
	}, func() {
		v := e.saver(e.port.Kit().Tr.N("save.title", len(ids)))
		v.plots = true
		if len(ids) == 1 {
			v.file = FileName(gallery.Title(v.k, first), picture.DataEnding(first.MIMEType, first.Path))
		}
		v.write = func(to string, code bool) { e.export(command.ExportImagesIn{IDs: ids, To: to, WithCode: code}) }
		v.ask(e.port.Snapshot().Settings.SaveDir)
	})
}

// SaveFile asks where to save a file, and calls write with its path.
func (e *Exporter) SaveFile(title, name string, write func(to string)) {
	v := e.saver(title)
	v.file, v.write = name, func(to string, _ bool) { write(to) }
	v.ask(e.port.Snapshot().Settings.SaveDir)
}

// ChooseFolder asks for a folder, and calls chosen with its path. The dialog begins in the folder
// start, or at home; about explains it, and yes is the text of its button.
func (e *Exporter) ChooseFolder(title, about, yes, start string, chosen func(dir string)) {
	v := e.saver(title)
	v.yes, v.about, v.write = yes, about, func(to string, _ bool) { chosen(to) }
	v.ask(start)
}

func (e *Exporter) saver(title string) *saver { return &saver{e: e, k: e.port.Kit(), title: title} }

// ask shows the dialog with a folder, or at home if there is none.
func (v *saver) ask(dir string) {
	e := v.e
	e.port.Requests.Background("save", func(context.Context) error {
		if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
			dir, _ = os.UserHomeDir()
		}
		return nil
	}, func() { v.show(dir) })
}

func (v *saver) show(dir string) {
	v.k = v.e.port.Kit() // the dialog before may have had another theme
	e, k, d := v.e, v.k, v.e.port.Dialogs()
	var rows []fyne.CanvasObject
	if v.about != "" {
		rows = append(rows, kit.NewPara(v.about, 13, k.P.Muted, fyne.TextStyle{}))
	}
	if v.file != "" {
		v.name = k.Field("")
		v.name.SetText(v.file)
		v.name.OnSubmitted = func(string) { v.run() }
		rows = append(rows, d.Labelled("save.name", v.name))
	}
	v.path = k.Field("")
	v.path.OnSubmitted = func(p string) { v.open(p) }
	v.path.OnTab, v.path.OnDown = v.complete, func() { v.choose(v.path.Text) }
	if v.yes != "" {
		v.path.OnSubmitted = func(string) { v.run() }
		v.path.OnChanged = v.typed
	}
	up := k.Button(kit.Quiet, "up", "", k.T("save.up"), func() { v.open(filepath.Dir(v.dir)) })
	v.rows = k.Rows(26, []kit.ColumnSpec{{}}, func() int { return len(v.dirs) },
		func(i int) []kit.Cell { return []kit.Cell{{Text: v.dirs[i] + "/"}} },
		func(i int) { v.open(filepath.Join(v.dir, v.dirs[i])) })
	v.note = kit.NewLine("", 12, k.P.Bad, fyne.TextStyle{}, 60)
	list := k.Panel(k.P.Code, "tblr", v.rows)
	rows = append(rows, d.Labelled("save.folder", kit.NewRow(6, 0, v.path, up)), kit.Box(list, fyne.NewSize(60, 156)))
	if v.plots {
		v.code = k.Check(k.T("save.with_code"), e.port.Snapshot().Settings.SaveCode)
		rows = append(rows, v.code)
	}
	rows = append(rows, v.note)
	v.save = k.Button(kit.Primary, "", cmp.Or(v.yes, k.T("save.save")), "", v.run)
	high := float32(505)
	if v.name == nil {
		high -= 72
	}
	if v.code == nil {
		high -= 30
	}
	if v.about != "" {
		high += 44
	}
	if v.yes == "" { // Enter opens the folder that is typed
		v.path.OnEnter, v.path.OnLeave = func() { v.save.EnterElsewhere(true) }, func() { v.save.EnterElsewhere(false) }
	}
	v.f = d.Form(v.title, fyne.NewSize(520, high), rows, v.save)
	v.f.CloseOnEscape(v.path)
	v.open(dir)
	if v.name != nil {
		v.f.CloseOnEscape(v.name)
		d.Focus(v.name)
	}
	if v.yes != "" {
		d.Focus(v.path)
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

// FileName returns the name of a file for a plot of a title. The title of a file on disk
// has the ending already.
func FileName(title, ending string) string {
	return cmp.Or(fileName(strings.TrimSuffix(title, ending)), "plot") + ending
}

// open lists the folders in a folder.
func (v *saver) open(dir string) {
	e := v.e
	var dirs []string
	e.port.Requests.Go(func(context.Context) {
		entries, err := os.ReadDir(dir)
		for _, x := range entries {
			if x.IsDir() && !strings.HasPrefix(x.Name(), ".") {
				dirs = append(dirs, x.Name())
			}
		}
		e.port.Requests.Post(func() {
			if err != nil {
				v.note.Set(v.k.T("save.no_folder", dir), nil)
				return
			}
			first := v.dir == ""
			v.dir, v.dirs = dir, dirs
			v.note.Set("", nil)
			v.set(dir)
			if first && v.yes != "" {
				v.path.TypedShortcut(&fyne.ShortcutSelectAll{}) // another path can be typed in its place
			}
			v.rows.Update()
		})
	})
}

// typed lists the folders that begin with a typed path, without changing it.
func (v *saver) typed(path string) {
	if path == v.chosen {
		return
	}
	v.chosen = ""
	dir, begin := filepath.Split(expand(path))
	if path == v.dir || !filepath.IsAbs(dir) {
		return
	}
	var dirs []string
	e := v.e
	e.port.Requests.Go(func(context.Context) {
		entries, err := os.ReadDir(dir)
		for _, x := range entries {
			hidden := strings.HasPrefix(x.Name(), ".") != strings.HasPrefix(begin, ".")
			if x.IsDir() && !hidden && strings.HasPrefix(strings.ToLower(x.Name()), strings.ToLower(begin)) {
				dirs = append(dirs, x.Name())
			}
		}
		e.port.Requests.Post(func() {
			if err != nil || v.path.Text != path { // it was changed since
				return
			}
			v.dir, v.dirs = filepath.Clean(dir), dirs
			v.note.Set("", nil)
			v.rows.Update()
		})
	})
}

// run saves, or chooses the folder. It asks first if a file would be replaced.
func (v *saver) run() {
	e := v.e
	if v.yes != "" {
		v.f.Close()
		v.write(strings.TrimSpace(v.path.Text), false)
		return
	}
	if p := strings.TrimSpace(v.path.Text); p != v.dir {
		v.open(p) // typed, but not opened yet
		return
	}
	to, code := v.dir, v.code != nil && v.code.On()
	if v.name != nil {
		name := strings.TrimSpace(v.name.Text)
		if name == "" || name != filepath.Base(name) {
			v.note.Set(v.k.T("save.bad_name"), nil)
			return
		}
		to = filepath.Join(v.dir, name)
	}
	v.f.Close()
	e.port.Settings(func(c *state.Settings) {
		c.SaveDir = v.dir
		if v.code != nil {
			c.SaveCode = code
		}
	})
	exists := false
	e.port.Requests.Background("save", func(context.Context) error {
		_, err := os.Stat(to)
		exists = v.name != nil && !v.fresh && err == nil
		return nil
	}, func() {
		if exists {
			k := e.port.Kit()
			e.port.Dialogs().Confirm(k.T("save.replace"), k.T("save.replace_text", to), k.T("save.replace_yes"), func() { v.write(to, code) })
			return
		}
		v.write(to, code)
	})
}

// SaveData asks where to save the values that a plot shows.
func (e *Exporter) SaveData(im library.Image) {
	k := e.port.Kit()
	title := gallery.Title(k, im)
	e.SaveFile(k.T("save.data", title), FileName(title, ".csv"), func(to string) {
		in := command.SaveDataIn{Image: im.ImageID, To: to}
		requests.Topic(e.port.Requests, "export", command.SaveData, in, func(out command.SaveDataOut) {
			text := k.T("save.saved", filepath.Base(out.Path))
			if out.Sample {
				text = k.T("save.sample", filepath.Base(out.Path))
			}
			e.port.Offer(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { e.port.Reveal(out.Path) })
		})
	})
}

func (e *Exporter) export(in command.ExportImagesIn) {
	requests.Topic(e.port.Requests, "export_images", command.ExportImages, in, func(out command.ExportImagesOut) {
		if len(out.Files) == 0 {
			return
		}
		k := e.port.Kit()
		text := k.T("save.saved", filepath.Base(out.Files[0].Path))
		if n := len(out.Files); n > 1 {
			text = k.T("save.saved_many", n, filepath.Dir(out.Files[0].Path))
		}
		e.port.Offer(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { e.port.Reveal(out.Files[0].Path) })
	})
}
