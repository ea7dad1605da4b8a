package notebooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// The edits below are for a [Document]. Each can be applied twice, the second time to a
// version that somebody else has written in the meantime. Then it finds its cells by their
// ids, and fails with ErrChanged if the cell itself was changed.

// An Edit is a change of a notebook. After Apply, Cell is the cell that was changed, Index
// its position and Total the number of cells.
type Edit struct {
	Cell  *Cell
	Index int
	Total int

	// Check, if not nil, is called with each version of the notebook before the edit is
	// applied to it. If it returns an error, nothing is changed.
	Check func(*Notebook) error

	// Only, if not nil, is called with the cell that an EditCell changes. If it returns an
	// error, nothing is changed.
	Only func(*Cell) error

	target  Ref      // the cell that it changes; zero if it is a new one
	first   *Cell    // copy of the cell when it was found first; nil before
	changes []Change // what Apply did
	apply   func(e *Edit, n *Notebook) error
}

// The operations of a Change.
const (
	opInsert  = "insert"
	opSet     = "set"
	opMove    = "move"
	opDelete  = "delete"
	opOutputs = "outputs"
	opStart   = "start" // shows that the cell is running, without outputs
	opStop    = "stop"  // shows that it is not
)

// A Change is what an Edit does to one cell. It is for documents that are changed cell by
// cell, while others type into them. Before makes it conditional: it must not be applied to
// a cell with another text.
type Change struct {
	Op      string            `json:"op"`
	Cell    string            `json:"cell"`             // id
	Before  string            `json:"before"`           // text of the cell; not of opInsert
	After   string            `json:"after,omitempty"`  // opInsert, opMove: id of the cell above; "" at the top
	Type    string            `json:"type,omitempty"`   // opInsert
	Source  string            `json:"source"`           // opInsert, opSet, opOutputs: new text
	Outputs []json.RawMessage `json:"outputs,omitzero"` // opOutputs
	Count   int               `json:"count,omitempty"`  // opOutputs: execution count; 0 for none
}

// Apply applies the edit to n. After an error, n may be partly changed.
func (e *Edit) Apply(n *Notebook) error {
	if e.Check != nil {
		if err := e.Check(n); err != nil {
			return err
		}
	}
	e.changes = nil
	err := e.apply(e, n)
	e.Total = len(n.Cells)
	return err
}

// Refused returns why the edit can never be applied to n, whoever has it open: its cell does not
// exist, or Only refuses it. Otherwise it returns nil.
func (e *Edit) Refused(n *Notebook) error {
	if e.target == (Ref{}) {
		return nil
	}
	i, err := n.Find(e.target)
	if err == nil && e.Only != nil {
		err = e.Only(n.Cells[i])
	}
	return err
}

// did records a change of the cell at e.Index of n.
func (e *Edit) did(n *Notebook, c Change) {
	if e.Index > 0 && (c.Op == opInsert || c.Op == opMove) {
		c.After = n.Cells[e.Index-1].id
	}
	e.changes = append(e.changes, c)
}

// find returns the index of the cell in n. The first call uses r. Later calls look for the
// same cell by its id, and return ErrChanged if it was removed or changed.
func (e *Edit) find(n *Notebook, r Ref) (int, error) {
	if e.first == nil {
		i, err := n.Find(r)
		if err == nil {
			c := *n.Cells[i]
			c.fields = maps.Clone(c.fields)
			e.first = &c
		}
		return i, err
	}
	i, err := n.Find(Ref{ID: e.first.id})
	if err != nil {
		return 0, fmt.Errorf("%w: the cell was removed", ErrChanged)
	}
	if !n.Cells[i].same(e.first) {
		return 0, fmt.Errorf("%w: the text of the cell was changed", ErrChanged)
	}
	return i, nil
}

// AddCell returns an edit that inserts a cell at position. If that is nil or beyond the end,
// the cell is appended.
func AddCell(cellType, source string, position *int) *Edit {
	var after string // id of the cell before it; "" if it is the first
	seen := false
	return &Edit{apply: func(e *Edit, n *Notebook) error {
		i := len(n.Cells)
		switch {
		case position == nil:
		case !seen:
			i = min(max(*position, 0), i)
			if i > 0 {
				after = n.Cells[i-1].id
			}
			seen = true
		case after == "":
			i = 0
		default:
			at, err := n.Find(Ref{ID: after})
			if err != nil {
				return fmt.Errorf("%w: the cell before the position was removed", ErrChanged)
			}
			i = at + 1
		}
		e.Cell, e.Index = n.Insert(i, cellType, source), i
		e.did(n, Change{Op: opInsert, Cell: e.Cell.id, Type: cellType, Source: source})
		return nil
	}}
}

// EditCell returns an edit that changes the text of a cell.
func EditCell(r Ref, source string) *Edit {
	return &Edit{target: r, apply: func(e *Edit, n *Notebook) error {
		i, err := e.find(n, r)
		if err != nil {
			return err
		}
		if e.Only != nil {
			if err := e.Only(n.Cells[i]); err != nil {
				return err
			}
		}
		n.Cells[i].SetSource(source)
		e.Cell, e.Index = n.Cells[i], i
		e.did(n, Change{Op: opSet, Cell: e.Cell.id, Before: e.first.Source(), Source: source})
		return nil
	}}
}

// MoveCell returns an edit that moves a cell to the index to, or to the end if that is
// beyond it.
func MoveCell(r Ref, to int) *Edit {
	var order []string // ids of the cells in the first version
	return &Edit{target: r, apply: func(e *Edit, n *Notebook) error {
		i, err := e.find(n, r)
		if err != nil {
			return err
		}
		ids := n.ids()
		if order == nil {
			order = ids
		}
		if !slices.Equal(order, ids) {
			return fmt.Errorf("%w: cells were added, removed or moved", ErrChanged)
		}
		e.Cell, e.Index = n.Cells[i], min(max(to, 0), len(n.Cells)-1)
		n.Move(i, e.Index)
		e.did(n, Change{Op: opMove, Cell: e.Cell.id, Before: e.Cell.Source()})
		return nil
	}}
}

// DeleteCell returns an edit that deletes a cell.
func DeleteCell(r Ref) *Edit {
	return &Edit{target: r, apply: func(e *Edit, n *Notebook) error {
		i, err := e.find(n, r)
		if err != nil {
			return err
		}
		e.Cell, e.Index = n.Delete(i), i
		e.did(n, Change{Op: opDelete, Cell: e.Cell.id, Before: e.Cell.Source()})
		return nil
	}}
}

// A Ran is the result of a cell's execution.
type Ran struct {
	CellID   string
	Asked    string // the cell's text when the execution was requested
	Code     string // the code that ran; the user may have changed it
	Count    int
	Outputs  []json.RawMessage
	Language string
	Version  string
}

// SaveRuns returns an edit that stores the results of executions in their cells. It skips
// cells that were removed, or whose text was changed, and returns ErrChanged if it skips
// all. After Apply, saved reports whether a cell's result was stored.
func SaveRuns(runs []Ran) (edit *Edit, saved func(id string) bool) {
	var done []string
	return &Edit{apply: func(e *Edit, n *Notebook) error {
		done = done[:0]
		for _, r := range runs {
			i, err := n.Find(Ref{ID: r.CellID})
			if err != nil || n.Cells[i].Type() != Code || n.Cells[i].Source() != r.Asked && n.Cells[i].Source() != r.Code {
				continue
			}
			c := n.Cells[i]
			e.did(n, Change{Op: opOutputs, Cell: c.id, Before: c.Source(), Source: r.Code, Outputs: r.Outputs, Count: r.Count})
			c.SetSource(r.Code)
			c.SetOutputs(r.Outputs, r.Count)
			n.SetLanguage(r.Language, r.Version)
			e.Cell, e.Index = c, i
			done = append(done, r.CellID)
		}
		if len(done) == 0 {
			return fmt.Errorf("%w: the cell was removed or changed", ErrChanged)
		}
		return nil
	}}, func(id string) bool { return slices.Contains(done, id) }
}
