package notebooks

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// ReadHistory remembers what each caller was last told about each notebook. An edit that is based
// on an older version is refused, so that it does not overwrite what the user did since. The
// zero value is ready to use.
type ReadHistory struct {
	mu    sync.Mutex
	known map[reader]*view
}

// maxSeen is the maximum number of notebooks and callers in Seen.
const maxSeen = 256

// A reader is a caller and a notebook.
type reader struct {
	caller string
	fileKey
}

// A view is what a caller knows of a notebook.
type view struct {
	order []string            // ids of the cells
	cells map[string]cellSeen // by id; only those that the caller was shown
}

// A cellSeen is a cell as a caller was shown it, by hashes.
type cellSeen struct{ source, outputs [sha256.Size]byte }

func seenAs(c *Cell) cellSeen {
	return cellSeen{
		sha256.Sum256([]byte(c.Type() + "\x00" + c.Source())),
		sha256.Sum256(fmt.Appendf(compact(c.fields["outputs"]), "\x00%d", c.ExecutionCount())),
	}
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// A StaleError reports that a cell is not as the caller was last told.
type StaleError struct {
	Index int   // of the cell now
	Cell  *Cell // now
	Moved bool  // another cell is at the index that the caller gave
}

// Error says what has changed.
func (e *StaleError) Error() string {
	if e.Moved {
		return "cells were added, removed or moved since you last read the notebook"
	}
	return "somebody else has changed the cell since you last read it"
}

// A Caller is one caller's view of one notebook.
type Caller struct {
	seen *ReadHistory
	key  reader
}

// By returns the view of a caller on the notebook at path.
func (s *ReadHistory) By(caller string, on Server, path string) Caller {
	return Caller{s, reader{caller, fileKey{on, path}}}
}

// Inherit takes over what the caller knows of the notebook under its former path, unless it
// knows the notebook under the present one.
func (c Caller) Inherit(former Caller) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	if v := former.get(); v != nil && c.get() == nil {
		c.seen.known[c.key] = v
		delete(c.seen.known, former.key)
	}
}

// get returns the view; nil if the caller has not read the notebook. The caller holds the
// mutex.
func (c Caller) get() *view { return c.seen.known[c.key] }

// Told records that the caller was told about some cells of n, by index.
func (c Caller) Told(n *Notebook, indexes ...int) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	v := c.get()
	if v == nil {
		if len(c.seen.known) >= maxSeen || c.seen.known == nil {
			c.seen.known = make(map[reader]*view)
		}
		v = &view{cells: make(map[string]cellSeen)}
		c.seen.known[c.key] = v
	}
	v.order = n.ids()
	for _, i := range indexes {
		v.cells[n.Cells[i].id] = seenAs(n.Cells[i])
	}
	for id := range v.cells {
		if !slices.Contains(v.order, id) {
			delete(v.cells, id)
		}
	}
}

// Check returns a *StaleError if the caller has read the notebook, and what it refers to
// has changed since.
func (c Caller) Check(n *Notebook, r Ref) error {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	v := c.get()
	if v == nil {
		return nil
	}
	i, err := n.Find(r)
	if err != nil {
		return err
	}
	cell := n.Cells[i]
	if r.ID == "" && (i >= len(v.order) || v.order[i] != cell.id) {
		return &StaleError{Index: i, Cell: cell, Moved: true}
	}
	if was, ok := v.cells[cell.id]; ok && was.source != seenAs(cell).source {
		return &StaleError{Index: i, Cell: cell}
	}
	return nil
}

// Shown records that the caller was told about one cell.
func (c Caller) Shown(cell *Cell) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	if v := c.get(); v != nil {
		v.cells[cell.id] = seenAs(cell)
	}
}

// Position returns where a new cell belongs that the caller wants at position: below
// the same cell as in the version that the caller knows. If that cell is gone, it returns a
// *StaleError.
func (c Caller) Position(n *Notebook, position int) (int, error) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	v := c.get()
	if v == nil || position <= 0 || position > len(v.order) {
		return position, nil
	}
	i := slices.Index(n.ids(), v.order[position-1])
	if i < 0 {
		return 0, &StaleError{Moved: true}
	}
	return i + 1, nil
}

// Did records an edit by the caller, who knows what it has done.
func (c Caller) Did(e *Edit) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	v := c.get()
	if v == nil {
		return
	}
	for _, ch := range e.changes {
		was := slices.Index(v.order, ch.Cell)
		if was >= 0 && (ch.Op == opDelete || ch.Op == opMove) {
			v.order = slices.Delete(v.order, was, was+1)
		}
		switch ch.Op {
		case opDelete:
			delete(v.cells, ch.Cell)
			continue
		case opInsert, opMove: // below the cell above; at the top if the caller does not know that cell
			v.order = slices.Insert(v.order, slices.Index(v.order, ch.After)+1, ch.Cell)
		}
		if e.Cell != nil && e.Cell.id == ch.Cell {
			v.cells[ch.Cell] = seenAs(e.Cell)
		}
	}
}

// Changes returns the indexes of the cells of n that are new or differ from what the caller
// was told, and the ids of those that are gone. It reports false if the caller has not read
// the notebook; then every cell is new.
func (c Caller) Changes(n *Notebook) (changed []int, removed []string, ok bool) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	v := c.get()
	if v == nil {
		v = new(view)
	}
	for i, cell := range n.Cells {
		if was, ok := v.cells[cell.id]; !ok || was != seenAs(cell) {
			changed = append(changed, i)
		}
	}
	now := n.ids()
	for _, id := range v.order {
		if !slices.Contains(now, id) {
			removed = append(removed, id)
		}
	}
	return changed, removed, c.get() != nil
}

func (n *Notebook) ids() []string {
	ids := make([]string, len(n.Cells))
	for i, c := range n.Cells {
		ids[i] = c.id
	}
	return ids
}
