package properties

import (
	"image/color"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// An edit has the fields of what is shown. It outlives a reading of the library, so
// that nothing that is being typed is lost when an image changes meanwhile.
type edit struct {
	p     *Panel
	ids   []string
	image library.Image
	known []library.TagCount

	title *kit.Field // nil unless the title is being edited
	note  *kit.Field
	tag   *kit.Field
	hints *fyne.Container // known tags that begin with what is typed
	tags  []string        // that all have
}

// mostHints is how many known tags are offered.
const mostHints = 8

// edits are the fields for f: those that there are, if it is the same selection.
func (p *Panel) edits(f facts) *edit {
	e := p.edit
	if e == nil || !slices.Equal(e.ids, f.ids) {
		e = &edit{p: p, ids: f.ids}
		p.edit = e
	}
	e.known = f.tags
	if len(f.images) == 1 {
		was := e.image
		e.image = f.images[0]
		if e.note != nil && e.note.Text == was.Note {
			e.note.SetText(e.image.Note)
		}
	}
	return e
}

// ours tells whether the image is the library's: a file on disk has the name that it
// has there.
func (e *edit) ours() bool { return e.image.SessionID != "" }

// head is the title, which a click lets be edited.
func (e *edit) head() fyne.CanvasObject {
	k := e.p.k
	if e.title != nil {
		return e.title
	}
	title := kit.NewPara(gallery.Title(k, e.image), theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true})
	if problem := e.problem(); problem != "" {
		mark := kit.Box(k.State(kit.MarkWait, 12), fyne.NewSize(18, 18))
		return kit.NewStack(6, title, k.Leading(mark, kit.NewPara(problem, 12, k.P.Warn, fyne.TextStyle{})))
	}
	if !e.ours() || e.p.act.SetTitle == nil {
		return title
	}
	pen := k.Button(kit.Ghost, "edit", "", k.T("properties.rename"), e.p.Rename).Small()
	return k.Trailing(k.Tap(title, color.Transparent, "", e.p.Rename), pen)
}

// problem returns why the image cannot be shown properly, or "".
func (e *edit) problem() string {
	if key := problems[e.image.Problem]; key != "" {
		return e.p.k.T(key)
	}
	return gallery.NotDrawn(e.p.k, e.image)
}

// problems are the keys of why a file cannot be shown as it should.
var problems = map[string]string{
	library.ProblemEmpty: "problem.empty_file", library.ProblemNoPicture: "problem.no_picture", library.ProblemTooLarge: "problem.too_large",
	library.ProblemDamaged: "problem.damaged", library.ProblemCut: "problem.cut_off", library.ProblemUnreadable: "problem.unreadable",
	library.ProblemMisnamed: "problem.misnamed",
}

// Rename lets the user type a title.
func (p *Panel) Rename() {
	e := p.edit
	if e == nil || len(p.shown.images) != 1 || !e.ours() || p.act.SetTitle == nil {
		return
	}
	if e.title == nil {
		e.title = p.k.Field(gallery.Title(p.k, e.image))
		e.title.SetText(e.image.Title)
		e.title.Forward = p.act.Forward
		done := func(keep bool) {
			f := e.title
			if f == nil {
				return
			}
			e.title = nil
			if text := strings.TrimSpace(f.Text); keep && text != e.image.Title {
				p.act.SetTitle(e.image.ImageID, text)
			}
			if p.edit == e {
				p.show(p.shown)
			}
		}
		e.title.OnSubmitted = func(string) {
			done(true)
			p.act.Focus(nil) // a field that is gone must take no keys
		}
		e.title.OnLeave = func() { done(true) }
		e.title.OnEsc = func() { done(false) }
		p.show(p.shown)
	}
	p.act.Focus(e.title)
}

// notes is the field of the note.
func (e *edit) notes() fyne.CanvasObject {
	if !e.ours() || e.p.act.SetNote == nil {
		return nil
	}
	if e.note == nil {
		e.note = e.p.k.Note(e.p.k.T("properties.add_note"))
		e.note.SetText(e.image.Note)
		e.note.Forward = e.p.act.Forward
		id := e.image.ImageID
		e.note.OnLeave = func() {
			if e.note.Text != e.image.Note {
				e.p.act.SetNote(id, e.note.Text)
			}
		}
		e.note.OnChanged = func(string) { e.p.column.Relayout() }
	}
	lines := min(max(strings.Count(e.note.Text, "\n")+1+len(e.note.Text)/44, 2), 8)
	return kit.Box(e.note, fyne.NewSize(60, float32(lines)*19+18))
}

// field is where tags are typed; known ones are offered under it.
func (e *edit) field(tags []string) []fyne.CanvasObject {
	k := e.p.k
	e.tags = tags
	if e.tag == nil {
		e.tag = e.p.k.Field(k.T("properties.add_tag"))
		e.hints = &fyne.Container{Layout: kit.Row{Gap: 5, Stretch: -1}}
		e.tag.Forward = e.p.act.Forward
		e.tag.OnChanged = func(string) { e.offer() }
		e.tag.OnSubmitted = e.add
		e.tag.OnTab = func() bool {
			found := e.matching()
			if len(found) == 0 {
				return false
			}
			e.complete(found[0])
			return true
		}
		e.hints.Hide()
	}
	return []fyne.CanvasObject{e.tag, e.hints}
}

// FocusTags puts the keys into the field of the tags.
func (p *Panel) FocusTags() {
	if p.edit != nil && p.edit.tag != nil {
		p.act.Focus(p.edit.tag)
	}
}

// add gives the tags that are typed, parted by commas.
func (e *edit) add(text string) {
	var add []string
	for t := range strings.SplitSeq(text, ",") {
		if t = strings.TrimSpace(t); t != "" {
			add = append(add, t)
		}
	}
	if len(add) > 0 {
		e.p.act.Tag(e.ids, add, nil)
		e.tag.SetText("")
	}
}

// typed is the part of the text that the cursor is in: what is behind the last
// comma.
func (e *edit) typed() (before, word string) {
	i := strings.LastIndexByte(e.tag.Text, ',') + 1
	return e.tag.Text[:i], strings.TrimSpace(e.tag.Text[i:])
}

// matching are the known tags that begin as what is typed, which all images do not
// yet have.
func (e *edit) matching() (found []string) {
	_, word := e.typed()
	if word == "" {
		return nil
	}
	for _, t := range e.known {
		if len(found) < mostHints && len(t.Name) >= len(word) && strings.EqualFold(t.Name[:len(word)], word) && !slices.Contains(e.tags, t.Name) {
			found = append(found, t.Name)
		}
	}
	return found
}

func (e *edit) complete(tag string) {
	before, _ := e.typed()
	if before == "" {
		e.add(tag)
		return
	}
	e.add(before + tag)
}

func (e *edit) offer() {
	e.hints.Objects = nil
	for _, t := range e.matching() {
		e.hints.Objects = append(e.hints.Objects, e.p.k.Chip(t, true, false, func() {
			e.complete(t)
			e.p.act.Focus(e.tag)
		}))
	}
	if len(e.hints.Objects) > 0 {
		e.hints.Show()
	} else {
		e.hints.Hide()
	}
	e.hints.Refresh()
	e.p.column.Relayout()
}
