// Package notebooks reads and edits Jupyter notebooks where they lie: on a Jupyter
// server, through its Contents API. A [Notebook] is a document in nbformat 4
// whose unknown parts survive as they were; [Files] reads and writes it so that
// nobody's edit is lost.
//
// How a notebook is laid out in its file (key order, indent, long texts as lists
// of lines) is the server's business: it writes what is sent here just as it
// writes what JupyterLab sends.
//
// # Goroutines
//
// A Notebook belongs to one goroutine. Files may be used by any number: edits of
// one notebook follow each other. The package starts none.
package notebooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// The versions of nbformat: what is read, and what is written. Cells have ids
// since 4.5.
const (
	major    = 4
	minorIDs = 5
)

// The types of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// ErrCellNotFound tells that the notebook has no such cell.
var ErrCellNotFound = errors.New("no such cell")

// A FormatError tells that something is no notebook of a kind that can be edited.
type FormatError struct {
	Reason string
	Old    bool // it is one, of another major version
}

// Error tells why not.
func (e *FormatError) Error() string { return e.Reason }

// object is a JSON object whose values are left as they came.
type object map[string]json.RawMessage

func (o object) put(key string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("notebooks: " + err.Error()) // only our own strings, numbers and raw JSON come here
	}
	o[key] = raw
}

func (o object) text(key string) string {
	s, _ := lines(o[key])
	return s
}

// A Notebook is a document in nbformat 4.
type Notebook struct {
	Cells  []*Cell
	fields object // all but cells
}

// A Cell is one cell of a notebook.
type Cell struct {
	id     string
	fields object // all but id
}

// A Kernel is what a notebook says about the kernel it wants.
type Kernel struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language,omitempty"`
}

// New makes an empty notebook for a kernel.
func New(k Kernel) *Notebook {
	n := &Notebook{fields: object{}}
	n.fields.put("nbformat", major)
	n.fields.put("nbformat_minor", minorIDs)
	n.fields.put("metadata", map[string]any{"kernelspec": k})
	return n
}

// Parse reads a notebook. Cells without an id get one that depends on their text,
// so that it is the same at the next reading: older minor versions have none.
// Anything but nbformat 4 is a *FormatError.
func Parse(raw []byte) (*Notebook, error) {
	n := &Notebook{}
	if err := json.Unmarshal(raw, &n.fields); err != nil || n.fields == nil {
		return nil, &FormatError{Reason: "it is not a notebook: its content is no JSON object"}
	}
	if v := n.number("nbformat"); v != major {
		return nil, &FormatError{fmt.Sprintf("it is in notebook format %d; only format 4 (Jupyter since 2015) can be used here", v), v > 0}
	}
	var cells []object
	if err := json.Unmarshal(n.fields["cells"], &cells); err != nil {
		return nil, &FormatError{Reason: "it is not a notebook: it has no list of cells"}
	}
	delete(n.fields, "cells")
	for _, fields := range cells {
		if fields == nil {
			return nil, &FormatError{Reason: "it is not a notebook: one of its cells is no object"}
		}
		c := &Cell{fields: fields, id: fields.text("id")}
		delete(fields, "id")
		n.Cells = append(n.Cells, c)
	}
	n.identify()
	return n, nil
}

func (n *Notebook) number(key string) int {
	var v int
	if json.Unmarshal(n.fields[key], &v) != nil {
		return 0
	}
	return v
}

// validID is what nbformat 4.5 takes as a cell's id.
var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// identify gives an id to each cell that has none of its own.
func (n *Notebook) identify() {
	taken := make(map[string]bool, len(n.Cells))
	for _, c := range n.Cells {
		if !validID.MatchString(c.id) || taken[c.id] {
			c.id = ""
			continue
		}
		taken[c.id] = true
	}
	for _, c := range n.Cells {
		for nth := 0; c.id == ""; nth++ {
			// The text and how many have the same before: an id that stays when
			// other cells come and go.
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", c.Type(), c.Source(), nth))
			if id := hex.EncodeToString(sum[:4]); !taken[id] {
				c.id, taken[id] = id, true
			}
		}
	}
}

// MarshalJSON writes the notebook as nbformat 4.5, or as the later 4.x that it
// came in.
func (n *Notebook) MarshalJSON() ([]byte, error) {
	out := make(object, len(n.fields)+1)
	maps.Copy(out, n.fields)
	if n.number("nbformat_minor") < minorIDs {
		out.put("nbformat_minor", minorIDs)
	}
	if out["metadata"] == nil {
		out.put("metadata", object{})
	}
	cells := make([]object, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = make(object, len(c.fields)+1)
		maps.Copy(cells[i], c.fields)
		cells[i].put("id", c.id)
	}
	out.put("cells", cells)
	return json.Marshal(out)
}

// Upgraded tells whether the server converted the notebook from an older major
// version when it read it: written back, the file would be another one.
func (n *Notebook) Upgraded() (from int, ok bool) {
	var meta object
	var v int
	if json.Unmarshal(n.fields["metadata"], &meta) != nil || json.Unmarshal(meta["orig_nbformat"], &v) != nil {
		return 0, false
	}
	return v, v > 0 && v < major
}

// Kernel is the kernel that the notebook wants; zero if it does not say.
func (n *Notebook) Kernel() Kernel {
	var meta struct {
		Kernelspec   Kernel `json:"kernelspec"`
		LanguageInfo struct {
			Name string `json:"name"`
		} `json:"language_info"`
	}
	if json.Unmarshal(n.fields["metadata"], &meta) != nil {
		return Kernel{}
	}
	if meta.Kernelspec.Language == "" {
		meta.Kernelspec.Language = meta.LanguageInfo.Name
	}
	return meta.Kernelspec
}

// SetLanguage notes the language of the kernel that ran the notebook, unless the
// notebook knows it.
func (n *Notebook) SetLanguage(name, version string) {
	meta := object{}
	if json.Unmarshal(n.fields["metadata"], &meta) != nil || name == "" || meta["language_info"] != nil {
		return
	}
	info := map[string]string{"name": name}
	if version != "" {
		info["version"] = version
	}
	meta.put("language_info", info)
	n.fields.put("metadata", meta)
}

// A Ref names a cell: by its id, or by its index.
type Ref struct {
	ID    string
	Index *int // 0-based
}

// Find is the index of a cell. Without one it is ErrCellNotFound.
func (n *Notebook) Find(r Ref) (int, error) {
	if r.ID != "" {
		i := slices.IndexFunc(n.Cells, func(c *Cell) bool { return c.id == r.ID })
		if i < 0 {
			return 0, fmt.Errorf("%w: no cell has the id %q", ErrCellNotFound, r.ID)
		}
		return i, nil
	}
	if r.Index == nil || *r.Index < 0 || *r.Index >= len(n.Cells) {
		return 0, fmt.Errorf("%w: the notebook has %d cells, counted from 0", ErrCellNotFound, len(n.Cells))
	}
	return *r.Index, nil
}

// Insert puts a new cell at position i, and gives it an id.
func (n *Notebook) Insert(i int, cellType, source string) *Cell {
	c := &Cell{id: n.newID(), fields: object{}}
	c.fields.put("cell_type", cellType)
	c.fields.put("metadata", object{})
	c.fields.put("source", source)
	if cellType == Code {
		c.SetOutputs(nil, 0)
	}
	n.Cells = slices.Insert(n.Cells, i, c)
	return c
}

func (n *Notebook) newID() string {
	for {
		id := strings.ReplaceAll(uuid.NewString(), "-", "")[:8] // the form that nbformat gives
		if !slices.ContainsFunc(n.Cells, func(c *Cell) bool { return c.id == id }) {
			return id
		}
	}
}

// Move takes the cell at i to the place where it then has index to.
func (n *Notebook) Move(i, to int) {
	c := n.Cells[i]
	n.Cells = slices.Insert(slices.Delete(n.Cells, i, i+1), to, c)
}

// Delete takes the cell at i out.
func (n *Notebook) Delete(i int) *Cell {
	c := n.Cells[i]
	n.Cells = slices.Delete(n.Cells, i, i+1)
	return c
}
