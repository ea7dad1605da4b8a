package activity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/window/i18n"
)

// groups puts separators between groups of menu items; a group may be empty.
func groups(of ...[]*fyne.MenuItem) (items []*fyne.MenuItem) {
	for _, g := range of {
		if len(items) > 0 && len(g) > 0 {
			items = append(items, fyne.NewMenuItemSeparator())
		}
		items = append(items, g...)
	}
	return items
}

func (d *Dock) item(key string, do func(), args ...any) *fyne.MenuItem {
	return fyne.NewMenuItem(d.k.T(key, args...), do)
}

// menu shows what can be done with an entry.
func (t *callsTab) menu(i int, at fyne.Position) {
	if i >= len(t.shown) {
		return
	}
	e := t.shown[i]
	t.d.port.MenuAt(at, groups(t.openItems(e), t.copyItems(e), t.filterItems(e), t.runItems(e))...)
}

// openItems returns what shows more of an entry.
func (t *callsTab) openItems(e entry) []*fyne.MenuItem {
	d := t.d
	items := []*fyne.MenuItem{d.item("activity.open_details", func() { t.open = openCall(d, e.Activity) })}
	if id := d.asking(e.Activity); id != "" {
		items = append(items, d.item("activity.answer", func() { d.port.AnswerInput(id) }))
	}
	session := d.sessionIn(e.Activity)
	if images := d.history.imagesOf(e.Activity); len(images) == 1 {
		items = append(items, d.item("activity.show_plot", func() { d.port.OpenImage(images[0]) }))
	} else if len(images) > 1 && session != "" {
		items = append(items, d.item("activity.show_plots", func() { d.port.ShowPlots(session, images) }, len(images)))
	}
	if session != "" {
		items = append(items, d.item("activity.open_session", func() { d.port.ShowPlots(session, nil) }))
	}
	return items
}

func (t *callsTab) copyItems(e entry) (items []*fyne.MenuItem) {
	d := t.d
	if code := d.history.codeOf(e.Activity); code != "" {
		items = append(items, d.item("menu.copy_code", func() { d.port.Copy(code, d.k.T("what.code")) }))
	}
	if what, _ := d.details(e.Activity); what != "" {
		items = append(items, d.item("activity.copy_details", func() { d.port.Copy(what, d.k.T("activity.what")) }))
	}
	return append(items, d.item("activity.copy", func() {
		all, _ := json.MarshalIndent(e.Activity, "", "  ") // cannot fail: its parameters are JSON
		d.port.Copy(string(all), "JSON")
	}))
}

// filterItems returns the choices of the filter that the entry has, and the way back.
func (t *callsTab) filterItems(e entry) (items []*fyne.MenuItem) {
	d, chosen := t.d, &t.d.history.chosen
	for _, x := range []struct {
		by    int
		value string
	}{{bySession, d.sessionIn(e.Activity)}, {byTool, e.Tool}, {byClient, e.Client}} {
		if x.value == "" || chosen.by[x.by] == x.value {
			continue
		}
		items = append(items, d.item("activity.only_this", func() {
			chosen.by[x.by] = x.value
			t.update()
		}, truncate.Runes(t.filter.word(x.by, x.value), 40)))
	}
	if t.filter.on() {
		items = append(items, d.item("activity.all_again", t.filter.reset))
	}
	return items
}

// runItems returns what the user can do with the code of an entry: stop it, or run it again.
func (t *callsTab) runItems(e entry) (items []*fyne.MenuItem) {
	d, n := t.d, t.d.port.Snapshot()
	session, live := n.Session(d.sessionIn(e.Activity))
	if !live || session.Died != "" || session.Status == dead {
		return nil
	}
	id := cmp.Or(executionOf(e.Activity), d.history.runOf(e.Activity).ExecutionID)
	switch {
	case id == "":
	case session.Running != nil && session.Running.ExecutionID == id:
		items = append(items, d.item("top.interrupt", func() { d.port.Interrupt(session.SessionID) }))
	case d.stateOf(n, e.Activity) == catalog.StatusQueued:
		items = append(items, d.item("activity.cancel", func() { d.port.CancelRun(id) }))
	}
	if code := d.history.codeOf(e.Activity); code != "" {
		items = append(items,
			d.item("activity.run_again", func() { d.port.RunAgain(session.SessionID, code) }),
			d.item("activity.edit_run", func() { d.port.EditAndRun(session.SessionID, code) }))
	}
	return items
}

// codeOf returns the code that a call ran; empty if it ran none.
func (h *History) codeOf(c catalog.Activity) string {
	var args struct{ Code string }
	_ = json.Unmarshal(c.Args, &args) // an error means that there is none, or that it is too long
	return cmp.Or(h.runOf(c).Code, args.Code)
}

// imagesOf returns the URIs of the plots of a call.
func (h *History) imagesOf(c catalog.Activity) (uris []string) {
	if len(c.Images) > 0 {
		return c.Images
	}
	for _, im := range h.runOf(c).Images {
		uris = append(uris, im.ResourceURI)
	}
	return uris
}

// menu shows what can be done with a variable.
func (t *variablesTab) menu(i int, at fyne.Position) {
	if i >= len(t.shown) {
		return
	}
	d, v, session := t.d, t.shown[i], t.of.session
	var open []*fyne.MenuItem
	if isTable(v) {
		open = append(open, d.item("variables.open", func() { d.port.OpenTable(session, v.Name) }))
	}
	copies := []*fyne.MenuItem{d.item("variables.copy_name", func() { d.port.Copy(v.Name, d.k.T("variables.name")) })}
	if text := valueText(v); text != "" {
		copies = append(copies, d.item("variables.copy_value", func() { d.port.Copy(text, v.Name) }))
	}
	copies = append(copies, d.item("data.describe_cell", func() { d.port.Copy(described(session, v), d.k.T("data.description")) }))
	insert := d.item("variables.insert", func() { d.insert(v.Name) })
	d.port.MenuAt(at, groups(open, copies, []*fyne.MenuItem{insert})...)
}

// described returns what an assistant needs to know to answer a question about a variable. It is in English, which every model
// reads.
func described(session string, v catalog.Variable) string {
	facts := []string{v.Type}
	if v.Size != "" {
		facts = append(facts, v.Size)
	}
	if v.MemoryBytes > 0 {
		facts = append(facts, i18n.Bytes(v.MemoryBytes))
	}
	text := fmt.Sprintf("In session %s, variable %s (%s)", session, v.Name, strings.Join(facts, ", "))
	if value := valueText(v); value != "" {
		return text + ": " + value
	}
	return text + "."
}

// insert opens the console and types text into its line, where the cursor is.
func (d *Dock) insert(text string) {
	const console = 2
	d.Open(console)
	for _, r := range text {
		d.tabs[console].(*consoleTab).input.write(r)
	}
}
