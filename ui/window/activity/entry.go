package activity

import (
	"cmp"
	"encoding/json"
	"image/color"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/window/asking"
	"easel/ui/window/assistants"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// An entry is a row of the list: a call, and the calls that only asked how its execution goes on.
type entry struct {
	catalog.Activity
	polls []catalog.Activity // newest first
}

// The tools by which clients run code, and ask how it goes on.
var runTool, pollTool = catalog.ExecuteCode.Spec().Name, catalog.GetExecution.Spec().Name

// entries returns the rows of calls, both newest first. A client that waits for a long run asks
// for it again and again: these calls join the row of the run or, if that is not among the calls, of
// the first of them.
func entries(calls []catalog.Activity) []entry {
	first := make(map[string]int) // by execution: the oldest call about it
	for i, c := range slices.Backward(calls) {
		if _, known := first[c.ExecutionID]; c.ExecutionID != "" && !known {
			first[c.ExecutionID] = i
		}
	}
	polls := make(map[int][]catalog.Activity)
	for i, c := range calls {
		if j, known := first[c.ExecutionID]; known && c.Tool == pollTool && i != j {
			polls[j] = append(polls[j], c)
		}
	}
	list := make([]entry, 0, len(calls))
	for i, c := range calls {
		if j, known := first[c.ExecutionID]; known && c.Tool == pollTool && i != j {
			continue
		}
		list = append(list, entry{c, polls[i]})
	}
	return list
}

// calls returns the calls of an entry, newest first.
func (e entry) calls() []catalog.Activity {
	all := append(slices.Clone(e.polls), e.Activity)
	slices.SortStableFunc(all, func(a, b catalog.Activity) int { return b.Began.Compare(a.Began) })
	return all
}

// cells returns what a row shows.
func (t *callsTab) cells(e entry) []kit.Cell {
	k, d := t.d.k, t.d
	mark, word, ink := d.callStatus(e.Activity)
	what, whatInk := d.details(e.Activity)
	if names := d.maskedNames(e.calls()); names != "" {
		what = strings.TrimSpace(k.T("activity.masked_row", names) + "  " + what) // first: code is long
	}
	session, bar := d.sessionCell(e.Activity)
	name := toolName(k.Tr, e.Tool)
	checked := &name // what says how often a client asked
	if t.rows.Size().Width < toolHides {
		if checked = &what; what == "" || e.ExecutionID == "" && e.Tool != runTool {
			what = strings.TrimSpace(name + "  " + what)
		}
	}
	if n := len(e.polls); n > 0 {
		*checked = k.T("activity.polled", *checked, n)
	}
	status := kit.Cell{Text: word, Ink: ink, Mark: mark}
	if t.marked(e) {
		status.Bar = &k.P.Bad
	}
	return []kit.Cell{
		{Text: e.Began.Local().Format("15:04:05"), Ink: k.P.Muted},
		status,
		{Text: session, Bar: bar},
		{Text: name, Ink: k.P.Muted},
		{Text: what, Ink: whatInk},
		{Text: d.clientName(e.Client, e.Transport), Ink: k.P.Muted, Bar: assistants.Dot(k.P, d.port.Snapshot(), e.Assistant), Dot: true},
		{Text: i18n.Duration(d.took(e.Activity)), Ink: k.P.Muted},
	}
}

// clientName returns the name of who called.
func (d *Dock) clientName(client, transport string) string {
	if transport == string(tool.Window) {
		return d.k.T("activity.you")
	}
	return client
}

// took returns how long a call has taken so far, and if it is about an execution, how long that took.
func (d *Dock) took(c catalog.Activity) time.Duration {
	if goesOn(d.stateOf(d.port.Snapshot(), c)) {
		return d.k.Now().Sub(c.Began)
	}
	o, _ := d.history.outcome(c)
	return cmp.Or(o.took, c.Ended.Sub(c.Began))
}

// details returns what a row says of a call, and its colour: how its execution failed, what it drew
// or is about; of another call, what went wrong or its parameters.
func (d *Dock) details(c catalog.Activity) (string, color.Color) {
	k := d.k
	if c.Detail != "" {
		ink := k.P.Text
		if callFailed == d.stateOf(d.port.Snapshot(), c) || failedRun(c.Status) {
			ink = k.P.Bad
		}
		return problem(k.Tr, c), ink
	}
	o, _ := d.history.outcome(c)
	if o.status == catalog.StatusError && o.failure != "" {
		return o.failure, k.P.Bad
	}
	if o.asks != nil && o.asks.Prompt != "" {
		return k.T("activity.asks", asking.VisibleCode(strings.TrimSpace(o.asks.Prompt))), k.P.Text
	}
	if text := d.plots(o, len(c.Images)); text != "" {
		return text, k.P.Text
	}
	text := cmp.Or(d.answerWords(c), d.createdName(c), summary(c.Args), o.about)
	return text, k.P.Muted
}

// plots says what an execution drew: the titles of its plots, else how many there are. n is their number if
// nothing else is known of it.
func (d *Dock) plots(o outcome, n int) string {
	if o.plots > 0 {
		n = o.plots
	}
	switch {
	case n == 0:
		return ""
	case n == 1 && len(o.titles) == 1:
		return o.titles[0]
	case len(o.titles) == 0 && n == 1 && o.about != "":
		return o.about
	case len(o.titles) == 0:
		return d.k.Tr.N("console.images", n)
	}
	return d.k.T("activity.plots", n, strings.Join(o.titles, d.k.T("activity.comma")))
}

// createdName returns the title of a session that a call created.
func (d *Dock) createdName(c catalog.Activity) string {
	if c.Tool != catalog.SessionCreate.Spec().Name {
		return ""
	}
	var args struct{ Title string }
	_ = json.Unmarshal(c.Args, &args) // an error means that it has none
	return cmp.Or(args.Title, d.sessionName(c))
}

// sessionIn returns the id of the session that a call is about.
func (d *Dock) sessionIn(c catalog.Activity) string {
	o, _ := d.history.outcome(c)
	return cmp.Or(o.session, sessionOf(c))
}

// sessionName returns the name of the session that a call is about.
func (d *Dock) sessionName(c catalog.Activity) string {
	if id := d.sessionIn(c); id != "" {
		return d.port.SessionName(id)
	}
	return ""
}

// sessionCell returns the name and the colour of the session that a call is about.
func (d *Dock) sessionCell(c catalog.Activity) (name string, bar *color.NRGBA) {
	id := d.sessionIn(c)
	if id == "" {
		return "", nil
	}
	tint := d.k.P.Session(d.port.SessionColour(id))
	return d.port.SessionName(id), &tint
}
