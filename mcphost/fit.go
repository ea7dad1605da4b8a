package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"

	"easel/internal/truncate"
	"easel/mcphost/tool"
)

// cutNote explains in a result that was too large how it was cut.
const cutNote = "The whole result is too large for MCP (%d kB), so %s. Ask for less with the tool's limits, filter or cursor."

// fitted cuts text, a JSON object, until it fits: first long strings, then long arrays.
// Tools limit their output to what a model can use; fitted applies to any output.
func fitted(text json.RawMessage, fits func(json.RawMessage) bool) (json.RawMessage, error) {
	if fits(text) {
		return text, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("a result that is no object: %w", err)
	}
	whole := len(text) / 1000
	for _, limit := range []struct {
		text, items int
		what        string
	}{
		{100_000, 1 << 30, "long texts are shortened"},
		{20_000, 1 << 30, "long texts are shortened"},
		{4_000, 1 << 30, "long texts are shortened"},
		{4_000, 1_000, "long texts and lists are shortened"},
		{1_000, 200, "long texts and lists are shortened"},
		{200, 20, "all but short texts and lists are shortened"},
		{50, 3, "almost all of it is omitted"},
	} {
		for name, v := range object {
			object[name] = cutValue(v, limit.text, limit.items)
		}
		object["cut"] = fmt.Sprintf(cutNote, whole, limit.what)
		short, err := tool.Marshal(object)
		if err != nil {
			return nil, err
		}
		if text = short; fits(text) {
			break
		}
	}
	return text, nil
}

// cutValue cuts the strings and arrays of a decoded JSON value.
func cutValue(v any, text, items int) any {
	switch v := v.(type) {
	case string:
		return truncate.Middle(v, text)
	case []any:
		v = v[:min(len(v), items)]
		for i := range v {
			v[i] = cutValue(v[i], text, items)
		}
		return v
	case map[string]any:
		kept := make(map[string]any, min(len(v), items))
		for name, member := range v {
			if len(kept) == items {
				break
			}
			kept[truncate.Middle(name, text)] = cutValue(member, text, items)
		}
		return kept
	default:
		return v
	}
}
