package kit

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/theme"
)

// Editor returns a field for code. Tab inserts four spaces.
func (k *Kit) Editor() *Field {
	f := &Field{k: k}
	f.MultiLine = true
	f.Wrapping = fyne.TextWrapOff
	f.TextStyle = fyne.TextStyle{Monospace: true}
	f.ExtendBaseWidget(f)
	return f
}

// Note returns a field for a few lines of prose.
func (k *Kit) Note(placeholder string) *Field {
	f := &Field{k: k}
	f.MultiLine = true
	f.Wrapping = fyne.TextWrapWord
	f.ExtendBaseWidget(f)
	f.SetPlaceHolder(placeholder)
	return f
}

// LongCode shows source of any length, without colours. It draws only the visible
// lines. Long lines wrap.
func (k *Kit) LongCode(source string) fyne.CanvasObject {
	o, _ := k.LongCodeRows(source)
	return o
}

// LongCodeRows is LongCode, and returns the wrapped lines, too.
func (k *Kit) LongCodeRows(source string) (fyne.CanvasObject, *Rows) {
	type line struct{ number, text string }
	var lines []line
	mono := fyne.TextStyle{Monospace: true}
	size := theme.TextBody - 1
	rows := k.Rows(18, []ColumnSpec{{Width: 46, Style: mono, Align: fyne.TextAlignTrailing, Size: size}, {Style: mono, Size: size}},
		func() int { return len(lines) },
		func(i int) []Cell { return []Cell{{Text: lines[i].number, Ink: k.P.Muted}, {Text: lines[i].text}} }, nil)
	var wrapped float32
	box := k.Area(k.P.Code, theme.Radius)
	return &fyne.Container{Objects: []fyne.CanvasObject{box, rows}, Layout: LayoutFunc{Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
		Place(box, 0, 0, s.Width, s.Height)
		if s.Width != wrapped {
			wrapped = s.Width
			lines = lines[:0]
			char := fyne.MeasureText("0", size, mono).Width
			width := max(s.Width-46-46, 10*char)
			n := 0
			for text := range strings.SplitSeq(source, "\n") {
				n++
				number := strconv.Itoa(n)
				text = strings.ReplaceAll(text, "\t", "    ")
				for first := true; first || text != ""; first = false {
					fit := prefix(text, width, size, char)
					if fit == 0 && text != "" {
						fit = firstRune(text)
					}
					lines = append(lines, line{number, text[:fit]})
					number, text = "", text[fit:]
				}
			}
		}
		Place(rows, 0, 0, s.Width, s.Height)
		rows.Update()
		canvas.Refresh(rows)
	}}}, rows
}
