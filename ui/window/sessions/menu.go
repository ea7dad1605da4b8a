package sessions

import (
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// Menu shows the menu of a session.
func (c *Control) Menu(id string, at fyne.Position) { c.port.Dialogs().Menu(at, c.Items(id)...) }

// Items returns the rows of the menu of a session.
func (c *Control) Items(id string) []*fyne.MenuItem {
	k := c.port.Kit()
	item := func(key string, f func()) *fyne.MenuItem { return fyne.NewMenuItem(k.T(key), f) }
	n := c.port.Snapshot()
	show := item("menu.show_session", func() { c.port.Open(id) })
	save := item("menu.save_notebook", func() { c.port.SaveNotebook(id) })
	export := item("menu.export_plots", func() { c.port.SaveReport(id) })
	rename := item("menu.rename_session", func() { c.Rename(id) })
	x, live := n.Session(id)
	if !live {
		return []*fyne.MenuItem{show, rename, save, export}
	}
	interrupt := item("top.interrupt", func() { c.Interrupt(id) })
	interrupt.Disabled = !x.Runs()
	items := []*fyne.MenuItem{show, interrupt}
	if !x.Unserved() {
		items = append(items, item("top.restart", func() { c.ConfirmRestart(id) }))
	}
	if c.port.JupyterLab != nil && !x.Unserved() {
		items = append(items, item("menu.jupyterlab", func() { c.port.JupyterLab(id) }))
	}
	items = append(items, rename, save, export)
	if slices.ContainsFunc(n.Trusted, func(t state.Trust) bool { return t.SessionID == id }) {
		items = append(items, item("menu.distrust", func() { c.port.Distrust(id) }))
	}
	if canBeEnded(x) {
		pin := item("menu.pin", func() { c.Pin(id, !x.Pinned) })
		pin.Checked = x.Pinned
		items = append(items, pin)
	}
	if x.Unserved() {
		return append(items, fyne.NewMenuItemSeparator(), item("kernel.disconnect", func() { c.ConfirmDisconnect(id) }))
	}
	return append(items, fyne.NewMenuItemSeparator(), item("menu.end_session", func() { c.ConfirmEnd(id) }))
}

// canBeEnded reports whether Easel would end the session when it is unused if it were
// not pinned.
func canBeEnded(x state.Session) bool {
	return x.Owner == "easel" && x.NotebookPath == ""
}

// IdleMenu lets the user end one of the idle sessions. The one that uses the most
// memory is first.
func (c *Control) IdleMenu(under fyne.CanvasObject) {
	n, k := c.port.Snapshot(), c.port.Kit()
	if n.Pressure == nil {
		return
	}
	var items []*fyne.MenuItem
	for _, x := range n.Pressure.Idle {
		label := c.port.Name(x.SessionID) + "  ·  " + i18n.Bytes(x.Bytes) + "  ·  " + k.T("banner.idle_since", k.Tr.When(x.Used, c.port.Now()))
		items = append(items, fyne.NewMenuItem(label, func() { c.ConfirmEnd(x.SessionID) }))
	}
	c.port.Dialogs().MenuUnder(under, items...)
}
