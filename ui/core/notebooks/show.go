package notebooks

import (
	"context"
	"errors"
	"slices"
	"time"
)

// JupyterLab's commands for links within documents, which show the document's tab and scroll
// to the target, and for selecting the next cell of the notebook in front.
const (
	cmdLink = "rendermime:handle-local-link"
	cmdDown = "notebook:move-cursor-down"
	cmdUp   = "notebook:move-cursor-up"
)

// maxMoves is how far away a cell may be to be selected, not only scrolled to: there is no
// command that selects any cell.
const maxMoves = 100

// openingTab is the interval at which a tab is looked for that the browser is opening.
const openingTab = time.Second

// ShowCell brings a cell into view in the JupyterLab tabs that show the notebook at path, and
// selects it there. If no tab does, the error is an *OpenError. The first tab has patience to
// answer. The notebook must exist.
func ShowCell(ctx context.Context, s TabServer, path, cell string, patience time.Duration) error {
	b, err := openBus(ctx, s)
	if err != nil {
		return err
	}
	defer b.close()
	found, err := b.survey(ctx, path, false, patience, gatherTime)
	if err != nil {
		return err
	}
	if len(found.open) == 0 {
		return &OpenError{Reason: "no JupyterLab tab shows it", Remedy: "open the notebook in JupyterLab"}
	}
	for _, client := range found.open {
		if err := (tabChannel{&Tab{server: s, path: path, client: client}, b}).show(ctx, cell); err != nil {
			return err
		}
	}
	return nil
}

// ShowCellSoon is like ShowCell, for a notebook that the browser is opening: it waits for the
// tab until ctx ends.
func ShowCellSoon(ctx context.Context, s TabServer, path, cell string) error {
	for {
		err := ShowCell(ctx, s, path, cell, openingTab)
		if e, ok := errors.AsType[*OpenError](err); !ok || e.Remedy == TabRemedy {
			return err
		}
		again := time.NewTimer(openingTab)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return context.Cause(ctx)
		}
	}
}

// show brings a cell into view and selects it.
func (t tabChannel) show(ctx context.Context, cell string) error {
	link := args{"path": t.path, "id": "#cell-id=" + cell}
	if err := t.bus.run(ctx, t.client, cmdLink, link, nil); err != nil {
		return err
	}
	var info struct {
		tabInfo
		Active string `json:"activeCellId"`
	}
	if err := t.bus.run(ctx, t.client, cmdInfo, t.at(""), &info); err != nil {
		return err
	}
	index := func(id string) int {
		return slices.IndexFunc(info.Cells, func(c tabCell) bool { return c.ID == id })
	}
	from, to := index(info.Active), index(cell)
	move, steps := cmdDown, to-from
	if steps < 0 {
		move, steps = cmdUp, -steps
	}
	if from < 0 || to < 0 || steps == 0 || steps > maxMoves {
		return nil
	}
	for range steps {
		if err := t.bus.run(ctx, t.client, move, nil, nil); err != nil {
			return err
		}
	}
	return t.bus.run(ctx, t.client, cmdLink, link, nil) // the selection has scrolled
}
