package kit

import (
	"strings"

	"fyne.io/fyne/v2"
)

// passHiddenSpaces moves the cursor behind the spaces at the end of a paragraph for which the
// row has no room. Fyne does not draw them and puts the cursor before them: what is typed next
// would come first.
func (f *Field) passHiddenSpaces() {
	if f.Wrapping != fyne.TextWrapWord || f.SelectedText() != "" {
		return
	}
	rest, _, _ := strings.Cut(string([]rune(f.Text)[f.CursorTextOffset():]), "\n")
	if rest == "" || strings.Trim(rest, " ") != "" {
		return
	}
	shown := f.CursorColumn
	f.CursorColumn += len(rest)
	f.Refresh() // limits the cursor to what is drawn
	if f.CursorColumn == shown {
		f.CursorColumn += len(rest)
	} else {
		f.CursorColumn = shown
	}
}

// MoveCursor moves the cursor to a place in the text. Fyne takes a space that is not drawn for
// one of the next row.
func (f *Field) MoveCursor(at int) {
	begin := func(row int) int {
		f.CursorRow, f.CursorColumn = row, 0
		return f.CursorTextOffset() // 0 if there is no such row
	}
	row := 0
	for begin(row+1) > begin(row) && begin(row+1) <= at {
		row++
	}
	f.CursorColumn = at - begin(row)
	f.Refresh()
}
