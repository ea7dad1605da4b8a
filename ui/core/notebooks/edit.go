package notebooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// The edits below are for [Files.Edit]: each can be applied twice, the second
// time to what somebody else made of the notebook meanwhile. They go by cell ids
// then, and give up with ErrChanged where the cell itself was changed.

// An Edit is one change of a notebook. Cell and Index tell, once it has been
// applied, which cell it was about and where that stands.
type Edit struct {
	Cell  *Cell
	Index int

	first *Cell // as it was in the first reading
	apply func(e *Edit, n *Notebook) error
}

// Apply changes n.
func (e *Edit) Apply(n *Notebook) error { return e.apply(e, n) }

// find is the index of the cell in n: the one named at first, the same one by its
// id later.
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
		return 0, fmt.Errorf("%w: the cell is gone", ErrChanged)
	}
	if !n.Cells[i].same(e.first) {
		return 0, fmt.Errorf("%w: the cell has another text now", ErrChanged)
	}
	return i, nil
}

// AddCell inserts a cell so that it has index position; nil or beyond the end
// means at the end.
func AddCell(cellType, source string, position *int) *Edit {
	var after string // id of the cell before it; "" for none
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
				return fmt.Errorf("%w: the cell before the place is gone", ErrChanged)
			}
			i = at + 1
		}
		e.Cell, e.Index = n.Insert(i, cellType, source), i
		return nil
	}}
}

// EditCell gives a cell another text.
func EditCell(r Ref, source string) *Edit {
	return &Edit{apply: func(e *Edit, n *Notebook) error {
		i, err := e.find(n, r)
		if err != nil {
			return err
		}
		n.Cells[i].SetSource(source)
		e.Cell, e.Index = n.Cells[i], i
		return nil
	}}
}

// MoveCell takes a cell to another index; beyond the end means to the end.
func MoveCell(r Ref, to int) *Edit {
	var order []string // the cells of the first reading
	return &Edit{apply: func(e *Edit, n *Notebook) error {
		i, err := e.find(n, r)
		if err != nil {
			return err
		}
		ids := make([]string, len(n.Cells))
		for i, c := range n.Cells {
			ids[i] = c.id
		}
		if order == nil {
			order = ids
		}
		if !slices.Equal(order, ids) {
			return fmt.Errorf("%w: its cells stand in another order now", ErrChanged)
		}
		e.Cell, e.Index = n.Cells[i], min(max(to, 0), len(n.Cells)-1)
		n.Move(i, e.Index)
		return nil
	}}
}

// DeleteCell takes a cell out.
func DeleteCell(r Ref) *Edit {
	return &Edit{apply: func(e *Edit, n *Notebook) error {
		i, err := e.find(n, r)
		if err != nil {
			return err
		}
		e.Cell, e.Index = n.Delete(i), i
		return nil
	}}
}

// A Ran is what became of a cell's run.
type Ran struct {
	CellID   string
	Asked    string // the cell's text when it was run
	Code     string // what ran: the user may have changed it
	Count    int
	Outputs  []json.RawMessage
	Language string
	Version  string
}

// SaveRuns puts the outputs of runs into their cells. A cell that is gone, or has
// another text meanwhile, is left as it is; saved holds the ids of the others.
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
