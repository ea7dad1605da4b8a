package window

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
)

// showKeys shows the list of keys.
func (s *shell) showKeys() {
	k := s.k
	const pad, headH = 18, 44
	var pop *dialogs.Dialog
	head := kit.PadRow(pad, 8, 0, kit.NewLine(k.T("rail.keys"), 16, k.P.Text, fyne.TextStyle{Bold: true}, 60),
		k.Button(kit.Ghost, "close", "", "", func() { pop.Hide() }).Small())
	var wide float32 // the width of the longest keys, which must not be cut off
	table := s.a.keyboard.rows(k.Tr)
	for _, x := range table {
		wide = max(wide, kit.NewLine(x.keys, 12, k.P.Muted, fyne.TextStyle{}, 20).PreferredWidth())
	}
	window := s.dialogs.Size()
	size := fyne.NewSize(min(wide+340, window.Width-60), headH+pad)
	rows := make([]fyne.CanvasObject, len(table))
	for i, x := range table {
		row := k.Fact(x.keys, x.what, nil).NameWidth(wide + 16)
		rows[i] = row
		size.Height += row.HeightFor(size.Width - 2*pad)
	}
	size.Height = min(size.Height, window.Height-60)
	s.keyList = k.Column(pad, 0, rows...)
	pop = s.dialogs.Modal(&fyne.Container{Objects: []fyne.CanvasObject{head, s.keyList}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			kit.Place(head, 0, 6, size.Width, headH-10)
			kit.Place(s.keyList, 0, headH-pad/2, size.Width, size.Height-headH+pad/2)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return size },
	}})
	s.keySheet = pop
}
