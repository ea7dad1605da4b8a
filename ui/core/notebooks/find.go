package notebooks

import (
	"encoding/json"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// All returns the index of each cell.
func (n *Notebook) All() []int {
	all := make([]int, len(n.Cells))
	for i := range all {
		all[i] = i
	}
	return all
}

// Containing returns those of the cells at indexes whose source or outputs contain text,
// whatever its case.
func (n *Notebook) Containing(indexes []int, text string) []int {
	text = strings.ToLower(text)
	var found []int
	for _, i := range indexes {
		if n.Cells[i].contains(text) {
			found = append(found, i)
		}
	}
	return found
}

func (c *Cell) contains(lower string) bool {
	if strings.Contains(strings.ToLower(c.Source()), lower) {
		return true
	}
	for _, raw := range c.Outputs() {
		if strings.Contains(strings.ToLower(outputText(raw)), lower) {
			return true
		}
	}
	return false
}

// Outline returns the headings of the notebook and its cells with errors. The source of
// each is its headings, or its first line.
func (n *Notebook) Outline(indexes []int) []catalog.NotebookCell {
	outline := []catalog.NotebookCell{}
	for _, i := range indexes {
		c := n.Cells[i]
		v := c.header(i)
		if c.Type() == Markdown {
			v.Source = headings(c.Source())
		} else {
			v.Source, _, _ = strings.Cut(strings.TrimSpace(c.Source()), "\n")
			v.Outputs = c.failures()
		}
		if v.Source == "" || c.Type() != Markdown && v.Outputs == nil {
			continue
		}
		v.Source = truncate.Middle(v.Source, briefText)
		if v.Source != c.Source() {
			v.Cut = &catalog.TruncatedCell{SourceBytes: len(c.Source())}
		}
		outline = append(outline, v)
	}
	return outline
}

// headings returns the lines of a Markdown text that are headings. Lines in fenced code are
// not.
func headings(markdown string) string {
	var found []string
	fenced := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if !fenced && level >= 1 && level <= 6 && strings.HasPrefix(line[level:], " ") {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// failures returns the errors in the cell's outputs, without their tracebacks.
func (c *Cell) failures() []catalog.CellOutput {
	var errs []catalog.CellOutput
	for _, raw := range c.Outputs() {
		var o struct {
			OutputType string `json:"output_type"`
			Ename      string `json:"ename"`
			Evalue     string `json:"evalue"`
		}
		if json.Unmarshal(raw, &o) == nil && o.OutputType == "error" {
			o.Evalue = truncate.Middle(o.Evalue, briefText)
			errs = append(errs, catalog.CellOutput{OutputType: "error", Ename: o.Ename, Evalue: o.Evalue})
		}
	}
	return errs
}
