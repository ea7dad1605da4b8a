package dialogs

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// Texts asks for texts in fields, the first of which gets the focus. labels are message IDs. The button yes, or Enter in
// a field, closes the form and calls do.
func (h *Host) Texts(title, yes string, fields []*kit.Field, labels []string, do func()) {
	var form *Form
	take := func() {
		form.Close()
		do()
	}
	rows := make([]fyne.CanvasObject, len(fields))
	for i, f := range fields {
		f.OnSubmitted = func(string) { take() }
		rows[i] = h.Labelled(labels[i], f)
	}
	form = h.Form(title, fyne.NewSize(420, 150+64*float32(len(fields))), rows, h.k.Button(kit.Primary, "", yes, "", take))
	form.CloseOnEscape(fields...)
	h.Focus(fields[0])
}
