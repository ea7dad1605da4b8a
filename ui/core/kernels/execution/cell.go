package execution

import (
	"encoding/json"
	"fmt"
	"maps"

	"easel/internal/truncate"
	"easel/jupyter/wire"
)

// maxOutputs is the largest size of the outputs for a notebook cell, in bytes.
const maxOutputs = 32 << 20

// outputs are the outputs of an execution in the format of a notebook (nbformat 4). Only
// executions of a cell have them. The execution's mutex guards them.
type outputs struct {
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

// CellOutputs returns the outputs of an execution with Request.Outputs, in the format of a
// notebook: streams are joined, and displays have their latest data. It returns nil after
// [Execution.Forget]. The version increases when the outputs change.
func (x *Execution) CellOutputs() (raws []json.RawMessage, version int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.outputs == nil {
		return nil, 0
	}
	raws = make([]json.RawMessage, 0, len(x.outputs.list)+1)
	for _, o := range x.outputs.list {
		if raw, err := o.marshal(); err == nil { // cannot fail for data that the kernel sent as JSON
			raws = append(raws, raw)
		}
	}
	if x.outputs.omitted > 0 {
		note := CellOutput{kind: "stream", name: "stderr", text: fmt.Appendf(nil,
			"[Easel: %d bytes of output were left out of the notebook, which keeps up to %d MiB of a cell]\n", x.outputs.omitted, maxOutputs>>20)}
		raw, _ := note.marshal()
		raws = append(raws, raw)
	}
	return raws, x.outputs.version
}

// Updatable reports whether a later execution may still change the outputs, because they
// have a display with an id.
func (x *Execution) Updatable() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.outputs == nil {
		return false
	}
	for _, o := range x.outputs.list {
		if o.display != "" {
			return true
		}
	}
	return false
}

// Forget frees the outputs, once they are in the notebook.
func (x *Execution) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.outputs = nil
}

func (o CellOutput) marshal() (json.RawMessage, error) {
	m := map[string]any{"output_type": o.kind}
	maps.Copy(m, o.fields)
	if o.kind == "stream" {
		m["name"], m["text"] = o.name, string(o.text)
	}
	return json.Marshal(m)
}

// HasCell reports whether x keeps outputs for a notebook.
func (x *Execution) HasCell() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.outputs != nil
}

// ClearCell removes the outputs of the cell, with wait only before the next.
func (x *Execution) ClearCell(wait bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.outputs == nil {
		return
	}
	if x.outputs.clearNext = wait; !wait {
		x.outputs.clear()
	}
}

// AddToCell adds an output to those of the cell.
func (x *Execution) AddToCell(o CellOutput) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.outputs == nil {
		return
	}
	if x.outputs.clearNext {
		x.outputs.clear()
	}
	x.outputs.add(o)
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

// UpdateCell replaces the data of the outputs of the cell that have the display_id of o, if it
// has one.
func (x *Execution) UpdateCell(o CellOutput) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.outputs == nil || o.display == "" {
		return
	}
	for i, former := range x.outputs.list {
		if former.display != o.display {
			continue
		}
		fields := map[string]any{"data": o.fields["data"], "metadata": o.fields["metadata"]}
		if n, ok := former.fields["execution_count"]; ok {
			fields["execution_count"] = n
		}
		x.outputs.list[i].fields, x.outputs.list[i].size = fields, o.size
		x.outputs.bytes += o.size - former.size
		x.outputs.version++
	}
}

func (o *outputs) clear() {
	o.list, o.bytes, o.omitted, o.clearNext = nil, 0, 0, false
	o.version++
}

// add appends an output. It joins consecutive output of the same stream.
func (o *outputs) add(next CellOutput) {
	o.version++
	if over := o.bytes + next.size - maxOutputs; over > 0 {
		if next.kind != "stream" || over >= next.size {
			o.omitted += int64(next.size)
			return
		}
		o.omitted += int64(over)
		next.text = truncate.TrimEnd(next.text[:next.size-over])
		next.size = len(next.text)
	}
	o.bytes += next.size
	if last := len(o.list) - 1; next.kind == "stream" && last >= 0 && o.list[last].kind == "stream" && o.list[last].name == next.name {
		o.list[last].text = append(o.list[last].text, next.text...)
		o.list[last].size += next.size
		return
	}
	o.list = append(o.list, next)
}
