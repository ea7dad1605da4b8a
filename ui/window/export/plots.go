package export

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// kinds lists the kinds of export in the order of their buttons.
var kinds = []command.ExportKind{command.ExportHTML, command.ExportPDF, command.ExportNotebook, command.ExportFolder}

// The message IDs of the kinds' names and descriptions.
var (
	kindNames = map[command.ExportKind]string{
		command.ExportHTML: "export.kind.html", command.ExportPDF: "export.kind.pdf", command.ExportNotebook: "export.kind.notebook",
		command.ExportFolder: "export.kind.folder",
	}
	kindTexts = map[command.ExportKind]string{
		command.ExportHTML: "export.about.html", command.ExportPDF: "export.about.pdf", command.ExportNotebook: "export.about.notebook",
		command.ExportFolder: "export.about.folder",
	}
)

// papers lists the sizes of paper in the order of their buttons.
var papers = []string{"a4", "letter"}

// A chooser is the dialog that asks how to export plots together.
type chooser struct {
	e     *Exporter
	k     *kit.Kit
	title string // suggested

	sources []source
	chosen  int // index in sources
	options state.Export
	noPDF   bool // there is no browser that could print

	f      *dialogs.Form
	name   *kit.Field
	next   *kit.Button
	checks []option
}

// A source is a set of plots.
type source struct {
	label string
	ids   []string
}

// An option is a checkbox and the choice that it stores. The choice is what the user left
// out, so that everything is included at first.
type option struct {
	box    *kit.Check
	to     *bool
	invert bool
}

// Plots asks how to export plots together. Plots of the library are in the order of their
// creation, files in the given order.
func (e *Exporter) Plots(ids []string, title string) {
	if len(ids) == 0 {
		return
	}
	c := &chooser{e: e, k: e.port.Kit(), title: title, options: e.port.Snapshot().Settings.Export}
	c.add("export.selected", inOrder(ids))
	if view := e.port.InView(); len(view) > 0 {
		c.add("export.view", inOrder(view))
	}
	var session string
	var drawn []string
	e.port.Requests.Background("export", func(ctx context.Context) error {
		var err error
		session, drawn, err = e.sessionOf(ctx, ids[0])
		return err
	}, func() {
		c.addSession(e.port.SessionName(session), drawn)
		c.ask()
	})
}

// SessionPlots asks how to export the plots of a session, oldest first.
func (e *Exporter) SessionPlots(session, name string) {
	c := &chooser{e: e, k: e.port.Kit(), title: name, options: e.port.Snapshot().Settings.Export}
	var drawn []string
	e.port.Requests.Background("export", func(ctx context.Context) error {
		var err error
		drawn, err = e.drawnIn(ctx, session)
		return err
	}, func() {
		c.addSession(name, drawn)
		if len(c.sources) == 0 {
			e.port.Say(kit.MarkWait, e.port.Kit().T("export.empty"))
			return
		}
		c.ask()
	})
}

// inOrder returns plots of the library in the order of their creation.
func inOrder(ids []string) []string {
	ids = slices.Clone(ids)
	if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, folders.Scheme) }) {
		slices.Sort(ids)
	}
	return ids
}

// sessionOf returns the session that drew a plot, and all of its plots; none for a file on disk.
func (e *Exporter) sessionOf(ctx context.Context, id string) (session string, drawn []string, err error) {
	images, err := e.port.Library.Get(ctx, id)
	if err != nil || len(images) == 0 || images[0].SessionID == "" {
		return "", nil, err
	}
	session = images[0].SessionID
	drawn, err = e.drawnIn(ctx, session)
	return session, drawn, err
}

func (e *Exporter) drawnIn(ctx context.Context, session string) ([]string, error) {
	q := library.All()
	q.SessionID, q.Asc = session, true
	return e.port.Library.IDs(ctx, q)
}

// add adds a set of plots, unless there is the same already. The text of key takes the
// arguments and the number of plots.
func (c *chooser) add(key string, ids []string, args ...any) {
	if !slices.ContainsFunc(c.sources, func(s source) bool { return slices.Equal(s.ids, ids) }) {
		c.sources = append(c.sources, source{c.k.T(key, append(args, len(ids))...), ids})
	}
}

// addSession adds the plots of a session, if it has any.
func (c *chooser) addSession(name string, drawn []string) {
	const longest = 120 // with it, three buttons fit into one row
	if len(drawn) > 0 {
		c.add("export.session", drawn, kit.Shorten(name, longest, 13, fyne.TextStyle{}))
	}
}

// ask shows the dialog when it is known whether there can be a PDF.
func (c *chooser) ask() {
	requests.Quiet(c.e.port.Requests, command.CanPrint, struct{}{}, func(out command.CanPrintOut, err error) {
		c.noPDF = err != nil || out.Reason != ""
		c.k = c.e.port.Kit() // the theme may have changed meanwhile
		c.show()
	})
}

func (c *chooser) show() {
	k, d := c.k, c.e.port.Dialogs()
	if !slices.Contains(kinds, c.options.Kind) {
		c.options.Kind = command.ExportHTML
	}
	if !slices.Contains(papers, c.options.Paper) {
		c.options.Paper = paper(os.Getenv)
	}
	c.name = k.Field("")
	c.name.SetText(c.title)
	c.name.OnSubmitted = func(string) { c.run() }
	c.next = k.Button(kit.Primary, "", k.T("export.next"), "", c.run)
	c.f = d.Form(k.T("export.title"), fyne.NewSize(540, 440), nil, c.next)
	c.f.CloseOnEscape(c.name)
	c.fill()
	d.Focus(c.name)
}

// fill shows the controls of the chosen kind.
func (c *chooser) fill() {
	k, d, o := c.k, c.e.port.Dialogs(), &c.options
	var names []string
	for _, kind := range kinds {
		names = append(names, k.T(kindNames[kind]))
	}
	buttons, row := c.picked(names, slices.Index(kinds, o.Kind), func(i int) { o.Kind = kinds[i] })
	text, ink := k.T(kindTexts[o.Kind]), k.P.Muted
	if c.noPDF {
		buttons[1].SetEnabled(o.Kind == command.ExportPDF)
		buttons[1].SetTip(k.T("export.no_browser"))
		if o.Kind == command.ExportPDF {
			text, ink = k.T("export.no_browser"), k.P.Bad
		}
	}
	c.next.SetEnabled(!c.noPDF || o.Kind != command.ExportPDF)
	rows := []fyne.CanvasObject{row, kit.NewPara(text, 13, ink, fyne.TextStyle{})}
	var labels []string
	for _, s := range c.sources {
		labels = append(labels, s.label)
	}
	_, from := c.picked(labels, c.chosen, func(i int) { c.chosen = i })
	rows = append(rows, d.Labelled("export.plots", from), d.Labelled("export.name", c.name))
	c.checks = nil
	if o.Kind != command.ExportNotebook {
		rows = append(rows, kit.NewRow(12, -1,
			kit.Box(c.check("export.code", &o.NoCode, true), fyne.NewSize(130, 0)), kit.Box(c.check("export.notes", &o.NoNotes, true), fyne.NewSize(190, 0)),
			kit.Box(c.check("export.timings", &o.NoTimings, true), fyne.NewSize(130, 0))))
	} else {
		rows = append(rows, c.check("export.notes", &o.NoNotes, true), c.check("export.plots_only", &o.PlotsOnly, false))
	}
	switch o.Kind {
	case command.ExportHTML:
		rows = append(rows, c.check("export.interactive", &o.Still, true))
	case command.ExportPDF:
		_, sizes := c.picked([]string{"A4", "Letter"}, slices.Index(papers, o.Paper), func(i int) { o.Paper = papers[i] })
		rows = append(rows, c.check("export.appendix", &o.Appendix, false), sizes)
	case command.ExportNotebook, command.ExportFolder:
	}
	if c.noPDF && o.Kind != command.ExportPDF {
		rows = append(rows, kit.NewPara(k.T("export.no_browser"), 12, k.P.Muted, fyne.TextStyle{}))
	}
	c.f.SetRows(rows...)
	c.f.Arrange()
}

// picked returns a row of buttons, of which the one with index on is on.
func (c *chooser) picked(names []string, on int, pick func(int)) (buttons []*kit.Button, row fyne.CanvasObject) {
	all := kit.NewRow(4, -1)
	for i, name := range names {
		b := c.k.Button(kit.Quiet, "", name, "", func() {
			c.keep()
			pick(i)
			c.fill()
		})
		b.SetOn(i == on)
		buttons = append(buttons, b)
		all.Add(b)
	}
	return buttons, all
}

func (c *chooser) check(key string, to *bool, invert bool) *kit.Check {
	box := c.k.Check(c.k.T(key), *to != invert)
	c.checks = append(c.checks, option{box, to, invert})
	return box
}

// keep stores what the checkboxes say.
func (c *chooser) keep() {
	for _, o := range c.checks {
		*o.to = o.box.On() != o.invert
	}
}

// run asks for the place, and exports.
func (c *chooser) run() {
	if !c.next.Enabled() {
		return
	}
	c.keep()
	c.f.Close()
	e, k, o := c.e, c.k, c.options
	e.port.Settings(func(s *state.Settings) { s.Export = o })
	in := command.ExportIn{
		Kind: o.Kind, IDs: c.sources[c.chosen].ids, Title: strings.TrimSpace(c.name.Text), Language: k.Tr.Lang(),
		Code: !o.NoCode, Notes: !o.NoNotes, Timings: !o.NoTimings, Interactive: !o.Still, Appendix: o.Appendix, Paper: o.Paper,
		PlotsOnly: o.PlotsOnly,
		Name:      func(n int) string { return k.T("gallery.untitled", n) },
	}
	in.Title = cmp.Or(in.Title, c.title)
	ending := map[command.ExportKind]string{command.ExportHTML: ".html", command.ExportPDF: ".pdf", command.ExportNotebook: ".ipynb"}[in.Kind]
	v := e.saver(k.T("export.title"))
	v.file, v.fresh = fileName(in.Title)+ending, in.Kind == command.ExportFolder
	v.write = func(to string, _ bool) {
		in.To = to
		e.write(in)
	}
	v.ask(e.port.Snapshot().Settings.SaveDir)
}

// paper returns the size of paper that is usual where the user is.
func paper(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_PAPER", "LANG"} {
		locale, _, _ := strings.Cut(getenv(name), ".")
		if _, country, ok := strings.Cut(locale, "_"); ok {
			if slices.Contains([]string{"US", "CA", "MX", "PH", "CL", "CO", "VE"}, country) {
				return "letter"
			}
			return "a4"
		}
	}
	return "a4"
}
