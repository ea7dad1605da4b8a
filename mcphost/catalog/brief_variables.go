package catalog

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"easel/mcphost/tool"
)

// Brief implements tool.Briefer.
func (o GetVariablesOut) Brief([]string) any {
	const most, large = 100, 10 << 20
	b := struct {
		Result
		SessionNews
		Variables []Variable `json:"variables"`
		Omitted   string     `json:"omitted,omitempty"`
	}{Result: o.Result, SessionNews: o.SessionNews, Variables: []Variable{}}
	for _, v := range o.Variables[:min(len(o.Variables), most)] {
		if v.MemoryBytes < large {
			v.MemoryBytes = 0
		}
		v.Name, v.Type = tool.Shorten(v.Name, 200), tool.Shorten(v.Type, 200)
		b.Variables = append(b.Variables, v)
	}
	if over := len(o.Variables) - most; over > 0 {
		b.Omitted = fmt.Sprintf("%d more: narrow the list with filter", over)
	}
	return b
}

// Brief implements tool.Briefer.
func (o GetDataFrameInfoOut) Brief([]string) any {
	const most = 30 // columns that are described
	b := struct {
		Result
		SessionNews
		Shape       []int64                   `json:"shape"`
		Columns     []string                  `json:"columns"`
		Dtypes      map[string]string         `json:"dtypes"`
		Head        []json.RawMessage         `json:"head,omitempty"`
		Describe    map[string]map[string]any `json:"describe"`
		MemoryBytes int64                     `json:"memory_bytes,omitempty"`
		Notes       []string                  `json:"notes,omitempty"`
	}{o.Result, o.SessionNews, o.Shape, o.Columns, o.Dtypes, o.Head, make(map[string]map[string]any, len(o.Describe)), o.MemoryBytes, o.Notes}
	wide := len(o.Columns) > most
	kept := make(map[string]bool, most)
	for _, c := range o.Columns[:min(len(o.Columns), most)] {
		kept[c] = true
	}
	for name, stats := range o.Describe {
		if wide && !kept[name] {
			continue
		}
		short := make(map[string]any, len(stats))
		for k, v := range stats {
			short[k] = sixDigits(v)
		}
		b.Describe[name] = short
	}
	if wide {
		b.Head = narrowed(o.Head, kept)
		b.Notes = append([]string{fmt.Sprintf("head and describe have the first %d of %d columns: for others, assign a narrower frame to a variable", most, len(o.Columns))}, o.Notes...)
	}
	return b
}

// narrowed returns rows with only some of their columns.
func narrowed(rows []json.RawMessage, kept map[string]bool) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(rows))
	for _, raw := range rows {
		var row map[string]json.RawMessage
		if json.Unmarshal(raw, &row) != nil {
			continue
		}
		for name := range row {
			if !kept[name] {
				delete(row, name)
			}
		}
		if raw, err := tool.Marshal(row); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// sixDigits rounds a number to the precision that a model needs. It returns other values
// unchanged.
func sixDigits(v any) any {
	f, ok := v.(float64)
	if !ok || f == math.Trunc(f) || math.IsNaN(f) || math.IsInf(f, 0) {
		return v
	}
	if size := math.Abs(f); size >= 1e5 && size < 1e15 { // its integer part is kept
		return json.Number(strconv.FormatFloat(f, 'f', 1, 64))
	}
	return json.Number(strconv.FormatFloat(f, 'g', 6, 64))
}
