// Package notebooks reads and edits Jupyter notebooks on a Jupyter server. A [Notebook] is a
// document in nbformat 4; it preserves parts that this package does not know.
//
// A [Document] is a notebook that is read and edited in one way: [Files] are for notebooks
// that nobody has open, and use the server's Contents API without losing concurrent edits by
// others. A [Tab] is a JupyterLab tab that shows the notebook, and [RoomDocument] a document that
// several people edit together. [ReadHistory] remembers what each caller was told.
//
// The server decides about the format of the file, such as key order, indentation and
// multi-line strings, as it does for JupyterLab.
//
// # Goroutines
//
// A Notebook is not safe for concurrent use. The other types are; Files serializes the
// edits of each notebook. An edit in a tab has a goroutine that receives the tab's answers,
// until the edit ends. Rooms has one for each process that it starts; Close ends them.
package notebooks

import (
	"cmp"
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

// The version of nbformat that is read, and the minor version that is written. 4.5
// introduced cell ids.
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

// ErrCellNotFound means that the notebook does not have the cell.
var ErrCellNotFound = errors.New("no such cell")

// A FormatError says why a file is not a notebook that can be read or edited.
type FormatError struct {
	Reason string
	Old    bool // it is a notebook in another major version of the format
}

// Error returns the Reason.
func (e *FormatError) Error() string { return e.Reason }

// An object is a JSON object whose values are kept undecoded.
type object map[string]json.RawMessage

func (o object) put(key string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("notebooks: " + err.Error()) // cannot happen: v is a string, a number or valid JSON
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
	fields object // all except cells
}

// A Cell is one cell of a notebook.
type Cell struct {
	id     string
	fields object // all except id
}

// A Kernel is the kernel that a notebook's metadata names.
type Kernel struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language,omitempty"`
}

// New returns an empty notebook for a kernel.
func New(k Kernel) *Notebook {
	n := &Notebook{fields: object{}}
	n.fields.put("nbformat", major)
	n.fields.put("nbformat_minor", minorIDs)
	n.fields.put("metadata", map[string]any{"kernelspec": k})
	return n
}

// Parse parses a notebook. Cells without an id, which nbformat 4.4 and older allow, and those
// whose id is invalid, get one derived from their text, so that it is the same the next time.
// If raw is not in nbformat 4, the error is a *FormatError.
func Parse(raw []byte) (*Notebook, error) { return parse(raw, validID.MatchString) }

// parseOpen is like Parse, for a notebook that is open: the program that shows it knows its
// cells by their ids, also by those that nbformat does not allow.
func parseOpen(raw []byte) (*Notebook, error) {
	return parse(raw, func(id string) bool { return id != "" })
}

func parse(raw []byte, valid func(id string) bool) (*Notebook, error) {
	n := &Notebook{}
	if err := json.Unmarshal(raw, &n.fields); err != nil || n.fields == nil {
		return nil, &FormatError{Reason: "it is not a notebook: its content is not a JSON object"}
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
			return nil, &FormatError{Reason: "it is not a notebook: one of its cells is not an object"}
		}
		c := &Cell{fields: fields, id: fields.text("id")}
		delete(fields, "id")
		n.Cells = append(n.Cells, c)
	}
	n.identify(valid)
	return n, nil
}

func (n *Notebook) number(key string) int {
	var v int
	if json.Unmarshal(n.fields[key], &v) != nil {
		return 0
	}
	return v
}

// validID matches valid cell ids in nbformat 4.5.
var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// identify gives an id to each cell without a valid and unique one.
func (n *Notebook) identify(valid func(id string) bool) {
	taken := make(map[string]bool, len(n.Cells))
	for _, c := range n.Cells {
		if !valid(c.id) || taken[c.id] {
			c.id = ""
			continue
		}
		taken[c.id] = true
	}
	for _, c := range n.Cells {
		for nth := 0; c.id == ""; nth++ {
			// The hash of the text, with a number if it is taken, does not depend on
			// cells with another text.
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", c.Type(), c.Source(), nth))
			if id := hex.EncodeToString(sum[:4]); !taken[id] {
				c.id, taken[id] = id, true
			}
		}
	}
}

// MarshalJSON encodes the notebook in nbformat 4.5, or in the later 4.x that it was read in.
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

// Upgraded reports whether the server converted the notebook from an older major version
// when it read it, and returns that version. Writing it would convert the file.
func (n *Notebook) Upgraded() (from int, ok bool) {
	var meta object
	var v int
	if json.Unmarshal(n.fields["metadata"], &meta) != nil || json.Unmarshal(meta["orig_nbformat"], &v) != nil {
		return 0, false
	}
	return v, v > 0 && v < major
}

// Kernel returns the kernel in the notebook's metadata, or the zero Kernel if there is none.
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
	meta.Kernelspec.Language = cmp.Or(meta.Kernelspec.Language, meta.LanguageInfo.Name)
	return meta.Kernelspec
}

// SetLanguage stores the language of the kernel that ran the notebook, unless the notebook
// already has one.
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

// A Ref refers to a cell, by its id or its index. If it has both, they must mean the same cell.
type Ref struct {
	ID    string
	Index *int // 0-based
}

// Find returns the index of a cell, or ErrCellNotFound.
func (n *Notebook) Find(r Ref) (int, error) {
	if r.ID != "" {
		i := slices.IndexFunc(n.Cells, func(c *Cell) bool { return c.id == r.ID })
		if i < 0 {
			return 0, fmt.Errorf("%w: no cell has the id %q", ErrCellNotFound, r.ID)
		}
		if r.Index != nil && *r.Index != i {
			return 0, fmt.Errorf("%w: the cell %q has the index %d, not %d", ErrCellNotFound, r.ID, i, *r.Index)
		}
		return i, nil
	}
	if r.Index == nil || *r.Index < 0 || *r.Index >= len(n.Cells) {
		return 0, fmt.Errorf("%w: the notebook has %d cells, counted from 0", ErrCellNotFound, len(n.Cells))
	}
	return *r.Index, nil
}

// Insert inserts a new cell with a new id at index i, which must not exceed the number of
// cells.
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
		id := strings.ReplaceAll(uuid.NewString(), "-", "")[:8] // as nbformat generates them
		if !slices.ContainsFunc(n.Cells, func(c *Cell) bool { return c.id == id }) {
			return id
		}
	}
}

// Move moves the cell at index i to index to. Both must be valid.
func (n *Notebook) Move(i, to int) {
	c := n.Cells[i]
	n.Cells = slices.Insert(slices.Delete(n.Cells, i, i+1), to, c)
}

// Delete removes and returns the cell at index i, which must be valid.
func (n *Notebook) Delete(i int) *Cell {
	c := n.Cells[i]
	n.Cells = slices.Delete(n.Cells, i, i+1)
	return c
}
