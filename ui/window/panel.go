package window

import (
	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/window/requests"
)

// focus gives the keyboard focus to a field, or back to the window.
func (a *App) focus(f fyne.Focusable) {
	if f == nil {
		a.win.Canvas().Unfocus()
		return
	}
	a.win.Canvas().Focus(f)
}

// rename lets the user type a title for the plot that is shown.
func (a *App) rename() { a.inPanel(func() { a.shell.props.Rename() }) }

// editTags gives the keyboard focus to the field for tags.
func (a *App) editTags() { a.inPanel(func() { a.shell.props.FocusTags() }) }

// inPanel shows the properties and then calls do.
func (a *App) inPanel(do func()) {
	n := a.cfg.Store.Snapshot()
	ids := shownIn(n)
	if len(ids) == 0 {
		return
	}
	if n.PropertiesPanel {
		a.shell.props.Select(ids, n.Gallery) // the selection may not be rendered yet
		a.shell.props.Then(do)
		return
	}
	requests.Ask(a.requests, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(out catalog.ViewOut) {
		a.keepPanel(out.View.PropertiesPanel)
		a.shell.render(a.cfg.Store.Snapshot())
		a.shell.props.Then(do)
	})
}
