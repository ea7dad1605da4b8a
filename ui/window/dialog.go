package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
)

// A form is a question with fields, over the window, that the person asked for.
type form struct {
	s      *shell
	pop    *widget.PopUp
	column *kit.Column
}

// form shows rows under a title; buttons stand at its end, Cancel before them.
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
	s.popup = f.pop
	f.pop.Show()
	return f
}

func (f *form) close() { f.pop.Hide() }

// closes has Escape in a field close the form.
func (f *form) closes(fields ...*kit.Field) {
	for _, x := range fields {
		x.OnEsc = f.close
	}
}

// labelled is a field under its name.
func (s *shell) labelled(key string, field fyne.CanvasObject) fyne.CanvasObject {
	return kit.NewStack(4, kit.NewLine(s.k.T(key), 12, s.k.P.Muted, fyne.TextStyle{}, 60), field)
}
