package sidebar

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// looks returns what a row looks like.
func (b *Bar) looks(r row) string {
	var bar color.NRGBA
	if r.bar != nil {
		bar = *r.bar
	}
	return fmt.Sprintf("%q %q %q %q %q %q %d %v %v %v %q %v %v %v", r.id, r.icon, r.name, r.detail, r.usage, r.count, r.mark, r.on, r.pin,
		r.folded, r.fold, r.project != nil, r.small, bar)
}

// print tells apart what the rows and the tags look like.
func (b *Bar) print(rows []row) string {
	var s strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&s, "%s %q\n", b.looks(r), r.tip)
	}
	for _, t := range b.known.tags {
		fmt.Fprintf(&s, "%q %d\n", t.Name, t.Count)
	}
	fmt.Fprintf(&s, "%q", b.snap.Query.Tags)
	return s.String()
}

// draw shows the rows, unless they are shown already. While the pointer is pressed on one, it waits.
// Rows that stay keep their objects, and with them the focus and the highlight under the pointer.
func (b *Bar) draw() {
	if b.snap == nil || b.k.Pressed(b.column, b.draw) {
		return
	}
	rows := b.rows()
	drawn := b.print(rows)
	if drawn == b.fingerprint {
		return
	}
	b.fingerprint = drawn
	focused, was := b.focused(), make(map[string]stop, len(b.stops))
	for _, s := range b.stops {
		was[s.id] = s
	}
	b.stops, b.chips = b.stops[:0:0], nil
	var os []fyne.CanvasObject
	for _, r := range rows {
		if r.tags {
			os = append(os, b.title(r), b.tags())
			continue
		}
		if r.tap == nil {
			os = append(os, b.title(r))
			continue
		}
		r.id = cmp.Or(r.id, r.icon)
		if r.icon == "none" {
			os = append(os, b.none(r))
			continue
		}
		s, ok := was[r.id]
		if !ok {
			s = b.stop(r)
		}
		delete(was, r.id)
		b.fill(&s, r)
		b.stops = append(b.stops, s)
		os = append(os, s.Stop)
	}
	tag := b.tagRover.Focused()
	reached := make([]fyne.CanvasObject, len(b.stops))
	for i, s := range b.stops {
		reached[i] = s.Stop
	}
	b.rover.Set(reached...)
	pointed := slices.ContainsFunc(b.stops, func(s stop) bool { return s.Hovered() })
	b.column.SetRows(os...)
	if i := b.at(focused); i >= 0 && focused != "" && !b.stops[i].Focused() {
		b.rover.To(b.stops[i].Stop)
		b.act.Focus(b.stops[i].Stop)
	}
	b.tagRover.Set(b.chips...)
	b.tagRover.Refocus(tag)
	for _, s := range b.stops {
		s.Hover(pointed && b.k.Under(s.Stop))
	}
}

// A stop is a row that the keyboard reaches.
type stop struct {
	id string
	*kit.Stop
	content *fyne.Container
	looks   string
}

// stop returns an empty stop for a row.
func (b *Bar) stop(r row) stop {
	content := container.NewStack()
	return stop{id: r.id, content: content, Stop: b.k.Stop(content, color.Transparent, r.tip, r.tap)}
}

// at returns the index of the stop with an id, or -1.
func (b *Bar) at(id string) int {
	return slices.IndexFunc(b.stops, func(s stop) bool { return s.id == id })
}

// focused returns the id of the row with the focus, or "".
func (b *Bar) focused() string {
	if i := slices.IndexFunc(b.stops, func(s stop) bool { return s.Focused() }); i >= 0 {
		return b.stops[i].id
	}
	return ""
}

// under returns the position under a row, for its menu.
func (b *Bar) under(id string) fyne.Position {
	i := b.at(id)
	if i < 0 {
		return fyne.Position{}
	}
	o := b.stops[i].Stop
	return fyne.CurrentApp().Driver().AbsolutePositionForObject(o).AddXY(16, o.Size().Height)
}

// key handles a key on a row. It reports whether it used it.
func (b *Bar) key(r row, name fyne.KeyName) bool {
	i := b.at(r.id)
	//exhaustive:ignore
	switch name {
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyHome, fyne.KeyEnd:
		//exhaustive:ignore
		switch name {
		case fyne.KeyUp:
			i--
		case fyne.KeyDown:
			i++
		case fyne.KeyHome:
			i = 0
		case fyne.KeyEnd:
			i = len(b.stops) - 1
		}
		if i >= 0 && i < len(b.stops) {
			b.rover.To(b.stops[i].Stop)
			b.act.Focus(b.stops[i].Stop)
			b.column.Reveal(b.stops[i].Stop)
		}
	case fyne.KeyLeft, fyne.KeyRight:
		if r.fold != "" {
			b.fold(r.fold, name == fyne.KeyLeft)
		}
	default:
		return false
	}
	return true
}

// title returns the title of a section.
func (b *Bar) title(r row) fyne.CanvasObject {
	section := b.k.Section(r.name)
	if r.add != nil {
		section = b.k.Section(r.name, b.k.Button(kit.Ghost, "plus", "", r.tip, r.add).Small())
	}
	return kit.Box(kit.PadRow(8, 0, 0, section), fyne.NewSize(0, 32))
}

// none returns the row that says that there are no sessions.
func (b *Bar) none(r row) fyne.CanvasObject {
	return kit.Box(kit.PadRow(8, 0, 0, kit.NewLine(r.name, 12, b.k.P.Muted, fyne.TextStyle{}, 20)), fyne.NewSize(0, 28))
}

// fill shows a row in its stop.
func (b *Bar) fill(s *stop, r row) {
	var base color.Color = color.Transparent
	if r.on {
		base = b.k.P.Selected
	}
	s.Change(base, r.tip, r.tap)
	s.OnKey = func(name fyne.KeyName) bool { return b.key(r, name) }
	s.OnSecondary(nil)
	if r.menu != nil {
		s.OnSecondary(func(e *fyne.PointEvent) { r.menu(e.AbsolutePosition) })
	}
	if looks := b.looks(r); looks != s.looks {
		s.looks, s.content.Objects = looks, []fyne.CanvasObject{b.content(r)}
		s.content.Refresh()
	}
}

// content returns what a row consists of.
func (b *Bar) content(r row) fyne.CanvasObject {
	switch {
	case r.project != nil:
		return b.head(r)
	case r.fold != "":
		return b.foldLine(r)
	case r.small:
		return b.line(r)
	case r.bar != nil:
		return b.session(r)
	default:
		return b.plain(r)
	}
}

// laid returns a row of a height. arrange gets its width.
func laid(high float32, arrange func(w float32), os ...fyne.CanvasObject) fyne.CanvasObject {
	return &fyne.Container{Objects: os, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) { arrange(s.Width) },
		Min:     func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(80, high) },
	}}
}

// plain returns the content of a row with an icon and a count.
func (b *Bar) plain(r row) fyne.CanvasObject {
	const high float32 = 32
	k, tint := b.k, b.k.P.Muted
	if r.on {
		tint = k.P.Accent
	}
	icon := kit.Icon(r.icon, tint, 16)
	name := kit.NewLine(r.name, theme.TextBody, k.P.Text, fyne.TextStyle{Bold: r.on}, 20)
	count := kit.Text(r.count, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	return laid(high, func(w float32) {
		cm := count.MinSize()
		right := w - 10 - cm.Width
		kit.Place(count, right, (high-cm.Height)/2, cm.Width, cm.Height)
		kit.Place(icon, 10, (high-16)/2, 16, 16)
		kit.Place(name, 34, 0, right-34-6, high)
	}, icon, name, count)
}

// session returns the content of a session's row.
func (b *Bar) session(r row) fyne.CanvasObject {
	const high, x float32 = 44, 22
	k := b.k
	bar := kit.Fill(*r.bar, 2)
	name := kit.NewLine(r.name, theme.TextBody, k.P.Text, fyne.TextStyle{Bold: r.on}, 20)
	count := kit.Text(r.count, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	usage := kit.Text(r.usage, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	detail := kit.NewLine(r.detail, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 20)
	mark := k.State(r.mark, 9)
	pin := kit.Icon("pin", k.P.Muted, 13)
	pin.Hidden = !r.pin
	return laid(high, func(w float32) {
		cm := count.MinSize()
		right := w - 10 - cm.Width
		um, below := usage.MinSize(), right // where the second line ends
		if r.usage != "" {
			below = w - 10 - um.Width
			kit.Place(count, right, 4+(19-cm.Height)/2, cm.Width, cm.Height)
			kit.Place(usage, below, 23+(17-um.Height)/2, um.Width, um.Height)
		} else {
			kit.Place(count, right, (high-cm.Height)/2, cm.Width, cm.Height)
		}
		kit.Place(bar, 9, 8, 4, high-16)
		if r.pin && r.usage != "" {
			right -= 17
			kit.Place(pin, right+1, 4+(19-13)/2, 13, 13)
		} else if r.pin {
			right -= 17
			below = right
			kit.Place(pin, right+1, (high-13)/2, 13, 13)
		}
		kit.Place(name, x, 4, right-x-6, 19)
		if r.mark != kit.MarkNone {
			mm := mark.MinSize()
			kit.Place(mark, x, 23+(17-mm.Height)/2, mm.Width, mm.Height)
			kit.Place(detail, x+mm.Width+5, 23, below-x-mm.Width-11, 17)
			return
		}
		kit.Place(detail, x, 23, below-x-6, 17)
	}, bar, name, count, detail, usage, mark, pin)
}

// head returns the content of the row with a project's name.
func (b *Bar) head(r row) fyne.CanvasObject {
	const high float32 = 34
	k, root := b.k, r.project.root
	arrow := kit.Icon(foldIcon(r.folded), k.P.Muted, 12)
	name := kit.NewLine(r.name, theme.TextBody, k.P.Text, fyne.TextStyle{Bold: true}, 20)
	count := kit.Text(r.count, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	mark := k.State(r.mark, 9)
	add := k.Button(kit.Ghost, "plus", "", k.T("projects.new_session"), func() { b.act.Projects.NewSession(root) }).Small().MouseOnly()
	var more *kit.Button
	more = k.Button(kit.Ghost, "more", "", k.T("projects.menu"), func() {
		b.act.Projects.Menu(root, fyne.CurrentApp().Driver().AbsolutePositionForObject(more).AddXY(0, more.Size().Height))
	}).Small().MouseOnly()
	return laid(high, func(w float32) {
		right := w - 4
		for _, o := range []fyne.CanvasObject{more, add} {
			m := o.MinSize()
			right -= m.Width
			kit.Place(o, right, (high-m.Height)/2, m.Width, m.Height)
		}
		right -= 4
		if r.count != "" {
			m := count.MinSize()
			right -= m.Width
			kit.Place(count, right, (high-m.Height)/2, m.Width, m.Height)
			right -= 5
		}
		if r.mark != kit.MarkNone {
			m := mark.MinSize()
			right -= m.Width
			kit.Place(mark, right, (high-m.Height)/2, m.Width, m.Height)
			right -= 5
		}
		kit.Place(arrow, 6, (high-12)/2, 12, 12)
		kit.Place(name, 22, 0, right-22, high)
	}, arrow, name, count, mark, add, more)
}

// line returns the content of a small row: of a project its Python, or a notebook; or a subfolder.
func (b *Bar) line(r row) fyne.CanvasObject {
	const high float32 = 26
	k := b.k
	name := kit.NewLine(r.name, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 20)
	switch r.icon {
	case "":
		return laid(high, func(w float32) { kit.Place(name, 22, 0, w-32, high) }, name)
	case "chevron-down":
		icon := kit.Icon(r.icon, k.P.Muted, 10)
		return laid(high, func(w float32) {
			kit.Place(name, 22, 0, w-22-26, high)
			kit.Place(icon, w-20, (high-10)/2, 10, 10)
		}, name, icon)
	}
	ink := k.P.Muted
	if r.icon == "warning" {
		ink = k.P.Warn
	}
	icon := kit.Icon(r.icon, ink, 14)
	count := kit.Text(r.count, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	return laid(high, func(w float32) {
		cm := count.MinSize()
		kit.Place(icon, 21, (high-14)/2, 14, 14)
		kit.Place(name, 40, 0, w-50-cm.Width, high)
		kit.Place(count, w-10-cm.Width, (high-cm.Height)/2, cm.Width, cm.Height)
	}, name, icon, count)
}

func (b *Bar) tags() fyne.CanvasObject {
	for _, t := range b.known.tags {
		on := slices.Contains(b.snap.Query.Tags, t.Name)
		b.chips = append(b.chips, b.k.Chip(t.Name+"  "+i18n.Number(t.Count).String(), on, false, func() {
			tags := slices.Clone(b.snap.Query.Tags)
			if on {
				tags = slices.DeleteFunc(tags, func(o string) bool { return o == t.Name })
			} else {
				tags = append(tags, t.Name)
			}
			b.act.Tags(tags)
		}))
	}
	return kit.Inset(8, kit.NewFlow(5, b.chips...))
}
