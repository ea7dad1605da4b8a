// Package palette finds everything that the user can do or go to by a part of its name: actions,
// sessions, settings, projects and notebooks, in the window's language and in the other.
//
// # Goroutines
//
// A Palette belongs to the UI goroutine and starts no other.
package palette

import (
	"image/color"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// An Entry is something that the palette finds.
type Entry struct {
	ID     string // the same at each start
	Name   string
	Also   []string // other texts by which it is found, for example its name in the other language
	Detail string   // what it is, shown beside the name
	Key    string   // the key that does the same, as it is shown
	Why    string   // why it is not possible now; "" if it is
	Bar    *color.NRGBA
	Quiet  bool // it is only found by what is typed, not listed without
	Do     func()
}

// A Port is what a Palette may read and do in the window.
type Port struct {
	Kit     func() *kit.Kit // in the current language
	Dialogs func() *dialogs.Host
	Entries func() []Entry     // everything that can be found now, in the order without a text
	Recent  func() []string    // the ids of entries that were used, the newest first
	Used    func(ids []string) // keeps them
}

// mostRecent is how many used entries come first.
const mostRecent = 6

// A Palette opens the sheet.
type Palette struct {
	port Port
	open *sheet
}

// New returns a Palette.
func New(p Port) *Palette { return &Palette{port: p} }

// Measures of the sheet.
const (
	wide, high float32 = 640, 452
	rowH       float32 = 32
	pad        float32 = 12
)

// A sheet is the palette while it is open.
type sheet struct {
	p     *Palette
	k     *kit.Kit
	pop   *dialogs.Dialog
	field *kit.Field
	rows  *kit.Rows
	none  *kit.Line
	all   []Entry
	found []Entry
}

// Open shows the palette. What had the focus gets it back when the palette closes.
func (p *Palette) Open() {
	k, host := p.port.Kit(), p.port.Dialogs()
	k.Tips.Hide()
	s := &sheet{p: p, k: k, all: p.port.Entries(), none: kit.NewLine("", theme.TextBody, k.P.Muted, fyne.TextStyle{}, 60)}
	s.none.Align(fyne.TextAlignCenter)
	s.field = k.Field(k.T("palette.field"))
	s.field.OnChanged = func(string) { s.search() }
	s.field.OnKey = s.key
	s.rows = k.Rows(rowH, []kit.ColumnSpec{
		{Size: theme.TextBody},
		{Width: 150, Preferred: 236, Grows: true, Size: theme.TextCaption + 1, Align: fyne.TextAlignTrailing},
		{Width: 102, Size: theme.TextCaption + 1, Align: fyne.TextAlignTrailing},
		{Width: 1},
	}, func() int { return len(s.found) }, s.fill, s.run)
	s.rows.KeepCursor()
	line := canvas.NewRectangle(k.P.Line)
	foot := kit.NewLine(k.T("palette.foot"), theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 60)
	window := host.Size()
	size := fyne.NewSize(min(wide, window.Width-48), min(high, window.Height-64))
	s.pop = host.Modal(&fyne.Container{
		Objects: []fyne.CanvasObject{s.field, line, s.rows, s.none, foot},
		Layout: kit.LayoutFunc{
			Arrange: func(_ []fyne.CanvasObject, z fyne.Size) {
				fieldH := s.field.MinSize().Height
				kit.Place(s.field, pad, pad, z.Width-2*pad, fieldH)
				top := pad + fieldH + 8
				kit.Place(line, 0, top, z.Width, 1)
				kit.Place(s.rows, 4, top+5, z.Width-8, z.Height-top-5-26)
				kit.Place(s.none, 0, top+30, z.Width, 24)
				kit.Place(foot, pad+4, z.Height-25, z.Width-2*pad-8, 22)
			},
			Min: func([]fyne.CanvasObject) fyne.Size { return size },
		},
	})
	p.open = s
	s.search()
	host.Focus(s.field)
}

// Shown reports whether the palette is open.
func (p *Palette) Shown() bool { return p.open != nil && p.open.pop.Visible() }

// search lists what matches the field's text.
func (s *sheet) search() {
	s.found = find(s.all, s.field.Text, s.p.port.Recent())
	none := ""
	if len(s.found) == 0 {
		none = s.k.T("palette.none", s.field.Text)
	}
	s.none.Set(none, nil)
	kit.SetVisible(s.none, none != "")
	s.rows.Update()
	s.rows.SetCursor(0)
	s.rows.ScrollToTop()
}

// fill returns the cells of a row. What is not possible now is dim, with the reason.
func (s *sheet) fill(i int) []kit.Cell {
	e := s.found[i]
	name := kit.Cell{Text: e.Name, Bar: e.Bar}
	detail := kit.Cell{Text: e.Detail, Ink: s.k.P.Muted}
	key := kit.Cell{Text: e.Key, Ink: s.k.P.Muted}
	if e.Why != "" {
		name.Ink, detail.Text = s.k.P.Muted, e.Why
	}
	return []kit.Cell{name, detail, key, {}}
}

// key handles the keys that move in the list, although the field has the focus.
func (s *sheet) key(name fyne.KeyName) bool {
	//exhaustive:ignore
	switch name {
	case fyne.KeyDown, fyne.KeyUp:
		n := len(s.found)
		switch at := s.rows.Cursor(); { // around the ends, as in menus
		case n > 0 && name == fyne.KeyDown && at == n-1:
			s.rows.SetCursor(0)
		case n > 0 && name == fyne.KeyUp && at <= 0:
			s.rows.SetCursor(n - 1)
		default:
			s.rows.Step(name)
		}
	case fyne.KeyPageDown, fyne.KeyPageUp:
		s.rows.Step(name)
	case fyne.KeyReturn, fyne.KeyEnter:
		if at := s.rows.Cursor(); at >= 0 {
			s.run(at)
		}
	case fyne.KeyEscape:
		s.pop.Hide()
	default:
		return false
	}
	return true
}

// run closes the palette and does what an entry does. One that is not possible now stays, with
// its reason.
func (s *sheet) run(i int) {
	e := s.found[i]
	if e.Why != "" {
		return
	}
	recent := append([]string{e.ID}, slices.DeleteFunc(slices.Clone(s.p.port.Recent()), func(id string) bool { return id == e.ID })...)
	s.p.port.Used(recent[:min(len(recent), mostRecent)])
	s.pop.Hide()
	e.Do()
}

// Listed returns the rows that the palette shows, for tests: name, detail and key.
func (p *Palette) Listed() (rows []string) {
	for i := range p.open.found {
		var cells []string
		for _, c := range p.open.fill(i)[:3] {
			cells = append(cells, c.Text)
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	return rows
}
