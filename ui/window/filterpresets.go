package window

import (
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/library/search"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/searchhints"
	"easel/ui/window/theme"
)

// A preset is a search above the grid that a click begins and another one ends.
type preset struct {
	name, term string // term is empty for a saved search
	on         bool
	toggle     func()
}

// What makes presets worth their row: so many plots in the folder, and so much height of the gallery, in Fyne's units.
const (
	presetsFrom         = 40
	presetsHigh float32 = 460
)

// presets returns the times that the search offers, and the saved searches. In a small gallery, or one of few plots, there
// are none.
func (f *filterBar) presets() (all []preset) {
	n, set := f.snap, f.s.top.searcher.set
	if n == nil || !f.tall || n.Total < presetsFrom || n.Folder.Kind != state.AllSessions && n.Folder.Kind != state.OneSession {
		return nil
	}
	text := n.Query.Text
	for _, p := range searchhints.Presets() {
		is := func(t search.Term) bool { return text[t.Start:t.End] == p.Term }
		x := preset{name: f.s.k.T(p.Note), term: p.Term, toggle: func() { set(search.With(text, p.Term, search.Term.Timed)) }}
		for _, t := range f.s.top.searcher.terms(text) {
			if is(t) {
				x.on, x.toggle = true, func() { set(search.Without(text, is)) }
			}
		}
		all = append(all, x)
	}
	for _, s := range n.Settings.Searches.All() {
		x := preset{name: s.Name, on: strings.TrimSpace(text) == s.Text, toggle: func() { set(s.Text) }}
		if x.on {
			x.toggle = func() { set("") }
		}
		all = append(all, x)
	}
	return all
}

// presetChips returns the chips of presets, as many as there is room for beside those of the filters: one that is on stays.
func presetChips(k *kit.Kit, all []preset, room float32) (chips []fyne.CanvasObject, shown []preset, used float32) {
	for _, on := range []bool{true, false} { // those that are on come first to their room
		for i := range all {
			if all[i].on != on {
				continue
			}
			if w := presetChip(k, all[i]).MinSize().Width + chipGap; on || used+w <= room {
				used += w
			} else {
				all[i].toggle = nil
			}
		}
	}
	for _, x := range all {
		if x.toggle != nil {
			chips, shown = append(chips, presetChip(k, x)), append(shown, x)
		}
	}
	return chips, shown, used
}

func presetChip(k *kit.Kit, x preset) *kit.Chip {
	return k.Chip(kit.Shorten(x.name, 2*chipMost, theme.TextBody-1, fyne.TextStyle{}), x.on, x.on, x.toggle)
}
