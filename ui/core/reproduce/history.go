package reproduce

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/pycode"
	"easel/ui/core/risk"
)

// A Cell is code that ran before a plot was drawn, or drew it.
type Cell struct {
	library.Execution
	Number   int  // n of In [n], or its place in the history
	installs bool // lines that install packages were left out of its code
}

// A History is what a check of a plot runs.
type History struct {
	Image    library.Image
	Session  library.Session
	Cells    []Cell                 // in the order in which they ran; the last one drew the plot
	Findings []catalog.CheckFinding // hints, read from the code
}

// SideEffects returns the findings that affect more than the kernel.
func (h History) SideEffects() []catalog.CheckFinding {
	return slices.DeleteFunc(slices.Clone(h.Findings), func(f catalog.CheckFinding) bool { return !f.SideEffect() })
}

// Risks returns what is risky in the cells. They run in a new kernel, so the Reader sees all of it. Their files exist by now, so
// each file that they write is a risk.
func (h History) Risks() (risks []catalog.Risk) {
	r := risk.NewReader(risk.LanguageOf(h.Session.KernelName), "", true)
	for _, c := range h.Cells {
		risks = append(risks, r.Risks(c.Code)...)
		r.Learn(c.Code, false)
	}
	return risks
}

// sameKernel reports whether two plots are of the same process of a kernel.
func (h History) sameKernel(o History) bool {
	if len(h.Cells) == 0 || len(o.Cells) == 0 {
		return false
	}
	a, b := h.Cells[0], o.Cells[0]
	return a.SessionID == b.SessionID && a.KernelID == b.KernelID && a.Generation == b.Generation
}

// ErrNoHistory reports that the library does not have the code of a plot.
var ErrNoHistory = errors.New("the code that drew this picture is not known")

// History returns what a check of a plot runs. The error is library.ErrNotFound for an
// unknown image, ErrNoHistory, or ErrRunning.
func (c *Checker) History(ctx context.Context, image string) (History, error) {
	im, err := c.cfg.Library.Images.Image(ctx, image)
	if err != nil {
		return History{}, err
	}
	x, err := c.cfg.Library.Executions.Get(ctx, im.ExecutionID)
	if errors.Is(err, library.ErrNotFound) {
		return History{}, ErrNoHistory
	}
	if err != nil {
		return History{}, err
	}
	if !catalog.Ended(x.Status) {
		return History{}, ErrRunning
	}
	session, err := c.cfg.Library.Sessions.Get(ctx, im.SessionID)
	if errors.Is(err, library.ErrNotFound) {
		return History{}, ErrNoHistory
	}
	if err != nil {
		return History{}, err
	}
	ran, err := c.cfg.Library.Executions.RanBefore(ctx, x)
	if err != nil {
		return History{}, err
	}
	h := History{Image: im, Session: session}
	for _, x := range ran {
		if neverRan(x) {
			continue
		}
		cell := Cell{Execution: x, Number: x.Count}
		cell.Number = cmp.Or(cell.Number, len(h.Cells)+1)
		left, lines := pycode.LeaveOutInstalls(cell.Code)
		for _, line := range lines {
			h.Findings = append(h.Findings, catalog.CheckFinding{Kind: catalog.FoundInstall, Cell: cell.Number, Line: line.Line, What: line.What})
		}
		cell.Code, cell.installs = left, len(lines) > 0
		h.Cells = append(h.Cells, cell)
	}
	if len(h.Cells) == 0 {
		return History{}, ErrNoHistory
	}
	h.Findings = append(append(h.Findings, missingCells(h.Cells)...), c.hints(h)...)
	return h, nil
}

// neverRan reports whether code was cancelled in the queue, or has not started.
func neverRan(x library.Execution) bool {
	return x.StartedAt.IsZero() && x.SentAt.IsZero() && (x.Own || !catalog.Ended(x.Status))
}

// missingCells returns a finding if the kernel counted more cells than the library has.
func missingCells(cells []Cell) []catalog.CheckFinding {
	known := make(map[int]bool)
	last := 0
	for _, x := range cells {
		known[x.Count] = true
		last = max(last, x.Count)
	}
	for n := 1; n <= last; n++ {
		if !known[n] {
			return []catalog.CheckFinding{{Kind: catalog.FoundMissingCell, Cell: n}}
		}
	}
	return nil
}

// mostFindings is the largest number of findings of a check.
const mostFindings = 40

// hints reads the code of a history.
func (c *Checker) hints(h History) (hints []catalog.CheckFinding) {
	codes := make([]string, len(h.Cells))
	for i, x := range h.Cells {
		codes[i] = x.Code
	}
	dir, here := "", true
	if c.cfg.Directory != nil {
		dir, here = c.cfg.Directory(h.Session)
	}
	written := make(map[string]bool)
	for _, f := range pycode.Hints(codes) {
		if len(hints) == mostFindings {
			break
		}
		cell := h.Cells[f.Cell]
		hint := catalog.CheckFinding{Kind: string(f.Kind), Cell: cell.Number, Line: f.Line, What: f.What, Path: f.Path}
		switch f.Kind {
		case pycode.Writes:
			written[f.Path] = true
		case pycode.Reads:
			if hint.Kind = fileChange(dir, f.Path, cell, written); hint.Kind == "" || !here {
				continue // the code reads a file that is as it was, or on another machine
			}
		default:
		}
		if !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	return hints
}

// fileChange returns the kind of finding for a file that a cell reads: "" if the file is
// unchanged since the cell ran, or if that is unknown.
func fileChange(dir, path string, cell Cell, written map[string]bool) string {
	if path == "" || written[path] || dir == "" && !filepath.IsAbs(path) {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return catalog.FoundMissingFile
	case err != nil || info.IsDir():
		return ""
	case info.ModTime().After(cell.EndedAt) && !cell.EndedAt.IsZero():
		return catalog.FoundChangedFile
	}
	return ""
}
