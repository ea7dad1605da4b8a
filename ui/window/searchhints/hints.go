// Package searchhints has what appears below the search field: how a search can go on, and what is wrong
// with it.
//
// # Goroutines
//
// Everything belongs to the UI goroutine.
package searchhints

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library/search"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Measures of the hints, in Fyne's units.
const (
	rowHigh  float32 = 26
	pad      float32 = 5
	labelMin float32 = 132
	least    float32 = 330
)

// Hints are below the search field while the user types in it.
type Hints struct {
	k      *kit.Kit
	choose func(Suggestion)
	root   *fyne.Container
	ground *kit.Area
	wrong  *kit.Para
	sign   *canvas.Image
	rows   []*kit.Tap

	all     []Suggestion
	at      int // of all, which the user has moved to; -1: none
	problem string
	top     fyne.Position // of the hints, right
	most    float32       // height
}

// NewHints returns hints that are hidden. choose is called with what the user chooses.
func NewHints(k *kit.Kit, choose func(Suggestion)) *Hints {
	h := &Hints{k: k, choose: choose, at: -1, ground: k.Area(k.P.Raised, theme.Radius)}
	h.ground.Paint(k.P.Raised, k.P.Edge, 1)
	h.wrong = kit.NewPara("", theme.TextCaption+1, k.P.Warn, fyne.TextStyle{})
	h.sign = kit.Icon("warning", k.P.Warn, 14)
	h.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}}}
	h.root.Hide()
	return h
}

// Object returns what is drawn above the window.
func (h *Hints) Object() fyne.CanvasObject { return h.root }

// Place sets the upper right corner of the hints, and their greatest height.
func (h *Hints) Place(right fyne.Position, most float32) {
	if h.top != right || h.most != most {
		h.top, h.most = right, most
		h.arrange()
	}
}

// Show shows suggestions, and what is wrong with the search. It hides the hints if there is nothing.
func (h *Hints) Show(all []Suggestion, problem string) {
	if h.root.Visible() && problem == h.problem && slices.Equal(all, h.all) {
		return
	}
	h.all, h.problem, h.at, h.rows = all, problem, -1, nil
	if len(all) == 0 && problem == "" {
		h.Hide()
		return
	}
	h.root.Objects = []fyne.CanvasObject{h.ground}
	if problem != "" {
		h.wrong.Set(problem)
		h.root.Objects = append(h.root.Objects, h.sign, h.wrong)
	}
	for i, s := range all {
		row := h.row(i, s)
		h.rows = append(h.rows, row)
		h.root.Objects = append(h.root.Objects, row)
	}
	h.root.Show()
	h.arrange()
	h.root.Refresh()
}

// row returns the row of a suggestion.
func (h *Hints) row(i int, s Suggestion) *kit.Tap {
	label := kit.NewLine(h.k.T(s.Label), theme.TextBody, h.k.P.Text, fyne.TextStyle{}, 20)
	note := kit.NewLine(h.k.T(s.Note), theme.TextCaption, h.k.P.Muted, fyne.TextStyle{}, 20)
	content := &fyne.Container{Objects: []fyne.CanvasObject{label, note}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			wide := min(max(label.PreferredWidth()+14, labelMin), size.Width-16)
			if s.Note == "" {
				wide = size.Width - 16
			}
			kit.Place(label, 8, 0, wide, size.Height)
			kit.Place(note, 8+wide, 0, max(size.Width-16-wide, 0), size.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, rowHigh) },
	}}
	return h.k.Tap(content, color.Transparent, "", func() { h.choose(h.all[i]) })
}

// arrange places everything. Rows without room are not shown.
func (h *Hints) arrange() {
	if !h.root.Visible() {
		return
	}
	y := pad
	if h.problem != "" {
		high := h.wrong.HeightFor(least - 44)
		kit.Place(h.sign, pad+8, y+4, 14, 14)
		kit.Place(h.wrong, pad+30, y+3, least-44, high)
		y += high + 8
	}
	for _, row := range h.rows {
		kit.SetVisible(row, y+rowHigh+pad <= h.most)
		if row.Visible() {
			kit.Place(row, pad, y, least-2*pad, rowHigh)
			y += rowHigh
		}
	}
	kit.Place(h.root, h.top.X-least, h.top.Y, least, y+pad)
	kit.Place(h.ground, 0, 0, least, y+pad)
}

// Hide hides the hints.
func (h *Hints) Hide() {
	h.all, h.problem, h.at = nil, "", -1
	if h.root.Visible() {
		h.root.Hide()
		h.root.Refresh()
	}
}

// Shown reports whether the hints are shown.
func (h *Hints) Shown() bool { return h.root.Visible() }

// Under reports whether the pointer is over the hints.
func (h *Hints) Under() bool { return h.k.Under(h.root) }

// Key handles a key of the search field: the arrows move among the suggestions, Enter chooses one. It
// reports whether it did.
func (h *Hints) Key(name fyne.KeyName) bool {
	if len(h.all) == 0 || !h.root.Visible() {
		return false
	}
	//exhaustive:ignore
	switch name {
	case fyne.KeyDown:
		return h.move(h.at + 1)
	case fyne.KeyUp:
		return h.move(max(h.at-1, -1))
	case fyne.KeyReturn, fyne.KeyEnter:
		if h.at >= 0 {
			h.choose(h.all[h.at])
			return true
		}
	}
	return false
}

// move moves to a suggestion. It reports whether there is one.
func (h *Hints) move(to int) bool {
	if to >= len(h.all) || to >= 0 && !h.rows[to].Visible() {
		return false
	}
	if h.at >= 0 {
		h.rows[h.at].SetBase(color.Transparent)
	}
	if h.at = to; to >= 0 {
		h.rows[to].SetBase(h.k.P.Selected)
	}
	return true
}

// Problem returns what is wrong with a search, or "". A term that the user is typing is not wrong
// because it is incomplete: it ends where the caret is, a number of characters, or -1.
func Problem(k *kit.Kit, text string, terms search.Terms, caret int) string {
	at := -1
	if caret >= 0 {
		at = offset(text, caret)
	}
	for _, t := range terms.Wrong() {
		typing := t.Start < at && at <= t.End
		if typing && (t.Problem == search.Incomplete || t.Problem == search.Unclosed) {
			continue
		}
		if typing && at == t.End && mayGoOn(t) {
			continue
		}
		return k.T("find.problem."+string(t.Problem), text[t.Start:t.End])
	}
	return ""
}

// mayGoOn reports whether a term that is wrong may become right by typing on.
func mayGoOn(t search.Term) bool {
	for _, v := range values(t.Key, Vocabulary{}) {
		if typed := search.Fold(t.Value); len(typed) < len(v) && v[:len(typed)] == typed {
			return true
		}
	}
	return false
}
