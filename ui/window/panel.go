package window

import (
	"slices"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
)

// focus gives the keyboard focus to a field, or back to the window.
func (a *App) focus(f fyne.Focusable) {
	if f == nil {
		a.win.Canvas().Unfocus()
		return
	}
	a.win.Canvas().Focus(f)
}

// chose notes that the user writes about plots: a plot that arrives no longer replaces them as the
// selection, which assistants take for "this one".
func (a *App) chose(ids []string) {
	if n := a.cfg.Store.Snapshot(); n.SelectedBy != catalog.ByFollow || n.Mode == state.Viewer && !slices.Equal(shownIn(n), ids) {
		return
	}
	a.cfg.Store.Update(func(s *state.Snapshot) {
		if s.Mode != state.Viewer {
			s.Selection, s.Current = slices.Clone(ids), ids[len(ids)-1]
		}
		s.SelectedBy = catalog.ByUser
	})
}

// dropFocus takes the keyboard focus from a field that is no longer shown, so that the keys go
// to the gallery.
func (a *App) dropFocus() {
	c := a.win.Canvas()
	o, ok := c.Focused().(fyne.CanvasObject)
	if !ok || c.Overlays().Top() != nil || a.shell == nil || a.cfg.Store.Snapshot().Window == state.WindowHidden {
		return
	}
	d := fyne.CurrentApp().Driver()
	if d.CanvasForObject(o) == c && d.AbsolutePositionForObject(o).IsZero() { // as Fyne says of what it does not find
		c.Unfocus()
	}
}

// fitPropsToCode makes the properties as wide as the plot's code, or as wide as at first if they are.
func (s *shell) fitPropsToCode() {
	was, w := s.a.layout.propsW, s.props.CodeWidth()
	if w == 0 {
		return
	}
	if s.setPropsWidth(w); s.a.layout.propsW == was {
		s.setPropsWidth(propsW)
	}
	s.a.layout.keep()
}

// windowed leaves full screen and the focus view, in which only the plot is shown, and then calls do.
func (a *App) windowed(do func()) {
	if !a.shell.full {
		do()
		return
	}
	a.navigate.LeaveFullscreen(func() {
		a.shell.render(a.cfg.Store.Snapshot())
		do()
	})
}

// rename lets the user type a title for the plot that is shown, or a name for the session whose plots are shown if none is selected.
func (s *shell) rename() {
	n := s.a.snap
	if s.page == pageGallery && n.Folder.Kind == state.OneSession && len(n.Selection) == 0 {
		s.a.sessions.Rename(n.Folder.ID)
		return
	}
	s.inPanel((*properties.Panel).Rename)
}

// editTags gives the keyboard focus to the field for tags.
func (s *shell) editTags() { s.inPanel((*properties.Panel).FocusTags) }

// togglePanel shows or hides the properties for the user. What is typed in them is stored.
func (a *App) togglePanel() {
	a.win.Canvas().Unfocus()
	if s := a.shell; s.full {
		s.setOver(!s.over)
		return
	}
	if !a.shell.bring(propsPanel) {
		a.navigate.TogglePanel()
	}
}

// inPanel shows the properties and then calls do. On another page than the gallery, it does
// nothing.
func (s *shell) inPanel(do func(*properties.Panel)) {
	switch a := s.a; {
	case s.page != pageGallery:
	case s.full:
		s.inOver(do)
	default:
		a.windowed(func() { a.shell.inShownPanel(do) })
	}
}

// inShownPanel is inPanel when the window has room for the panel.
func (s *shell) inShownPanel(do func(*properties.Panel)) {
	a := s.a
	n := a.cfg.Store.Snapshot()
	ids := s.subject(n)
	if len(ids) == 0 {
		return
	}
	if n.PropertiesPanel {
		s.bring(propsPanel)
		s.props.Select(ids, n.Revision) // the selection may not be rendered yet
		s.props.Then(func() { do(s.props) })
		return
	}
	a.navigate.TogglePanelThen(func() {
		s := a.shell // it may have been built again
		s.render(a.cfg.Store.Snapshot())
		s.props.Then(func() { do(s.props) })
	})
}

// open shows a plot in the viewer.
func (a *App) open(id string) {
	if !a.discarded([]string{id}) {
		a.navigate.Open(id)
	}
}

// discarded reports whether plots are in the trash, where they cannot be opened. It says so, and
// offers to restore them.
func (a *App) discarded(ids []string) bool {
	if a.cfg.Store.Snapshot().Folder.Kind != state.Trash || len(ids) == 0 {
		return false
	}
	k := a.kit()
	a.offer(kit.MarkNone, k.T("trash.closed"), k.T("trash.restore"), func() { a.edits.Restore(ids) })
	return true
}
