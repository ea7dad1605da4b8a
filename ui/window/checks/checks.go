// Package checks lets the user check whether plots are reproducible, and shows the results.
//
// # Goroutines
//
// It belongs to the UI goroutine and starts no other.
package checks

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// Port is what the package may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit
	Dialogs  func() *dialogs.Host
	Image    func(id string, done func(library.Image)) // looks up a plot; calls done on the UI goroutine unless it was deleted
	Stored   func(id string, done func([]byte))        // reads a plot
	Requests *requests.Sender
	Say      func(kit.Mark, string)
	Offer    func(m kit.Mark, text, label string, do func())
	Compare  func(ids []string)
}

// Checks starts checks and shows results.
type Checks struct {
	port  Port
	open  []command.OpenCheck
	began map[string]time.Time // open checks, by plot
}

// New returns a Checks.
func New(p Port) *Checks { return &Checks{port: p, began: make(map[string]time.Time)} }

// FreshPrefix begins the id under which the comparison reads the new picture of a plot.
const FreshPrefix = "check:"

// mostEffects is the number of side effects that the question lists.
const mostEffects = 8

// Start checks plots. If their code has side effects, it asks the user first.
func (c *Checks) Start(ids []string) { c.start(slices.Clone(ids), false) }

func (c *Checks) start(ids []string, confirmed bool) {
	k := c.port.Kit()
	if len(ids) == 0 {
		return
	}
	requests.Topic(c.port.Requests, "check_plots", command.CheckPlots, command.CheckPlotsIn{IDs: ids, Confirmed: confirmed},
		func(out command.CheckPlotsOut) {
			switch {
			case len(out.SideEffects) > 0:
				c.port.Dialogs().Confirm(k.T("check.confirm"), k.T("check.confirm_text")+"\n\n"+effects(k, out.SideEffects),
					k.T("check.confirm_yes"), func() { c.start(ids, true) })
			case out.Started == 0:
				c.port.Say(kit.MarkWait, k.T("check.unknown"))
			default:
				c.port.Offer(kit.MarkBusy, k.Tr.N("check.started", out.Started), k.T("check.cancel"), func() { c.Cancel(ids...) })
			}
		})
}

// effects lists side effects, one a line.
func effects(k *kit.Kit, found []catalog.CheckFinding) string {
	var lines []string
	for _, f := range found {
		if line := "• " + Finding(k, f); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if more := len(lines) - mostEffects; more > 0 {
		lines = append(lines[:mostEffects], k.T("check.more", more))
	}
	return strings.Join(lines, "\n")
}

// Cancel cancels the checks of plots.
func (c *Checks) Cancel(ids ...string) {
	k := c.port.Kit()
	requests.Topic(c.port.Requests, "cancel_checks", command.CancelChecks, ids, func(struct{}) { c.port.Say(kit.MarkWait, k.T("check.why.cancelled")) })
}

// Render takes note of the open checks, and announces the results of those that have ended.
func (c *Checks) Render(n *state.Snapshot) {
	for _, o := range n.Checks {
		if c.began[o.Image].IsZero() {
			c.began[o.Image] = time.Now()
		}
	}
	for _, o := range c.open {
		if !slices.ContainsFunc(n.Checks, func(x command.OpenCheck) bool { return x.Image == o.Image }) {
			began := c.began[o.Image]
			delete(c.began, o.Image)
			c.announce(o.Image, began)
		}
	}
	c.open = n.Checks
}

// announce shows a result that is newer than the beginning of the check.
func (c *Checks) announce(id string, began time.Time) {
	requests.Quiet(c.port.Requests, command.ReadCheck, id, func(out command.ReadCheckOut, err error) {
		if err != nil || !out.Found || out.Check.At.Before(began) {
			return // it was cancelled
		}
		c.port.Image(id, func(im library.Image) {
			k := c.port.Kit()
			c.port.Offer(mark(out.Check.Status), gallery.Title(k, im)+": "+Summary(k, out.Check), k.T("check.details"), func() { c.Show(id) })
		})
	})
}

func mark(status string) kit.Mark {
	switch status {
	case catalog.CheckReproduced:
		return kit.MarkCheck
	case catalog.CheckDifferent:
		return kit.MarkWait
	default:
		return kit.MarkBad
	}
}

// Show shows the result of the last check of a plot.
func (c *Checks) Show(id string) { c.port.Image(id, c.read) }

func (c *Checks) read(im library.Image) {
	id := im.ImageID
	requests.Topic(c.port.Requests, "read_check", command.ReadCheck, id, func(out command.ReadCheckOut) {
		if !out.Found {
			c.port.Say(kit.MarkWait, c.port.Kit().T("check.none"))
			return
		}
		if out.Check.Status != catalog.CheckDifferent || out.Fresh == nil {
			c.show(im, out.Check, nil)
			return
		}
		c.port.Stored(id, func(stored []byte) {
			beside, _ := reproduce.Difference(stored, out.Fresh, picturesEdge, false) // nil without pixels
			m, _ := picture.Decode(beside)
			c.port.Requests.Post(func() { c.show(im, out.Check, m) })
		})
	})
}

const (
	picturesEdge = 1200
	sheetWidth   = 620
	picturesHigh = 150
)

// show shows a result, with the pictures beside each other if they differ.
func (c *Checks) show(im library.Image, check catalog.Check, beside image.Image) {
	id := im.ImageID
	k, d := c.port.Kit(), c.port.Dialogs()
	rows := []fyne.CanvasObject{StateLine(k, check)}
	var buttons []fyne.CanvasObject
	var f *dialogs.Form
	if beside != nil {
		p := kit.NewPicture()
		p.Show(beside)
		rows = append(rows, kit.Box(p.Object(), fyne.NewSize(sheetWidth-60, picturesHigh)),
			kit.NewPara(k.T("check.beside"), 12, k.P.Muted, fyne.TextStyle{}))
		buttons = append(buttons, k.Button(kit.Quiet, "compare", k.T("check.compare"), "", func() {
			f.Close()
			c.port.Compare([]string{id, FreshPrefix + id})
		}))
	}
	if cell := check.Cell; cell != nil {
		rows = append(rows, k.Section(k.T("check.cell", cell.Number)), k.Code(cell.Code, "python"))
		if e := cell.Error; e != nil {
			short := *e
			short.Traceback = ""
			rows = append(rows, k.Output(kit.Passage{Text: k.Tr.Failure(catalog.StatusError, short), Ink: k.P.Bad}))
		}
	}
	if check.Detail != "" {
		rows = append(rows, kit.NewPara(check.Detail, 12, k.P.Muted, fyne.TextStyle{}))
	}
	if len(check.Keys) > 0 {
		rows = append(rows, kit.NewPara(k.T("check.keys", strings.Join(check.Keys, ", ")), 13, k.P.Text, fyne.TextStyle{}))
	}
	if len(check.Environment) > 0 {
		rows = append(rows, k.Section(k.T("check.environment")))
		for _, c := range check.Environment {
			rows = append(rows, kit.NewPara("• "+changes(k, []catalog.EnvironmentChange{c}), 13, k.P.Text, fyne.TextStyle{}))
		}
	}
	if len(check.Findings) > 0 {
		rows = append(rows, k.Section(k.T("check.findings")))
		for _, found := range check.Findings {
			rows = append(rows, kit.NewPara("• "+Finding(k, found), 13, k.P.Text, fyne.TextStyle{}))
		}
	}
	buttons = append(buttons, k.Button(kit.Quiet, "", k.T("check.again"), "", func() {
		f.Close()
		c.Start([]string{id})
	}))
	f = d.Result(k.T("check.title", gallery.Title(k, im)), fyne.NewSize(sheetWidth, 480), rows, buttons...)
}

// StateLine shows the summary of a check with an icon.
func StateLine(k *kit.Kit, check catalog.Check) fyne.CanvasObject {
	icon, ink := Icon(k, check.Status)
	return k.Leading(kit.Icon(icon, ink, 16), kit.NewPara(Summary(k, check), 13, k.P.Text, fyne.TextStyle{}))
}

// summarised is how many changes of the environment a summary names.
const summarised = 3

// changes lists what differs in the environment.
func changes(k *kit.Kit, of []catalog.EnvironmentChange) string {
	words := make([]string, len(of))
	for i, c := range of {
		switch c.What {
		case "commit":
			c.What = k.T("fact.commit")
		case "language":
			c.What = k.T("fact.language")
		case "uncommitted changes":
			c.What = k.T("fact.uncommitted")
		}
		words[i] = c.String()
	}
	return strings.Join(words, ", ")
}

// Summary says in a line how a check ended.
func Summary(k *kit.Kit, check catalog.Check) string {
	switch check.Status {
	case catalog.CheckReproduced:
		at := check.At.Local().Format("2006-01-02 15:04")
		if len(check.Environment) > 0 {
			return k.T("check.reproduced_elsewhere", at, changes(k, check.Environment[:min(len(check.Environment), summarised)]))
		}
		return k.T("check.reproduced", at)
	case catalog.CheckDifferent:
		switch {
		case len(check.Sizes) == 4:
			return k.T("check.other_size", check.Sizes[0], check.Sizes[1], check.Sizes[2], check.Sizes[3])
		case check.Changed > 0:
			return k.T("check.different", fmt.Sprintf("%.2g %%", 100*check.Changed))
		default:
			return k.T("check.other_data")
		}
	}
	why := k.T("check.why." + check.Reason)
	if cell := check.Cell; cell != nil {
		why = k.T("check.at_cell", cell.Number, why)
		if check.Reason == catalog.CheckCellFailed && cell.Error != nil && cell.Error.Type != "" {
			why = k.T("check.at_cell", cell.Number, cell.Error.Type)
		}
	}
	return k.T("check.not_replayable", why)
}

// Icon returns the icon and the colour for the status of a check.
var Icon = gallery.CheckIcon

// Finding says in a line what a check has found in the code.
func Finding(k *kit.Kit, f catalog.CheckFinding) string {
	what := f.What
	if f.Path != "" {
		what = strings.TrimSpace(what + " " + f.Path)
		if f.Kind == catalog.FoundChangedFile || f.Kind == catalog.FoundMissingFile {
			what = f.Path
		}
	}
	text := k.T("check.found." + f.Kind)
	if what != "" {
		text = k.T("check.found."+f.Kind, what)
	}
	switch {
	case f.Cell > 0 && f.Line > 1:
		text = k.T("check.in_line", text, f.Cell, f.Line)
	case f.Cell > 0:
		text = k.T("check.in_cell", text, f.Cell)
	}
	return text
}
