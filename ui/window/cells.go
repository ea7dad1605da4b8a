package window

import (
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// showCell returns the function that shows the cell that drew a plot in JupyterLab; nil if
// that is not possible.
func (s *shell) showCell() func(id string) {
	a := s.a
	if !a.external.HasJupyterLab() {
		return nil
	}
	return func(id string) {
		a.shell.gallery.lookUp(id, func(im library.Image) {
			if im.Cell != nil && im.Cell.Index != nil {
				a.external.ShowCell(id, im.SessionID)
			}
		})
	}
}

// showCellKey shows the cell of the last of the plots to which the key applies.
func showCellKey(a *App) {
	if shown, show := a.picks.shown(), a.shell.showCell(); len(shown) > 0 && show != nil {
		show(shown[len(shown)-1])
	}
}

// byCellKey switches between the order of time and that of the notebook.
func byCellKey(a *App) {
	n := a.cfg.Store.Snapshot()
	if n.Folder.Kind == state.OneSession && n.Notebook.SessionID == n.Folder.ID {
		a.navigate.SortByCell(!n.Query.ByCell)
	}
}
