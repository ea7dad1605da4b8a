package brief

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"easel/internal/tokens"
	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Limits of what a model reads of a wide table, about 600 tokens.
const (
	fewColumns  = 30  // are described whatever it costs
	wideTokens  = 260 // of the columns that are described of more
	nameTokens  = 110 // of further names
	mostCell    = 80  // characters of a value
	mostTopCell = 40  // characters of a most frequent value
)

// A frameForm is the form of a table for models: the names of the columns once, and rows as
// lists in their order.
type frameForm struct {
	catalog.Result
	catalog.SessionNews
	Name        string                    `json:"name"`
	Shape       []int64                   `json:"shape"`
	Columns     []string                  `json:"columns"`
	Dtypes      map[string]string         `json:"dtypes"`
	Index       *catalog.FrameIndex       `json:"index,omitempty"`
	Head        [][]json.RawMessage       `json:"head,omitempty"`
	Describe    map[string]map[string]any `json:"describe"`
	MemoryBytes int64                     `json:"memory_bytes,omitempty"`
	Notes       []string                  `json:"notes,omitempty"`
}

func getDataFrameInfoOut(o catalog.GetDataFrameInfoOut) any {
	rows := make([]map[string]json.RawMessage, len(o.Head))
	for i, raw := range o.Head {
		_ = json.Unmarshal(raw, &rows[i]) // of another form: an empty row
	}
	b := frameForm{
		Result: o.Result, SessionNews: o.SessionNews, Name: o.Name, Shape: o.Shape, Dtypes: make(map[string]string),
		Describe: make(map[string]map[string]any),
		Head:     make([][]json.RawMessage, len(rows)), MemoryBytes: o.MemoryBytes, Notes: o.Notes, Index: index(o.Index),
	}
	left, some := wideTokens, len(o.Shown) < len(o.Keys)
	for n, key := range o.Shown {
		column := columnForm{key: key, dtype: o.Dtypes[key], stats: stats(o, key)}
		for _, row := range rows {
			column.cells = append(column.cells, shortCell(row[key], mostCell))
		}
		if left -= column.tokens(); left < 0 && n > 2 && len(o.Shown) > fewColumns {
			some = true
			break
		}
		b.add(column)
	}
	if b.Columns == nil {
		b.Columns = []string{}
	}
	if some {
		b.Notes = append([]string{leftOut(o, len(b.Columns))}, b.Notes...)
	} else {
		b.Columns = o.Columns // as they are named, even if twice
	}
	return b
}

// leftOut says which columns are not described, and how to get them.
func leftOut(o catalog.GetDataFrameInfoOut, shown int) string {
	line := fmt.Sprintf("%d of %d columns are shown, and head has those; pass columns, for example [\"name\", \"prefix*\"], for others: ", shown, len(o.Keys))
	var names []string
	left, skipped := nameTokens, 0
	for _, key := range slices.DeleteFunc(slices.Clone(o.Keys),
		func(k string) bool { return slices.Contains(o.Shown[:min(shown, len(o.Shown))], k) }) {
		if left -= tokens.In(key) + 1; left < 0 {
			skipped++
			continue
		}
		names = append(names, key)
	}
	if skipped > 0 {
		names = append(names, fmt.Sprintf("… and %d more, the last is %s", skipped, truncate.Middle(o.Keys[len(o.Keys)-1], 60)))
	}
	return line + strings.Join(names, ", ")
}

// A columnForm is what a model reads of a column.
type columnForm struct {
	key, dtype string
	stats      map[string]any
	cells      []json.RawMessage
}

// tokens estimates what the column costs.
func (c columnForm) tokens() int {
	n := 2*tokens.In(c.key) + tokens.In(c.dtype) + 8
	for _, cell := range c.cells {
		n += tokens.In(string(cell)) + 1
	}
	stats, _ := json.Marshal(c.stats) // of numbers and texts
	return n + tokens.In(string(stats))
}

func (b *frameForm) add(c columnForm) {
	b.Columns = append(b.Columns, c.key)
	b.Dtypes[c.key] = c.dtype
	if c.stats != nil {
		b.Describe[c.key] = c.stats
	}
	for i, cell := range c.cells {
		b.Head[i] = append(b.Head[i], cell)
	}
}

// stats returns the statistics of a column with the precision that a model needs, and
// without what the others say: a count if nothing is null, and a value that is as frequent as
// the others.
func stats(o catalog.GetDataFrameInfoOut, key string) map[string]any {
	stats, ok := o.Describe[key]
	if !ok {
		return nil
	}
	short := make(map[string]any, len(stats))
	for k, v := range stats {
		switch text, isText := v.(string); {
		case v == nil, k == "nulls" && v == 0.0:
		case k == "count" && stats["nulls"] == 0.0:
		case (k == "top" || k == "freq") && stats["freq"] == 1.0:
		case isText:
			short[k] = truncate.Middle(shortDate(text), mostTopCell)
		default:
			short[k] = sixDigits(v)
		}
	}
	return short
}

// shortDate returns a date without its time if that is midnight.
func shortDate(text string) string {
	if date, midnight := strings.CutSuffix(text, "T00:00:00"); midnight && len(date) == len("2026-01-02") {
		return date
	}
	return text
}

// shortCell returns a value of a cell as a model reads it.
func shortCell(raw json.RawMessage, most int) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	if d.Decode(&v) != nil {
		return raw
	}
	switch x := v.(type) {
	case string:
		v = truncate.Middle(shortDate(x), most)
	case float64:
		if v = sixDigits(x); v == any(x) {
			return raw
		}
	case []any: // of a MultiIndex
		parts := make([]json.RawMessage, len(x))
		if json.Unmarshal(raw, &parts) != nil {
			return raw
		}
		for i := range parts {
			parts[i] = shortCell(parts[i], most)
		}
		v = parts
	}
	out, err := tool.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// index returns the index as a model reads it.
func index(x *catalog.FrameIndex) *catalog.FrameIndex {
	if x == nil {
		return nil
	}
	b := *x
	b.Head = make([]json.RawMessage, len(x.Head))
	for i, raw := range x.Head {
		b.Head[i] = shortCell(raw, mostCell)
	}
	return &b
}
