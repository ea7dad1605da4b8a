package window

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/kit"
)

// What a person sees is read from the objects that the window draws, not from what its parts
// know about themselves.

// A card is a plot in the grid as it is drawn.
type card struct {
	title, detail string
	stars         int
	chosen        bool // it is highlighted
}

// cards returns the plots in the grid that are drawn, from the upper left.
func (p *person) cards() (all []card) {
	type placed struct {
		card
		at fyne.Position
	}
	var found []placed
	for _, o := range test.LaidOutObjects(p.app.win.Canvas().Content()) {
		w, ok := o.(fyne.Widget)
		if !ok || fmt.Sprintf("%T", o) != "*gallery.cell" {
			continue
		}
		c := placed{at: o.Position()}
		var lines []string
		for _, part := range test.WidgetRenderer(w).Objects() {
			switch part := part.(type) {
			case *kit.Line:
				lines = append(lines, part.Full())
			case *canvas.Image:
				if part.Visible() && part.Resource != nil && strings.HasPrefix(part.Resource.Name(), "star#") {
					c.stars++
				}
			case *kit.Area:
				c.chosen = c.chosen || part.Visible() && ringed(part)
			}
		}
		if len(lines) > 1 {
			c.title, c.detail = lines[0], lines[1]
		}
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b placed) int {
		if a.at.Y != b.at.Y {
			return int(a.at.Y - b.at.Y)
		}
		return int(a.at.X - b.at.X)
	})
	for _, c := range found {
		all = append(all, c.card)
	}
	return all
}

// ringed reports whether an area is the ring around a plot that is selected.
func ringed(a *kit.Area) bool {
	for _, o := range test.WidgetRenderer(a).Objects() {
		if r, ok := o.(*canvas.Rectangle); ok && r.StrokeWidth == 2 && r.FillColor == color.Color(color.Transparent) {
			return true
		}
	}
	return false
}

// written returns the text that an object draws, without spaces.
func written(o fyne.CanvasObject) string {
	if !o.Visible() {
		return ""
	}
	var parts []fyne.CanvasObject
	switch o := o.(type) {
	case *canvas.Text:
		return strings.Join(strings.Fields(o.Text), "")
	case *fyne.Container:
		parts = o.Objects
	case fyne.Widget:
		parts = test.WidgetRenderer(o).Objects()
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(written(part))
	}
	return b.String()
}

// called returns the plot that has a title, which no other plot has.
func (p *person) called(title string) string {
	for key, value := range p.now {
		if id, ok := strings.CutSuffix(key, "/title"); ok && value == title {
			return id
		}
	}
	return ""
}

// looks compares the plots that are drawn with the diary and the selection.
func (p *person) looks() string {
	if p.app.shell.page != pageGallery || p.app.shell.full { // only the picture is shown
		return ""
	}
	if c := p.app.shell.gallery; c.comparing {
		seen := written(c.versus)
		for _, id := range c.versus.IDs() {
			if title := strings.Join(strings.Fields(p.now[id+"/title"]), ""); !strings.Contains(seen, title) {
				return fmt.Sprintf("the comparison shows %q without %q", seen, title)
			}
		}
		return ""
	}
	if p.inViewer() {
		n := p.store.Snapshot()
		if seen, title := written(p.app.shell.gallery.view), strings.Join(strings.Fields(p.now[n.Current+"/title"]), ""); !strings.Contains(seen, title) {
			return fmt.Sprintf("the viewer shows %q, not %q", seen, title)
		}
		return ""
	}
	selected, list := p.selected(), p.expected()
	if i := slices.IndexFunc(selected, func(id string) bool { return !slices.Contains(list, id) }); i >= 0 {
		return fmt.Sprintf("%s is selected, but not in view", selected[i])
	}
	if ids := p.app.shell.gallery.ids; !slices.Equal(ids, list) {
		return fmt.Sprintf("the grid lists %v, want %v", ids, list)
	}
	before := -1
	for _, c := range p.cards() {
		id := p.called(c.title)
		at := slices.Index(list, id)
		switch {
		case id == "":
			return fmt.Sprintf("a card says %q, which no plot is called", c.title)
		case at < 0 || at <= before:
			return fmt.Sprintf("%q is shown after number %d of %v", c.title, before, list)
		case c.chosen != slices.Contains(selected, id):
			return fmt.Sprintf("%q is highlighted: %v; %v is selected", c.title, c.chosen, selected)
		case strconv.Itoa(c.stars) != max(p.now[id+"/rating"], "0"):
			return fmt.Sprintf("%q shows %d stars, want %s", c.title, c.stars, p.now[id+"/rating"])
		}
		for key := range p.now {
			if tag, ok := strings.CutPrefix(key, id+"/tag/"); ok && !strings.Contains(c.detail, tag) {
				return fmt.Sprintf("%q shows %q without %s", c.title, c.detail, tag)
			}
		}
		before = at
	}
	if len(list) > 0 && before < 0 {
		return fmt.Sprintf("nothing of %v is drawn", list)
	}
	return ""
}

// expected returns the plots that the grid has to list, in order.
func (p *person) expected() (list []string) {
	n := p.store.Snapshot()
	if n.Query.Asc {
		defer func() { slices.Reverse(list) }()
	}
	for _, id := range slices.Backward(p.born) {
		rating, _ := strconv.Atoi(p.now[id+"/rating"])
		switch {
		case p.now[id+"/trashed"] != map[bool]string{true: "yes"}[p.inTrash()]:
		case rated(n) && (rating < n.Query.Rating || n.Query.RatingOp == "=" && rating > n.Query.Rating):
		case slices.ContainsFunc(n.Query.Tags, func(tag string) bool { return p.now[id+"/tag/"+tag] == "" }):
		case !p.matches(id, n.Query.Text):
		default:
			list = append(list, id)
		}
	}
	return list
}

// matches reports whether a search for a word without digits finds a plot: by its title, note
// or tags.
func (p *person) matches(id, text string) bool {
	words := p.now[id+"/title"] + "\n" + p.now[id+"/note"]
	for key := range p.now {
		if tag, ok := strings.CutPrefix(key, id+"/tag/"); ok {
			words += "\n" + tag
		}
	}
	return strings.Contains(strings.ToLower(words), strings.ToLower(text))
}

// panelLooks waits for the panel and compares it with the diary.
func (p *person) panelLooks() string {
	p.panel()
	if wrong := p.counts(); wrong != "" {
		return wrong
	}
	ids := p.subject()
	if p.at == inNote {
		ids = p.of
	}
	if p.at != inWindow && p.at != inNote || !p.app.shell.props.Object().Visible() || p.app.shell.page != pageGallery {
		return ""
	}
	if f, half := p.fieldOf(inTag), p.halves[strings.Join(ids, " ")]; f != nil && f.Text != half {
		return fmt.Sprintf("the panel of %v shows the unfinished tag %q, want %q", ids, f.Text, half)
	}
	if len(ids) != 1 {
		return ""
	}
	seen := written(p.app.shell.props.Object())
	if title := strings.Join(strings.Fields(p.now[ids[0]+"/title"]), ""); !strings.Contains(seen, title) {
		return fmt.Sprintf("the panel does not show the title %q: %q", title, seen)
	}
	note := p.now[ids[0]+"/note"]
	if p.at == inNote {
		note = p.text
	}
	if f := p.fieldOf(inNote); f == nil || note != "" && written(f) != note {
		return fmt.Sprintf("the panel of %s does not show the note %q", ids[0], note)
	}
	for key := range p.now {
		if tag, ok := strings.CutPrefix(key, ids[0]+"/tag/"); ok && !strings.Contains(seen, tag) {
			return fmt.Sprintf("the panel of %s does not show the tag %s", ids[0], tag)
		}
	}
	return ""
}

// focus compares the field that has the focus, and what it shows, with what the person types.
func (p *person) focus() string {
	f := p.focused()
	if (p.at != inWindow) != (f != nil) {
		return fmt.Sprintf("a field has the focus: %v; the person is at %q", f != nil, p.at)
	}
	if f == nil {
		return ""
	}
	prompt := f.PlaceHolder
	for _, key := range prompts {
		if prompt == p.app.shell.k.T(key) {
			prompt = key
		}
	}
	switch right := prompt == prompts[p.at]; {
	case !slices.Contains(test.LaidOutObjects(p.app.win.Canvas().Content()), fyne.CanvasObject(f)):
		return fmt.Sprintf("the field %q has the focus, and is not shown", prompt)
	case p.at == inCode && !f.TextStyle.Monospace, p.at == inTitle && p.called(prompt) == "", p.at != inCode && p.at != inTitle && !right:
		return fmt.Sprintf("another field than %q has the focus: %q", p.at, prompt)
	}
	if seen := written(f); p.text != "" && seen != strings.Join(strings.Fields(p.text), "") {
		return fmt.Sprintf("the field shows %q, want %q", seen, p.text)
	}
	return ""
}

// counts waits for the sidebar, and compares what it and the head of the grid count with the diary.
func (p *person) counts() string {
	side := p.app.shell.side
	p.q.Until(p.t, "the counts", side.Settled)
	if p.app.shell.page != pageGallery || !side.Object().Visible() {
		return ""
	}
	trashed := 0
	for _, id := range p.born {
		if p.now[id+"/trashed"] != "" {
			trashed++
		}
	}
	seen, k := written(side.Object()), p.app.shell.k
	for key, n := range map[string]int{"sidebar.all": len(p.born) - trashed, "sidebar.trash": trashed} {
		if want := strings.Join(strings.Fields(k.T(key)), "") + strings.TrimPrefix(strconv.Itoa(n), "0"); !strings.Contains(seen, want) {
			return fmt.Sprintf("the sidebar shows %q without %q", seen, want)
		}
	}
	head, want := written(p.app.shell.gallery.bar.root), strings.Join(strings.Fields(k.Tr.N("gallery.count", len(p.expected()))), "")
	if n := p.store.Snapshot(); !filtered(n) && !p.inViewer() && !p.app.shell.gallery.comparing && !strings.Contains(head, want) {
		return fmt.Sprintf("the head of the grid shows %q without %q", head, want)
	}
	return ""
}
