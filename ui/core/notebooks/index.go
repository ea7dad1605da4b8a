package notebooks

import (
	"strings"
)

// An Index has what is needed to find the cell that some code was run from: the cells of a
// notebook without their outputs.
type Index struct {
	cells  []indexCell
	byID   map[string]int
	source map[string][]int // indexes of the code cells by text
	old    bool             // the format has no ids, so that they do not last
}

// An indexCell is a cell in an Index.
type indexCell struct {
	id, text, heading string
	count             int
}

// Index returns the index of the notebook.
func (n *Notebook) Index() *Index {
	x := &Index{byID: make(map[string]int), source: make(map[string][]int), old: n.number("nbformat_minor") < minorIDs}
	heading := ""
	for i, c := range n.Cells {
		x.byID[c.id] = i
		text := trimmed(c.Source())
		if c.Type() == Markdown {
			if found := lastHeading(text); found != "" {
				heading = found
			}
		}
		x.cells = append(x.cells, indexCell{c.id, text, heading, c.ExecutionCount()})
		if c.Type() == Code && text != "" {
			x.source[text] = append(x.source[text], i)
		}
	}
	return x
}

// trimmed returns the text of a cell without the white space around it, which some frontends
// remove before they run it.
func trimmed(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// lastHeading returns the text of the last heading in a Markdown text; "" if there is none.
func lastHeading(markdown string) string {
	found := headings(markdown)
	last := found[strings.LastIndex(found, "\n")+1:]
	return strings.TrimSpace(strings.TrimLeft(last, "#"))
}

// A Drawer is code that was run in a notebook's kernel.
type Drawer struct {
	Cell  string // id of the cell, if known
	Code  string
	Count int  // the n of In [n]; 0 if unknown
	Own   bool // Easel ran it; if Cell is unknown, it was not run from a cell
}

// A CellPlace is where the cell of a Drawer is now.
type CellPlace struct {
	ID      string // of the cell; "" if no cell is known
	Index   int    // -1 if the cell is gone
	Heading string // the last one above the cell; "" if there is none
	Changed bool   // its text is no longer the code that was run
}

// Len returns the number of cells.
func (x *Index) Len() int { return len(x.cells) }

// Find returns the cell that d was run from. A cell that was cut and pasted may have another
// id, but has the same text.
func (x *Index) Find(d Drawer) CellPlace {
	code := trimmed(d.Code)
	if i, ok := x.byID[d.Cell]; ok && d.Cell != "" {
		return x.found(i, code)
	}
	if i, ok := x.match(d, code); ok {
		return x.found(i, code)
	}
	if d.Cell != "" && !x.old {
		return CellPlace{ID: d.Cell, Index: -1}
	}
	return CellPlace{}
}

func (x *Index) found(i int, code string) CellPlace {
	c := x.cells[i]
	return CellPlace{c.id, i, c.heading, c.text != code}
}

// match finds the cell of d by its text and, if several cells have it, by its number. Code
// that Easel ran, but not from a cell, must have both.
func (x *Index) match(d Drawer, code string) (i int, ok bool) {
	same := x.source[code]
	var numbered []int
	for _, i := range same {
		if d.Count > 0 && x.cells[i].count == d.Count {
			numbered = append(numbered, i)
		}
	}
	switch {
	case len(numbered) == 1:
		return numbered[0], true
	case len(same) == 1 && (!d.Own || d.Cell != ""):
		return same[0], true
	default:
		return 0, false
	}
}
