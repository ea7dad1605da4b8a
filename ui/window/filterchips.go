package window

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/library/search"
	"easel/ui/window/kit"
	"easel/ui/window/searchhints"
	"easel/ui/window/theme"
)

// A filterChip is one filter and the function that removes it.
type filterChip struct {
	text  string
	wrong bool // it has no effect
	drop  func()
}

// Measures of the chips, in Fyne's units: the gap between two, and the maximum and
// minimum width of a text.
const (
	chipGap   float32 = 5
	chipMost  float32 = 160
	chipLeast float32 = 40
	chipRow   float32 = 28
)

// fitChips returns chips that fit side by side in room. It shortens long texts; a last
// chip counts those that still do not fit.
func fitChips(k *kit.Kit, chips []filterChip, room float32) []fyne.CanvasObject {
	fit := func(c filterChip, most float32) *kit.Chip {
		text := kit.Shorten(c.text, most, theme.TextBody-1, fyne.TextStyle{})
		chip := k.Chip(text, true, true, c.drop)
		if c.wrong {
			chip.Warn()
		}
		return chip
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

// wantsRow reports whether the chips need more than the room beside the title, or belong to a search
// with terms, which can be saved.
func (f *filterBar) wantsRow(room float32) bool {
	if slices.ContainsFunc(f.s.top.searcher.terms(f.snap.Query.Text), func(t search.Term) bool { return t.Key != search.Word }) {
		return true
	}
	return f.wide(f.narrowing(nil)) > room
}

// wide returns the width of chips.
func (f *filterBar) wide(chips []filterChip) (used float32) {
	for _, c := range chips {
		text := kit.Shorten(c.text, chipMost, theme.TextBody-1, fyne.TextStyle{})
		used += f.s.k.Chip(text, true, true, nil).MinSize().Width + chipGap
	}
	return used
}

// narrowing returns the filters by text, findings and tags, without those that presets show.
func (f *filterBar) narrowing(shown []preset) []filterChip {
	q, a := f.snap.Query, f.s.a
	var chips []filterChip
	if q.Text != "" {
		chips = f.searched(q.Text, shown)
	}
	if q.Findings {
		chips = append(chips, filterChip{text: f.s.k.T("filter.findings"), drop: func() { a.navigate.FilterFindings(false) }})
	}
	for _, t := range q.Tags {
		chips = append(chips, filterChip{text: t, drop: func() {
			a.navigate.FilterTags(slices.DeleteFunc(slices.Clone(q.Tags), func(o string) bool { return o == t }))
		}})
	}
	return chips
}

// searched returns a chip for the words of a search, and one for each of its other terms, of which words that it excludes are some.
func (f *filterBar) searched(text string, shown []preset) (chips []filterChip) {
	terms := f.s.top.searcher.terms(text)
	set := f.s.top.searcher.set
	word := func(t search.Term) bool { return t.Key == search.Word && t.Problem == search.Fine && !t.Not }
	if words := search.Without(text, func(t search.Term) bool { return !word(t) }); words != "" {
		chips = append(chips, filterChip{text: "“" + words + "”", drop: func() { set(search.Without(text, word)) }})
	}
	for _, t := range terms {
		if word(t) {
			continue
		}
		is := text[t.Start:t.End]
		if slices.ContainsFunc(shown, func(x preset) bool { return x.term == is }) {
			continue
		}
		name := is
		if note := searchhints.PresetNote(is); note != "" {
			name = f.s.k.T(note)
		}
		chips = append(chips, filterChip{text: name, wrong: t.Problem != search.Fine && t.Problem != search.Incomplete, drop: func() {
			set(search.Without(text, func(o search.Term) bool { return o.Start == t.Start }))
		}})
	}
	return chips
}
