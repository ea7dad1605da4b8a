package window

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A filterChip is one filter and the function that removes it.
type filterChip struct {
	text string
	drop func()
}

// Measures of the chips, in Fyne's units: the gap between two, and the maximum and
// minimum width of a text.
const (
	chipGap   float32 = 5
	chipMost  float32 = 160
	chipLeast float32 = 40
)

// fitChips returns chips that fit side by side in room. It shortens long texts; a last
// chip counts those that still do not fit.
func fitChips(k *kit.Kit, chips []filterChip, room float32) []fyne.CanvasObject {
	fit := func(c filterChip, most float32) *kit.Chip {
		text := kit.Shorten(c.text, most, theme.TextBody-1, fyne.TextStyle{})
		return k.Chip(text, true, true, c.drop)
	}
	for most := chipMost; most >= chipLeast; most -= 8 {
		row, used := []fyne.CanvasObject(nil), -chipGap
		for _, c := range chips {
			chip := fit(c, most)
			row, used = append(row, chip), used+chip.MinSize().Width+chipGap
		}
		if used <= room {
			return row
		}
	}
	var row []fyne.CanvasObject
	more := k.Chip(fmt.Sprintf("+%d", len(chips)), true, false, nil)
	left := room - more.MinSize().Width
	for i, c := range chips {
		chip := fit(c, chipLeast)
		if left -= chip.MinSize().Width + chipGap; left < 0 {
			return append(row, k.Chip(fmt.Sprintf("+%d", len(chips)-i), true, false, nil))
		}
		row = append(row, chip)
	}
	return row
}

// narrowing returns the filters by text, findings and tags.
func (f *filterBar) narrowing() []filterChip {
	q, a := f.snap.Query, f.s.a
	var chips []filterChip
	if q.Text != "" {
		chips = append(chips, filterChip{"“" + q.Text + "”", func() {
			f.s.clearSearch()
			a.navigate.Search("")
		}})
	}
	if q.Findings {
		chips = append(chips, filterChip{f.s.k.T("filter.findings"), func() { a.navigate.FilterFindings(false) }})
	}
	for _, t := range q.Tags {
		chips = append(chips, filterChip{t, func() {
			a.navigate.FilterTags(slices.DeleteFunc(slices.Clone(q.Tags), func(o string) bool { return o == t }))
		}})
	}
	return chips
}
