package external

import (
	"cmp"
	"context"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/desktop/programs"
	"easel/ui/window/dialogs"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
)

// Programs are the programs of the desktop. Every method may read files or wait for a
// program.
type Programs interface {
	For(mime, lang string) []programs.Program // for a type of file, the default first
	All(lang string) []programs.Program       // all; nil if Choose shows them
	Open(p programs.Program, file string) error
	Choose(file string) error // opens the file with what the user chooses in the system's dialog
}

// A Library reads the plots.
type Library interface {
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
}

// mostPrograms is the maximum number of programs in the menu. The others are in the list
// of all programs.
const mostPrograms = 12

// HasPrograms reports whether plots can be opened with other programs.
func (o *Opener) HasPrograms() bool { return o.port.Programs != nil }

// With shows the menu of the programs that can open a plot. HasPrograms must be true.
func (o *Opener) With(id string, at fyne.Position) {
	lang := o.port.Kit().Tr.Lang()
	var all []programs.Program
	var native bool
	o.port.Requests.Background("open_with", func(ctx context.Context) error {
		images, err := o.port.Library.Get(ctx, id)
		if err != nil || len(images) == 0 {
			return cmp.Or(err, library.ErrNotFound)
		}
		all = o.port.Programs.For(images[0].MIMEType, lang)
		native = len(all) == 0 && len(o.port.Programs.All(lang)) == 0
		return nil
	}, func() {
		if native {
			o.open(id, o.port.Programs.Choose)
			return
		}
		o.port.Dialogs().Menu(at, o.menu(id, all)...)
	})
}

// menu returns the items for the programs, and one for all others.
func (o *Opener) menu(id string, all []programs.Program) []*fyne.MenuItem {
	k := o.port.Kit()
	var items []*fyne.MenuItem
	for _, p := range all[:min(len(all), mostPrograms)] {
		label := p.Name
		if p.Default {
			label = k.T("openwith.default", p.Name)
		}
		items = append(items, fyne.NewMenuItem(label, func() { o.openIn(id, p) }))
	}
	if len(items) > 0 {
		items = append(items, fyne.NewMenuItemSeparator())
	}
	return append(items, fyne.NewMenuItem(k.T("openwith.other"), func() { o.other(id) }))
}

// other lets the user choose from all programs.
func (o *Opener) other(id string) {
	k := o.port.Kit()
	var all []programs.Program
	o.port.Requests.Background("open_with", func(context.Context) error {
		all = o.port.Programs.All(k.Tr.Lang())
		return nil
	}, func() {
		if len(all) == 0 {
			o.open(id, o.port.Programs.Choose)
			return
		}
		var sheet *dialogs.Dialog
		rows := k.Rows(28, []kit.ColumnSpec{{}}, func() int { return len(all) },
			func(i int) []kit.Cell { return []kit.Cell{{Text: all[i].Name}} },
			func(i int) {
				sheet.Hide()
				o.openIn(id, all[i])
			})
		sheet = o.port.Dialogs().Sheet(k.T("openwith.title"), rows)
	})
}

func (o *Opener) openIn(id string, p programs.Program) {
	o.open(id, func(file string) error { return o.port.Programs.Open(p, file) })
}

// open calls with with a copy of a plot, which the program cannot change.
func (o *Opener) open(id string, with func(file string) error) {
	failed := o.failed("external.program")
	o.port.Requests.Background("open_with", func(ctx context.Context) error {
		data, im, err := o.port.Library.Read(ctx, id)
		if err != nil {
			return err
		}
		file, err := o.port.HandOut(o.FileName(im), data)
		if err != nil {
			return err
		}
		return failed(with(file))
	}, nil)
}

// FileName returns the name of a plot's file for other programs.
func (o *Opener) FileName(im library.Image) string {
	return o.port.Name(gallery.Title(o.port.Kit(), im), picture.DataEnding(im.MIMEType, im.Path))
}
