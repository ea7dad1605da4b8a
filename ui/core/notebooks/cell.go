package notebooks

import (
	"encoding/json"
	"strings"
)

// ID returns the cell's id, which is stable and unique in its notebook.
func (c *Cell) ID() string { return c.id }

// Type returns Code, Markdown or Raw. It returns Raw also for types that the format does
// not define.
func (c *Cell) Type() string {
	switch t := c.fields.text("cell_type"); t {
	case Code, Markdown:
		return t
	default:
		return Raw
	}
}

// Source returns the cell's text.
func (c *Cell) Source() string { return c.fields.text("source") }

// ExecutionCount returns the n of In [n], or 0 for a cell that has not run.
func (c *Cell) ExecutionCount() int {
	var n int
	if json.Unmarshal(c.fields["execution_count"], &n) != nil {
		return 0
	}
	return n
}

// Outputs returns the outputs of a code cell, in nbformat.
func (c *Cell) Outputs() []json.RawMessage {
	var outputs []json.RawMessage
	if json.Unmarshal(c.fields["outputs"], &outputs) != nil {
		return nil
	}
	return outputs
}

// SetSource changes the text. If it differs, it removes the outputs of a code cell, which
// belong to the previous text.
func (c *Cell) SetSource(source string) {
	if source == c.Source() {
		return
	}
	c.fields.put("source", source)
	if c.Type() == Code {
		c.SetOutputs(nil, 0)
	}
}

// SetOutputs sets the outputs and the execution count of a code cell. A count of 0 means
// that it has not run.
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

// same reports whether c and d have the same type and text.
func (c *Cell) same(d *Cell) bool { return c.Type() == d.Type() && c.Source() == d.Source() }

// lines returns a text of a notebook, which in JSON is a string or a list of lines.
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
