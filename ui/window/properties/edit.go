package properties

import (
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// An edit contains the input fields for the selection. It survives when the library is
// read again, so that what the user is typing is not lost when an image changes
// meanwhile.
type edit struct {
	p     *Panel
	ids   []string
	image library.Image
	known []library.TagCount

	title *kit.Field // nil unless the title is being edited
	note  *kit.Field
	tag   *kit.Field
	hints *fyne.Container // known tags that start with the typed text
	tags  []string        // tags that all images of the selection have

	stored  string // the note as it was read or stored last
	storing int    // requests to store it
	fresh   int    // the first request to the reader that sees what was stored
}

// mostHints is the maximum number of known tags that are suggested.
const mostHints = 8

// edits returns the input fields for f. It reuses the current ones if the selection is
// the same.
func (p *Panel) edits(f facts) *edit {
	e := p.edit
	if e == nil || !slices.Equal(e.ids, f.ids) {
		p.keepTag()
		e = &edit{p: p, ids: f.ids}
		p.edit = e
	}
	e.known = f.tags
	if len(f.images) == 1 {
		e.image = f.images[0]
		e.reread(f.ask)
	}
	return e
}

// reread shows the note that was read, unless the user is typing another one, or it was read
// before the last one was stored.
func (e *edit) reread(ask int) {
	if e.note == nil || e.note.Text != e.stored || e.storing > 0 || ask < e.fresh || e.p.focused(e.note) {
		return
	}
	if e.stored = e.image.Note; e.note.Text != e.stored {
		e.note.OnChanged = nil // nobody types this
		e.note.SetText(e.stored)
		e.note.OnChanged = e.typed
	}
}

// typed is called when the user changes the note.
func (e *edit) typed(text string) {
	e.p.act.TypeNote(e.image.ImageID, text)
	e.p.column.Relayout()
}

func (e *edit) entered() { e.p.act.Entered(e.ids) }

// leaveNote stores the note.
func (e *edit) leaveNote() {
	text := e.note.Text
	if text == e.stored {
		if _, typed := e.p.act.Note(e.image.ImageID); !typed {
			return
		}
	}
	e.storing++
	e.p.act.EndNote(e.image.ImageID, func() {
		e.storing--
		e.fresh = e.p.asked + 1
		if _, unsaved := e.p.act.Note(e.image.ImageID); !unsaved {
			e.stored = text
		}
	})
}

// ours reports whether the image is in the library. A file on disk is not; its name is
// the file name.
func (e *edit) ours() bool { return e.image.SessionID != "" }

// head returns the title, which the user can edit by clicking it, or its field while it
// is being edited.
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
	if !e.ours() || e.p.act.EndTitle == nil {
		return title
	}
	pen := k.Button(kit.Ghost, "edit", "", k.T("properties.rename"), e.p.Rename).Small()
	named := k.Trailing(k.Tap(title, color.Transparent, "", e.p.Rename), pen)
	if missing := gallery.NotLoaded(k, e.image); missing != "" {
		return kit.NewStack(6, named, kit.NewPara(missing, 12, k.P.Muted, fyne.TextStyle{}))
	}
	return named
}

// problem returns why the image cannot be shown properly, or "".
func (e *edit) problem() string {
	if key := problems[e.image.Problem]; key != "" {
		return e.p.k.T(key)
	}
	return gallery.NotDrawn(e.p.k, e.image)
}

// problems maps the library's problems to message IDs.
var problems = map[string]string{
	library.ProblemEmpty: "problem.empty_file", library.ProblemNoPicture: "problem.no_picture", library.ProblemTooLarge: "problem.too_large",
	library.ProblemDamaged: "problem.damaged", library.ProblemCut: "problem.cut_off", library.ProblemUnreadable: "problem.unreadable",
	library.ProblemMisnamed: "problem.misnamed",
}

// Rename lets the user type a title.
func (p *Panel) Rename() {
	e := p.edit
	if e == nil || len(p.shown.images) != 1 || !e.ours() || p.act.EndTitle == nil {
		return
	}
	if e.title == nil {
		e.title = p.k.Field(gallery.Title(p.k, e.image))
		e.title.SetText(e.image.Title)
		e.title.Forward, e.title.OnEnter = p.act.Forward, e.entered
		id := e.image.ImageID
		e.title.OnChanged = func(text string) { p.act.TypeTitle(id, strings.TrimSpace(text)) }
		done := func(keep bool) {
			f := e.title
			if f == nil {
				return
			}
			e.title = nil
			if keep && strings.TrimSpace(f.Text) != e.image.Title {
				p.act.EndTitle(id)
			} else {
				p.act.DropTitle(id)
			}
			if p.edit == e {
				p.show(p.shown)
			}
			p.release()
		}
		e.title.OnSubmitted = func(string) {
			done(true)
			p.act.Focus(nil) // the field is removed, so it must not keep the focus
		}
		e.title.OnLeave = func() { done(true) }
		e.title.OnEsc = func() { done(false) }
		p.show(p.shown)
	}
	p.act.Focus(e.title)
}

// notes returns the field for the note, with the line that says who else reads it, or nil if the
// image cannot have one.
func (e *edit) notes() fyne.CanvasObject {
	if !e.ours() || e.p.act.EndNote == nil {
		return nil
	}
	if e.note == nil {
		e.note = e.p.k.Note(e.p.k.T("properties.add_note"))
		e.stored = e.image.Note
		text, unsaved := e.p.act.Note(e.image.ImageID)
		if !unsaved {
			text = e.stored
		}
		e.note.SetText(text)
		e.note.Forward, e.note.OnEnter = e.p.act.Forward, e.entered
		e.note.OnLeave = func() {
			e.leaveNote()
			e.p.release()
		}
		e.note.OnChanged = e.typed
	}
	lines := min(max(strings.Count(e.note.Text, "\n")+1+len(e.note.Text)/44, 2), 8)
	read := kit.NewPara(e.p.k.T("properties.note_read"), 12, e.p.k.P.Muted, fyne.TextStyle{})
	return kit.NewStack(4, kit.Box(e.note, fyne.NewSize(60, float32(lines)*19+18)), read)
}

// field returns the field for tags and the suggestions below it.
func (e *edit) field(tags []string) []fyne.CanvasObject {
	k := e.p.k
	e.tags = tags
	if e.tag == nil {
		e.tag = e.p.k.Field(k.T("properties.add_tag"))
		e.hints = &fyne.Container{Layout: kit.Row{Gap: 5, Stretch: -1}}
		half := e.p.half(e.ids)
		e.tag.SetText(half)
		e.tag.CursorColumn = utf8.RuneCountInString(half) // where the user goes on
		e.tag.Forward, e.tag.OnEnter = e.p.act.Forward, e.entered
		e.tag.OnLeave = e.p.release
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

// FocusTags gives the keyboard focus to the field for tags.
func (p *Panel) FocusTags() {
	if p.edit != nil && p.edit.tag != nil {
		p.act.Focus(p.edit.tag)
	}
}

// add adds the tags in text, which are separated by commas.
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

// words returns the text up to and including the last comma, and the word after it.
func (e *edit) words() (before, word string) {
	i := strings.LastIndexByte(e.tag.Text, ',') + 1
	return e.tag.Text[:i], strings.TrimSpace(e.tag.Text[i:])
}

// matching returns the known tags that start with the typed word and that not all
// images have yet.
func (e *edit) matching() (found []string) {
	_, word := e.words()
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
	before, _ := e.words()
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
