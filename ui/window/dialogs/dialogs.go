// Package dialogs shows dialogs, sheets and menus over the window. At most one is open.
//
// # Goroutines
//
// It belongs to the UI goroutine and starts no other.
package dialogs

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
)

// A Host shows dialogs, sheets and menus over one canvas.
type Host struct {
	k      *kit.Kit
	canvas fyne.Canvas
	last   *Dialog
	shown  []interface{ Visible() bool } // dialogs and menus, some of which may be closed by now
	closed func()
}

// New returns a Host for a canvas. It calls closed after a dialog or menu was closed.
func New(k *kit.Kit, canvas fyne.Canvas, closed func()) *Host {
	return &Host{k: k, canvas: canvas, closed: closed}
}

// A Dialog is a dialog or sheet over the window.
type Dialog struct {
	*widget.PopUp
	h *Host
}

// Hide closes the dialog.
func (d *Dialog) Hide() {
	d.PopUp.Hide()
	d.h.closed()
}

// Last returns the dialog or sheet that was shown last, open or not; nil before the
// first.
func (h *Host) Last() *Dialog { return h.last }

// Open reports whether a dialog, sheet or menu is open.
func (h *Host) Open() bool {
	h.shown = slices.DeleteFunc(h.shown, func(o interface{ Visible() bool }) bool { return !o.Visible() })
	return len(h.shown) > 0
}

// Size returns the size of the window, in Fyne's units.
func (h *Host) Size() fyne.Size { return h.canvas.Size() }

// Focus gives the keyboard focus to a field.
func (h *Host) Focus(f fyne.Focusable) { h.canvas.Focus(f) }

// Modal shows content as a modal dialog until it is hidden.
func (h *Host) Modal(content fyne.CanvasObject) *Dialog {
	h.last = &Dialog{widget.NewModalPopUp(content, h.canvas), h}
	h.last.Show()
	h.shown = append(h.shown, h.last)
	return h.last
}

// MenuUnder shows a menu under an object.
func (h *Host) MenuUnder(o fyne.CanvasObject, items ...*fyne.MenuItem) {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	h.Menu(at.AddXY(0, o.Size().Height+3), items...)
}

// A Form is a dialog with fields.
type Form struct {
	// OnCancel, if not nil, is called when the user has pressed Cancel or Close.
	OnCancel func()

	pop    *Dialog
	head   fyne.CanvasObject
	column *kit.Column
	foot   fyne.CanvasObject
	closed func() // may be nil
}

// Form shows rows under a title. buttons follow the Cancel button at the end. Enter presses the filled one: the caller's
// fields see to it. Escape on a button closes the form.
func (h *Host) Form(title string, size fyne.Size, rows []fyne.CanvasObject, buttons ...fyne.CanvasObject) *Form {
	return h.form(kit.Quiet, h.k.T("confirm.cancel"), title, size, rows, buttons)
}

// Result shows rows that the user only reads, under a title. It is a Form with Close instead
// of Cancel, and Enter presses that.
func (h *Host) Result(title string, size fyne.Size, rows []fyne.CanvasObject, buttons ...fyne.CanvasObject) *Form {
	return h.form(kit.Primary, h.k.T("dialog.close"), title, size, rows, buttons)
}

func (h *Host) form(kind kit.Kind, leave, title string, size fyne.Size, rows, buttons []fyne.CanvasObject) *Form {
	k := h.k
	f := &Form{column: k.Column(18, 10), head: kit.NewPara(title, 16, k.P.Text, fyne.TextStyle{Bold: true})}
	first := k.Button(kind, "", leave, "", f.cancel)
	buttons = append([]fyne.CanvasObject{first}, buttons...)
	if first.Filled() { // which is the last
		buttons = append(buttons[1:], first)
	}
	foot := kit.NewRow(8, -1, buttons...)
	window := h.Size()
	f.foot = foot
	f.SetRows(rows...)
	size = fyne.NewSize(min(size.Width, window.Width-60), min(size.Height, window.Height-60))
	f.pop = h.Modal(&fyne.Container{Objects: []fyne.CanvasObject{f.column, foot}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			m := foot.MinSize()
			kit.Place(f.column, 0, 0, size.Width, size.Height-m.Height-26)
			kit.Place(foot, size.Width-18-m.Width, size.Height-m.Height-16, m.Width, m.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return size },
	}})
	if first.Filled() {
		h.Focus(first)
	}
	return f
}

// SetRows replaces the rows under the title.
func (f *Form) SetRows(rows ...fyne.CanvasObject) {
	f.column.SetRows(append([]fyne.CanvasObject{f.head}, rows...)...)
	for _, b := range kit.Answers(append([]fyne.CanvasObject{f.foot}, rows...)...) {
		b.OnEsc = f.Close
	}
}

func (f *Form) cancel() {
	f.Close()
	if f.OnCancel != nil {
		f.OnCancel()
	}
}

// Close closes the form.
func (f *Form) Close() {
	f.pop.Hide()
	if f.closed != nil {
		f.closed()
	}
}

// Shown tells whether the form is open.
func (f *Form) Shown() bool { return f.pop.Visible() }

// OnClosed calls do when the form is closed.
func (f *Form) OnClosed(do func()) { f.closed = do }

// Arrange lays the rows out again, after one has another height.
func (f *Form) Arrange() { f.column.Refresh() }

// CloseOnEscape makes Escape in a field close the form.
func (f *Form) CloseOnEscape(fields ...*kit.Field) {
	for _, x := range fields {
		x.OnEsc = f.Close
	}
}

// Labelled returns a field with its label, a message ID, above it.
func (h *Host) Labelled(key string, field fyne.CanvasObject) fyne.CanvasObject {
	return kit.NewStack(4, kit.NewLine(h.k.T(key), 12, h.k.P.Muted, fyne.TextStyle{}, 60), field)
}

// Sheet shows large content over the window until the user closes it.
func (h *Host) Sheet(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) *Dialog {
	k := h.k
	var pop *Dialog
	row := append([]fyne.CanvasObject{kit.NewLine(title, 16, k.P.Text, fyne.TextStyle{Bold: true}, 60)}, actions...)
	row = append(row, k.Button(kit.Ghost, "close", "", "", func() { pop.Hide() }).Small())
	head := k.Panel(color.Transparent, "b", kit.PadRow(16, 8, 0, row...))
	size := h.Size()
	pop = h.Modal(&fyne.Container{Objects: []fyne.CanvasObject{canvas.NewRectangle(color.Transparent), head, body}, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			kit.Place(os[1], 0, 0, size.Width, 46)
			kit.Place(os[2], 0, 46, size.Width, size.Height-46)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(min(760, size.Width-80), min(560, size.Height-80))
		},
	}})
	return pop
}

// A Choice is a button of a dialog and its action.
type Choice struct {
	Text string
	Do   func()
	Safe bool // it loses nothing, although it is the last
}

// Confirm asks for confirmation before something is lost.
func (h *Host) Confirm(title, text, yes string, do func()) {
	h.Choose(title, text, Choice{Text: yes, Do: do})
}

// Ask asks before something that loses nothing.
func (h *Host) Ask(title, text, yes string, do func()) {
	h.Choose(title, text, Choice{Text: yes, Do: do, Safe: true})
}

// Choose shows a dialog with buttons. The last choice is the one that loses something,
// unless it is Safe. There is always a Cancel button. One button has the focus, which is
// visible, and Enter presses it: the only choice if that is Safe, otherwise Cancel. No other
// button is filled.
func (h *Host) Choose(title, text string, choices ...Choice) *Dialog {
	k := h.k
	k.Tips.Hide()
	var pop *Dialog
	head := kit.NewPara(title, 16, k.P.Text, fyne.TextStyle{Bold: true})
	body := kit.NewPara(text, 13, k.P.Muted, fyne.TextStyle{})
	button := func(kind kit.Kind, text string, do func()) *kit.Button {
		b := k.Button(kind, "", text, "", func() { pop.Hide(); do() })
		b.OnEsc = func() { pop.Hide() }
		return b
	}
	first := button(kit.Quiet, k.T("confirm.cancel"), func() {})
	buttons := kit.NewRow(8, -1, first)
	for i, c := range choices {
		kind := kit.Quiet
		switch {
		case c.Safe && len(choices) == 1:
			kind = kit.Primary
		case c.Safe:
		case i == len(choices)-1:
			kind = kit.Danger
		}
		b := button(kind, c.Text, c.Do)
		buttons.Add(b)
		if c.Safe && len(choices) == 1 {
			first = b
		}
	}
	first.OnEnter()
	kit.Answers(buttons.Objects...)
	const w = 380
	hh, bh := head.HeightFor(w), body.HeightFor(w)
	pop = h.Modal(&fyne.Container{Objects: []fyne.CanvasObject{head, body, buttons}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			kit.Place(head, 18, 16, w, hh)
			kit.Place(body, 18, 16+hh+6, w, bh)
			m := buttons.MinSize()
			kit.Place(buttons, size.Width-18-m.Width, 16+hh+6+bh+18, m.Width, m.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(w+36, 16+hh+6+bh+18+buttons.MinSize().Height+16)
		},
	}})
	h.Focus(first)
	return pop
}
