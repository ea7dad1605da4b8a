// Package properties provides the panel that shows how a plot was made: its code, the
// output of that execution, its origin, and its stars and tags.
//
// # Goroutines
//
// A Panel belongs to the UI goroutine. Its reader has one goroutine, which runs until
// Close and passes its results to the Dispatcher.
package properties

import (
	"cmp"
	"fmt"
	"image/color"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library/feed"
	"easel/ui/core/sessionname"
	"easel/ui/core/state"
	"easel/ui/window/gallery"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/outputs"
	"easel/ui/window/theme"
)

// Actions are called when the user does something in the panel. They are called on the
// UI goroutine and must not block.
type Actions struct {
	Rate        func(ids []string, rating int)
	Tag         func(ids, add, remove []string)
	TypeTitle   func(id, title string)                    // is called while a title is typed
	EndTitle    func(id string)                           // stores the title that was typed; nil: titles cannot be edited
	DropTitle   func(id string)                           // forgets it
	TypeNote    func(id, note string)                     // is called while a note is typed
	EndNote     func(id string, ended func())             // stores the note that was typed; nil: there are no notes
	Note        func(id string) (text string, typed bool) // the note that was typed and may not be stored yet
	Focused     func() fyne.Focusable                     // what has the keyboard focus
	Entered     func(ids []string)                        // is called when a field gets the focus, with the plots that it is about
	Left        func()                                    // is called when no field has the focus any more
	Shown       func()                                    // is called when other fields may be shown than before
	Forward     func(fyne.Shortcut)                       // gets the shortcuts that a field does not use
	Focus       func(fyne.Focusable)                      // gives the keyboard focus to a field; nil removes it
	Copy        func(text, what string)                   // what names the text in the message, for example "code"
	SessionName func(id string) string                    // returns what a session is called in the window; nil: as if it were alone
	Newer       func(id string) string                    // returns the newest version of a plot; nil: there are no versions
	Unask       func(question string)                     // deletes a question; nil: they cannot be deleted
	Advance     func(question string, to catalog.QuestionState)
	Reveal      func(path string) // shows a file in the file manager
	RunAgain    func(sessionID, code string)
	EditAndRun  func(sessionID, code string) // lets the user edit code and run it
	ShowCell    func(id string)              // shows the cell that drew a plot in JupyterLab; nil if that is not possible
	Check       func(ids ...string)          // checks whether plots are reproducible; nil if that is not possible
	Checked     func(id string)              // shows the result of a check
	Uncheck     func(ids ...string)          // cancels checks
	Findings    FindingActions
	Way         WayReader               // returns how a plot can be drawn again; nil: that is not shown
	SendAgain   func(id, client string) // sends a plot to a client again; nil if that is not possible
	Clients     func() []state.Client   // returns the clients that have connected since Easel started; may be nil
	Close       func()
	Apart       time.Duration // the minimum time between two answers of the library; 0 means the default
}

// A Panel shows the properties of the selection.
type Panel struct {
	k      *kit.Kit
	act    Actions
	reader *reader
	root   fyne.CanvasObject
	column *kit.Column
	shown  facts
	edit   *edit
	ids    []string
	seen   uint64
	open   []command.OpenCheck // checks that wait or run
	whole  bool                // all of the environment is shown
	finds  finds
	thread fyne.CanvasObject // the heading of the questions; nil if there are none
	code   *kit.Code         // of the plot; nil if it has none, or several are selected
	stars  *kit.Stars
	tags   kit.Rover // the tags are one stop of the keyboard
	asked  int       // number of the last request to the reader
	told   int       // number of the last request that was answered
	then   func()    // called when the answer arrives; nil if there is nothing to do

	next     []string // to be shown when no field has the focus any more; nil if that is what is shown
	searched string   // the search of the gallery

	halves map[string]string // tags that were not finished, by the ids of the selection
}

const pad float32 = 14

// New returns a panel. The caller must call Close. output may be nil.
func New(k *kit.Kit, lib Library, output OutputReader, act Actions) *Panel {
	p := &Panel{k: k, act: act, column: k.Column(pad, 8), halves: make(map[string]string)}
	p.reader = newReader(lib, output, act.Findings.Read, act.Way, k.Do, p.show, cmp.Or(act.Apart, apart))
	head := kit.PadRow(pad, 4, 0,
		kit.NewLine(k.T("properties.title"), theme.TextBody, k.P.Text, fyne.TextStyle{Bold: true}, 40),
		k.Button(kit.Ghost, "close", "", k.T("properties.close"), act.Close).Small())
	p.root = k.Panel(k.P.Panel, "l", &fyne.Container{
		Objects: []fyne.CanvasObject{k.Panel(color.Transparent, "b", head), p.column},
		Layout: kit.LayoutFunc{Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			const h = 42
			kit.Place(os[0], 0, 0, s.Width, h)
			kit.Place(os[1], 1, h, s.Width-1, s.Height-h)
		}},
	})
	p.show(facts{})
	return p
}

// Object returns the object to put into the window.
func (p *Panel) Object() fyne.CanvasObject { return p.root }

// Close stops the reader and waits for it.
func (p *Panel) Close() { p.reader.close() }

// Select shows images. revision is the library's: if it has changed, they are read
// again. While a field has the focus, the panel stays with the images of the field.
func (p *Panel) Select(ids []string, revision uint64) {
	if p.next = nil; p.Busy() && !slices.Equal(ids, p.ids) {
		p.next, ids = slices.Clone(ids), p.ids
		if p.next == nil {
			p.next = []string{}
		}
	}
	what := p.changed(revision)
	if !slices.Equal(ids, p.ids) {
		p.then = nil
		what = ^feed.What(0)
	}
	if what == 0 {
		return
	}
	p.ids = slices.Clone(ids)
	p.asked++
	p.reader.ask(p.ids, p.asked, what)
}

// changed returns what has changed of what the panel shows, up to a revision.
func (p *Panel) changed(revision uint64) (what feed.What) {
	changes := p.reader.lib.Changes().Summary(p.seen, revision)
	p.seen = max(p.seen, revision)
	if len(p.ids) == 0 {
		return 0
	}
	what = changes.Of(p.ids...)
	if changes.What&(feed.Tags|feed.Listed) != 0 && changes.What != feed.Added {
		what |= feed.Tags // those that others have are suggested
	}
	return what
}

// Settled reports whether the panel shows what was selected. It is for tests.
func (p *Panel) Settled() bool { return slices.Equal(p.ids, p.shown.ids) && p.told == p.asked }

// IDs returns the images whose properties are shown.
func (p *Panel) IDs() []string { return p.shown.ids }

// Then calls do once the panel shows what was selected, so that do does not act on the
// previous selection. Another selection cancels it.
func (p *Panel) Then(do func()) {
	if p.then = do; p.Settled() {
		p.then = nil
		do()
	}
}

// show shows facts. While the pointer is pressed on the panel, it waits.
func (p *Panel) show(f facts) {
	if p.root != nil && p.k.Pressed(p.root, func() { p.show(f) }) {
		return
	}
	p.told = f.ask
	top := !slices.Equal(f.ids, p.shown.ids)
	was, at := p.finds.rows, p.focusedFinding()
	p.code, p.thread = nil, nil
	rated, tag := p.stars != nil && p.stars.Focused(), p.tags.Focused()
	p.shown, p.whole, p.finds.all, p.finds.rows = f, p.whole && !top, p.finds.all && !top, nil
	switch len(f.images) {
	case 0:
		p.column.SetRows(p.nothing()...)
	case 1:
		p.column.SetRows(p.one(f)...)
	default:
		p.column.SetRows(p.many(f)...)
	}
	if top {
		p.column.ScrollToTop()
	}
	p.act.Shown()
	if !top {
		p.refocus(was, at)
		p.tags.Refocus(tag)
		if rated {
			p.act.Focus(p.stars)
		}
	}
	p.checkMarked()
	if do := p.then; do != nil && p.Settled() {
		p.then = nil
		do()
	}
}

func (p *Panel) nothing() []fyne.CanvasObject {
	k := p.k
	return []fyne.CanvasObject{
		kit.Box(canvas.NewRectangle(k.P.Panel), fyne.NewSize(1, 24)),
		kit.NewRow(0, 0, kit.Icon("code", k.P.Muted, 28)),
		kit.NewPara(k.T("properties.none"), theme.TextBody, k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter),
	}
}

// annotations returns the rows for stars and tags, for one image or several.
func (p *Panel) annotations(e *edit, ids []string, rating int, tags []string) []fyne.CanvasObject {
	k := p.k
	stars := k.Stars(18, func(n int) { p.act.Rate(ids, n) })
	stars.Set(rating)
	chips := make([]fyne.CanvasObject, 0, len(tags)+1)
	for _, t := range tags {
		chips = append(chips, k.Chip(t, false, true, func() { p.act.Tag(ids, nil, []string{t}) }))
	}
	p.stars = stars
	p.tags.Set(chips...)
	rows := []fyne.CanvasObject{kit.NewRow(8, 1, stars, canvas.NewRectangle(k.P.Panel))}
	if len(chips) > 0 {
		rows = append(rows, kit.NewFlow(5, chips...))
	}
	return append(rows, e.field(tags)...)
}

func (p *Panel) one(f facts) []fyne.CanvasObject {
	im := f.images[0]
	e := p.edits(f)
	rows := []fyne.CanvasObject{e.head()}
	rows = append(rows, p.annotations(e, []string{im.ImageID}, im.Rating, im.Tags)...)
	rows = append(rows, e.notes())
	rows = append(rows, p.hit(f)...)
	rows = append(rows, p.findings(f)...)
	rows = append(rows, p.questions(f)...)
	rows = append(rows, p.reproducibility(f)...)
	rows = append(rows, p.cell(im)...)
	rows = append(rows, p.source(f)...)
	rows = append(rows, p.output(f)...)
	rows = append(rows, p.sent(f)...)
	rows = append(rows, p.provenance(f)...)
	rows = append(rows, p.environment(f)...)
	return append(rows, p.file(f)...)
}

func (p *Panel) output(f facts) []fyne.CanvasObject {
	k := p.k
	parts := outputs.Of(k, f.output)
	if !slices.ContainsFunc(parts, func(o outputs.Part) bool { return o.Text != "" }) {
		return nil // its pictures are in the gallery
	}
	copyAll := k.Button(kit.Ghost, "copy", "", k.T("properties.copy_output"), func() {
		p.act.Copy(outputs.Texts(parts), k.T("what.output"))
	}).Small()
	return []fyne.CanvasObject{k.Section(k.T("properties.output"), copyAll), outputs.View(k, parts)}
}

func (p *Panel) provenance(f facts) []fyne.CanvasObject {
	k, im := p.k, f.images[0]
	var rows []fyne.CanvasObject
	fact := func(key, value string) {
		if value != "" {
			rows = append(rows, k.Fact(k.T(key), value, nil))
		}
	}
	fact("fact.drawn", im.CreatedAt.Local().Format("2006-01-02 15:04:05"))
	client := im.Client
	if f.run != nil && f.run.Transport == string(tool.Window) {
		client = k.T("activity.you")
	}
	fact("fact.client", client)
	if s := f.session; s != nil {
		name := sessionname.Of(s.Named())
		if p.act.SessionName != nil {
			name = cmp.Or(p.act.SessionName(s.ID), name)
		}
		fact("fact.session", name)
		fact("fact.kernel", s.KernelName)
		fact("fact.notebook", s.NotebookPath)
		if s.Environment != "" && f.environment == nil {
			fact("fact.environment", s.Environment)
			fact("fact.directory", s.Directory)
		}
	}
	if x := f.run; x != nil {
		if x.Count > 0 {
			fact("fact.run", fmt.Sprintf("In [%d]", x.Count))
		}
		if !x.StartedAt.IsZero() && !x.EndedAt.IsZero() {
			fact("fact.took", i18n.Duration(x.EndedAt.Sub(x.StartedAt)))
		}
		fact("fact.status", StatusText(k, x.Status))
	}
	return []fyne.CanvasObject{k.Section(k.T("properties.origin")), kit.NewStack(0, rows...)}
}

// StatusText returns the status of an execution in the user's language.
func StatusText(k *kit.Kit, status string) string {
	if status == "" {
		return ""
	}
	if key := "status." + status; k.Tr.Has(key) {
		return k.T(key)
	}
	return status
}

func (p *Panel) file(f facts) []fyne.CanvasObject {
	k, im := p.k, f.images[0]
	var rows []fyne.CanvasObject
	if im.Width > 0 {
		rows = append(rows, k.Fact(k.T("fact.size"), fmt.Sprintf("%d × %d px", im.Width, im.Height), nil))
	}
	format := strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(im.MIMEType, "image/"), "+xml"))
	if kind, ok := gallery.Figure(im); ok {
		format = kind.Label + " · " + strings.ToUpper(strings.TrimPrefix(filepath.Ext(im.Path), "."))
	}
	rows = append(rows, k.Fact(k.T("fact.format"), format+" · "+i18n.Bytes(im.Bytes), nil))
	rows = append(rows, p.way(f)...)
	if im.Path != "" {
		rows = append(rows, k.Fact(k.T("fact.path"), im.Path,
			k.Button(kit.Ghost, "folder", "", k.T("properties.show_in_folder"), func() { p.act.Reveal(im.Path) }).Small()))
	}
	rows = append(rows, k.Fact(k.T("fact.uri"), im.ResourceURI,
		k.Button(kit.Ghost, "copy", "", k.T("properties.copy_uri"), func() { p.act.Copy(im.ResourceURI, k.T("what.reference")) }).Small()))
	return []fyne.CanvasObject{k.Section(k.T("properties.file")), kit.NewStack(0, rows...)}
}

func (p *Panel) many(f facts) []fyne.CanvasObject {
	k := p.k
	rating, common := f.images[0].Rating, slices.Clone(f.images[0].Tags)
	var bytes int64
	first, last := f.images[0].CreatedAt, f.images[0].CreatedAt
	for _, im := range f.images {
		if im.Rating != rating {
			rating = 0
		}
		common = slices.DeleteFunc(common, func(t string) bool { return !slices.Contains(im.Tags, t) })
		bytes += im.Bytes
		first, last = earlier(first, im.CreatedAt), later(last, im.CreatedAt)
	}
	rows := []fyne.CanvasObject{kit.NewPara(k.Tr.N("properties.many", len(f.images)), theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true})}
	rows = append(rows, p.annotations(p.edits(f), f.ids, rating, common)...)
	return append(rows, k.Section(k.T("properties.together")), kit.NewStack(0,
		k.Fact(k.T("fact.size"), i18n.Bytes(bytes), nil),
		k.Fact(k.T("fact.drawn"), first.Local().Format("2006-01-02 15:04")+" – "+last.Local().Format("15:04"), nil)))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
