package notebooks

import (
	"encoding/json"
	"strings"
)

// ID is the cell's id: stable, unique in its notebook.
func (c *Cell) ID() string { return c.id }

// Type is code, markdown or raw; raw too where the file has a type that the format
// does not know.
func (c *Cell) Type() string {
	switch t := c.fields.text("cell_type"); t {
	case Code, Markdown:
		return t
	default:
		return Raw
	}
}

// Source is the cell's text.
func (c *Cell) Source() string { return c.fields.text("source") }

// ExecutionCount is the n of In [n]; 0 for a cell that has not run.
func (c *Cell) ExecutionCount() int {
	var n int
	if json.Unmarshal(c.fields["execution_count"], &n) != nil {
		return 0
	}
	return n
}

// Outputs are the outputs of a code cell, as they stand in the notebook.
func (c *Cell) Outputs() []json.RawMessage {
	var outputs []json.RawMessage
	if json.Unmarshal(c.fields["outputs"], &outputs) != nil {
		return nil
	}
	return outputs
}

// SetSource changes the text. The outputs of a code cell go: they are those of
// another text.
func (c *Cell) SetSource(source string) {
	if source == c.Source() {
		return
	}
	c.fields.put("source", source)
	if c.Type() == Code {
		c.SetOutputs(nil, 0)
	}
}

// SetOutputs puts the outputs of a run into a code cell; count 0 means that it
// has not run.
func (c *Cell) SetOutputs(outputs []json.RawMessage, count int) {
	if outputs == nil {
		outputs = []json.RawMessage{}
	}
	c.fields.put("outputs", outputs)
	if count == 0 {
		c.fields["execution_count"] = json.RawMessage("null")
		return
	}
	c.fields.put("execution_count", count)
}

// same tells whether two readings of a cell have the same type and text.
func (c *Cell) same(d *Cell) bool { return c.Type() == d.Type() && c.Source() == d.Source() }

// lines reads a text of a notebook: a string, or a list of its lines.
func lines(raw json.RawMessage) (string, bool) {
	if len(raw) > 0 && raw[0] == '[' {
		var parts []string
		if json.Unmarshal(raw, &parts) != nil {
			return "", false
		}
		return strings.Join(parts, ""), true
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}
