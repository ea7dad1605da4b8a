package window

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
)

// A form is a dialog with fields that the user opened.
type form struct {
	s      *shell
	pop    *widget.PopUp
	column *kit.Column
}

// form shows rows under a title. buttons are at its end, after Cancel.
func (s *shell) form(title string, size fyne.Size, rows []fyne.CanvasObject, buttons ...fyne.CanvasObject) *form {
	k := s.k
	f := &form{s: s, column: s.k.Column(18, 10)}
	head := kit.NewPara(title, 16, k.P.Text, fyne.TextStyle{Bold: true})
	f.column.SetRows(append([]fyne.CanvasObject{head}, rows...)...)
	foot := kit.NewRow(8, -1, append([]fyne.CanvasObject{k.Button(kit.Quiet, "", k.T("confirm.cancel"), "", f.close)}, buttons...)...)
	window := s.a.win.Canvas().Size()
	size = fyne.NewSize(min(size.Width, window.Width-60), min(size.Height, window.Height-60))
	f.pop = widget.NewModalPopUp(&fyne.Container{Objects: []fyne.CanvasObject{f.column, foot}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			m := foot.MinSize()
			kit.Place(f.column, 0, 0, size.Width, size.Height-m.Height-26)
			kit.Place(foot, size.Width-18-m.Width, size.Height-m.Height-16, m.Width, m.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return size },
	}}, s.a.win.Canvas())
	s.popup, s.enter = f.pop, nil
	f.pop.Show()
	return f
}

func (f *form) close() { f.pop.Hide() }

// closes makes Escape in a field close the form.
func (f *form) closes(fields ...*kit.Field) {
	for _, x := range fields {
		x.OnEsc = f.close
	}
}

// labelled returns a field with its label above it.
func (s *shell) labelled(key string, field fyne.CanvasObject) fyne.CanvasObject {
	return kit.NewStack(4, kit.NewLine(s.k.T(key), 12, s.k.P.Muted, fyne.TextStyle{}, 60), field)
}

// sheet shows large content over the window until the user closes it.
func (s *shell) sheet(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) *widget.PopUp {
	k := s.k
	var pop *widget.PopUp
	row := append([]fyne.CanvasObject{kit.NewLine(title, 16, k.P.Text, fyne.TextStyle{Bold: true}, 60)}, actions...)
	row = append(row, k.Button(kit.Ghost, "close", "", "", func() { pop.Hide() }).Small())
	head := k.Panel(color.Transparent, "b", kit.PadRow(16, 8, 0, row...))
	size := s.a.win.Canvas().Size()
	pop = widget.NewModalPopUp(&fyne.Container{Objects: []fyne.CanvasObject{canvas.NewRectangle(color.Transparent), head, body}, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			kit.Place(os[1], 0, 0, size.Width, 46)
			kit.Place(os[2], 0, 46, size.Width, size.Height-46)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(min(760, size.Width-80), min(560, size.Height-80))
		},
	}}, s.a.win.Canvas())
	s.popup, s.enter = pop, nil
	pop.Show()
	return pop
}
