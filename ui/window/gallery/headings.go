package gallery

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A Section is a range of images that are together, below a heading. It ends where the next one
// begins.
type Section struct {
	From  int    // index of its first image
	Title string // empty: no heading, which only the first section may have
	Note  string // shown after the title
}

// A Divider divides the answer to a query into sections, which begin at the first image. Without
// sections, there are no headings. It is called on the UI goroutine.
type Divider func(q library.Query, all []library.ListEntry) []Section

// divide sets the sections of a list of images.
func (g *Grid) divide(q library.Query, all []library.ListEntry) {
	g.sections = nil
	if g.act.Sections != nil && len(all) > 0 {
		g.sections = g.act.Sections(q, all)
	}
	from := make([]int, len(g.sections))
	for i, s := range g.sections {
		from[i] = s.From
	}
	g.flow.divide(len(all), from, len(g.sections) > 0 && g.sections[0].Title != "")
}

// Divide divides the list again, for example after the user has chosen to have headings.
func (g *Grid) Divide() { g.set(g.list, true, func() { g.divide(g.query, g.listed) }) }

// layHeadings places the headings that are in sight.
func (g *Grid) layHeadings() {
	used := 0
	off := g.scroll.Offset.Y - gridPad
	parts := g.flow.laid()
	for n := g.flow.partAt(g.flow.rowAt(off)); n < len(parts); n++ { // there may be hundreds above
		p, y := parts[n], float32(0)
		if p.head {
			y = g.flow.headTop(n)
		}
		if !p.head || y+headH < off {
			continue
		}
		if y > off+g.Size().Height {
			break
		}
		if used == len(g.headings) {
			g.headings = append(g.headings, newHeading(g))
		}
		h := g.headings[used]
		used++
		h.set(n, g.sections[n])
		kit.Place(h, gridPad-headPad, gridPad+y, min(h.MinSize().Width, g.Size().Width-2*gridPad), headH-8)
		g.sheet.objects = append(g.sheet.objects, h)
	}
}

// pickSection selects the images of a section; with Control, in addition to those that are selected.
func (g *Grid) pickSection(n int, mod fyne.KeyModifier) {
	if n >= len(g.sections) {
		return
	}
	ids := slices.Clone(g.list.ids[g.sections[n].From:g.flow.end(n)])
	if len(ids) == 0 {
		return
	}
	cursor := ids[0]
	if mod&(fyne.KeyModifierShortcutDefault|fyne.KeyModifierShift) != 0 {
		kept := slices.DeleteFunc(slices.Clone(g.sel.order), func(id string) bool { return slices.Contains(ids, id) })
		ids = append(kept, ids...)
	}
	g.sel.anchor = cursor
	g.pick(ids, cursor)
}

// headPad is the space before the text of a heading, in Fyne units.
const headPad float32 = 6

var (
	_ fyne.Tappable     = (*heading)(nil)
	_ desktop.Hoverable = (*heading)(nil)
	_ desktop.Mouseable = (*heading)(nil)
)

// A heading names a section. A click selects its images.
type heading struct {
	widget.BaseWidget
	g       *Grid
	section int
	ground  *kit.Area
	title   *kit.Line
	note    *kit.Line
	hovered bool
	mod     fyne.KeyModifier // at the press
}

func newHeading(g *Grid) *heading {
	p := g.k.P
	h := &heading{
		g: g, ground: g.k.Area(p.Window, theme.Radius),
		title: kit.NewLine("", theme.TextBody+1, p.Text, fyne.TextStyle{Bold: true}, 40),
		note:  kit.NewLine("", theme.TextBody-1, p.Muted, fyne.TextStyle{}, 20),
	}
	h.ExtendBaseWidget(h)
	return h
}

func (h *heading) set(n int, s Section) {
	if h.section == n && h.title.Full() == s.Title && h.note.Full() == s.Note {
		return
	}
	h.section = n
	h.title.Set(s.Title, nil)
	h.note.Set(s.Note, nil)
	h.Refresh()
}

// Tapped implements fyne.Tappable.
func (h *heading) Tapped(*fyne.PointEvent) {
	h.g.k.Tips.Hide()
	h.g.pickSection(h.section, h.mod)
}

// MouseDown implements desktop.Mouseable.
func (h *heading) MouseDown(e *desktop.MouseEvent) { h.mod = e.Modifier }

// MouseUp implements desktop.Mouseable.
func (h *heading) MouseUp(*desktop.MouseEvent) {}

// MouseIn implements desktop.Hoverable.
func (h *heading) MouseIn(*desktop.MouseEvent) {
	h.hover(true)
	h.g.k.Tips.Show(h, h.g.k.T("gallery.heading_tip"))
}

// MouseMoved implements desktop.Hoverable.
func (h *heading) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (h *heading) MouseOut() {
	h.hover(false)
	h.g.k.Tips.Hide()
}

func (h *heading) hover(on bool) {
	h.hovered = on
	h.ground.Paint(map[bool]interface{ RGBA() (r, g, b, a uint32) }{true: h.g.k.P.Hover, false: h.g.k.P.Window}[on], nil, 0)
	h.ground.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (h *heading) CreateRenderer() fyne.WidgetRenderer { return headingRenderer{h} }

type headingRenderer struct{ h *heading }

func (r headingRenderer) Layout(s fyne.Size) {
	h := r.h
	kit.Place(h.ground, 0, 0, s.Width, s.Height)
	w := min(h.title.PreferredWidth()+2, max(s.Width-2*headPad, 0))
	kit.Place(h.title, headPad, 0, w, s.Height)
	kit.Place(h.note, headPad+w+8, 1, max(s.Width-2*headPad-w-8, 0), s.Height)
}

func (r headingRenderer) MinSize() fyne.Size {
	h := r.h
	return fyne.NewSize(2*headPad+h.title.PreferredWidth()+2+8+h.note.PreferredWidth()+2, headH-8)
}

func (r headingRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.h.ground, r.h.title, r.h.note}
}
func (r headingRenderer) Destroy() {}
func (r headingRenderer) Refresh() {
	r.Layout(r.h.Size())
	canvas.Refresh(r.h)
}
