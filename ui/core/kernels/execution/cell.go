package execution

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"easel/internal/truncate"
	"easel/jupyter/wire"
)

// maxOutputs is the largest size of the outputs for a notebook cell, in bytes.
const maxOutputs = 32 << 20

// A Cell keeps the outputs of an execution for the cell of a notebook, in its format (nbformat 4).
// The zero value keeps none.
type Cell struct {
	mu        sync.Mutex
	on        bool // it keeps outputs
	list      []CellOutput
	bytes     int   // of list
	omitted   int64 // bytes left out because of maxOutputs
	clearNext bool  // clear_output(wait=True) was received
	version   int   // increases with each change
}

// A CellOutput is one output of a cell.
type CellOutput struct {
	kind    string // output_type
	name    string // of a stream
	text    []byte // of a stream
	display string // display_id; "" if it has none
	size    int
	fields  map[string]any // all fields but output_type; nil for a stream
}

// Outputs returns the outputs in the format of a notebook: streams are joined, and displays have
// their latest data. It returns nil after [Cell.Forget]. The version increases when they change.
func (c *Cell) Outputs() (raws []json.RawMessage, version int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return nil, 0
	}
	raws = make([]json.RawMessage, 0, len(c.list)+1)
	for _, o := range c.list {
		if raw, err := o.marshal(); err == nil { // cannot fail for data that the kernel sent as JSON
			raws = append(raws, raw)
		}
	}
	if c.omitted > 0 {
		note := CellOutput{kind: "stream", name: "stderr", text: fmt.Appendf(nil,
			"[Easel: %d bytes of output were left out of the notebook, which keeps up to %d MiB of a cell]\n", c.omitted, maxOutputs>>20)}
		raw, _ := note.marshal()
		raws = append(raws, raw)
	}
	return raws, c.version
}

// Updatable reports whether a later execution may still change the outputs, because they
// have a display with an id.
func (c *Cell) Updatable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.list {
		if o.display != "" {
			return true
		}
	}
	return false
}

// Forget frees the outputs, once they are in the notebook.
func (c *Cell) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = false
	c.clear()
}

func (o CellOutput) marshal() (json.RawMessage, error) {
	m := map[string]any{"output_type": o.kind}
	maps.Copy(m, o.fields)
	if o.kind == "stream" {
		m["name"], m["text"] = o.name, string(o.text)
	}
	return json.Marshal(m)
}

// Kept reports whether the cell keeps outputs.
func (c *Cell) Kept() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.on
}

// Clear removes the outputs, with wait only before the next.
func (c *Cell) Clear(wait bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return
	}
	if c.clearNext = wait; !wait {
		c.clear()
	}
}

// Add adds an output. It joins consecutive output of the same stream.
func (c *Cell) Add(o CellOutput) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return
	}
	if c.clearNext {
		c.clear()
	}
	c.add(o)
}

// DecodeCellOutput converts m to an output. It returns false if m is not an output message.
func DecodeCellOutput(m *wire.Message) (CellOutput, bool) {
	o := CellOutput{kind: m.Header.MsgType, size: len(m.Content)}
	switch m.Header.MsgType {
	case "stream":
		var s wire.Stream
		if m.Decode(&s) != nil {
			return o, false
		}
		o.name, o.text, o.size = s.Name, []byte(s.Text), len(s.Text)
	case "error":
		var e wire.ErrorContent
		if m.Decode(&e) != nil {
			return o, false
		}
		o.fields = map[string]any{"ename": e.Ename, "evalue": e.Evalue, "traceback": append([]string{}, e.Traceback...)}
	case "execute_result":
		var d wire.ExecuteResult
		if m.Decode(&d) != nil {
			return o, false
		}
		o.display = d.Transient.DisplayID
		o.fields = map[string]any{"data": d.Data, "metadata": object(d.Metadata), "execution_count": d.ExecutionCount}
	case "display_data", "update_display_data":
		var d wire.DisplayData
		if m.Decode(&d) != nil {
			return o, false
		}
		o.kind, o.display = "display_data", d.Transient.DisplayID
		o.fields = map[string]any{"data": d.Data, "metadata": object(d.Metadata)}
	default:
		return o, false
	}
	return o, true
}

// DisplayJSON returns a display in the format of a notebook.
func DisplayJSON(d wire.DisplayData) ([]byte, error) {
	return CellOutput{kind: "display_data", fields: map[string]any{"data": d.Data, "metadata": object(d.Metadata)}}.marshal()
}

// object returns m, or an empty map if m is nil, because notebooks need an object, not null.
func object(m map[string]json.RawMessage) map[string]json.RawMessage {
	if m == nil {
		return map[string]json.RawMessage{}
	}
	return m
}

// Update replaces the data of the outputs that have the display_id of o, if it has one.
func (c *Cell) Update(o CellOutput) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on || o.display == "" {
		return
	}
	for i, former := range c.list {
		if former.display != o.display {
			continue
		}
		fields := map[string]any{"data": o.fields["data"], "metadata": o.fields["metadata"]}
		if n, ok := former.fields["execution_count"]; ok {
			fields["execution_count"] = n
		}
		c.list[i].fields, c.list[i].size = fields, o.size
		c.bytes += o.size - former.size
		c.version++
	}
}

// clear removes the outputs. The caller holds c.mu.
func (c *Cell) clear() {
	c.list, c.bytes, c.omitted, c.clearNext = nil, 0, 0, false
	c.version++
}

// add appends an output. The caller holds c.mu.
func (c *Cell) add(next CellOutput) {
	c.version++
	if over := c.bytes + next.size - maxOutputs; over > 0 {
		if next.kind != "stream" || over >= next.size {
			c.omitted += int64(next.size)
			return
		}
		c.omitted += int64(over)
		next.text = truncate.TrimEnd(next.text[:next.size-over])
		next.size = len(next.text)
	}
	c.bytes += next.size
	if last := len(c.list) - 1; next.kind == "stream" && last >= 0 && c.list[last].kind == "stream" && c.list[last].name == next.name {
		c.list[last].text = append(c.list[last].text, next.text...)
		c.list[last].size += next.size
		return
	}
	c.list = append(c.list, next)
}
