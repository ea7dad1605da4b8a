package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// recordsTable reads a JSON array of objects. It returns nil for any other JSON.
func recordsTable(data []byte, limit int) *Table {
	var records []json.RawMessage
	if json.Unmarshal(data, &records) != nil || len(records) == 0 {
		return nil
	}
	return objectsTable(records, limit)
}

// recordLinesTable reads JSON Lines. It returns nil if a line is not an object.
func recordLinesTable(text string, limit int) *Table {
	var records []json.RawMessage
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			return nil
		}
		records = append(records, json.RawMessage(line))
	}
	if len(records) == 0 {
		return nil
	}
	return objectsTable(records, limit)
}

func objectsTable(records []json.RawMessage, limit int) *Table {
	t := &Table{Columns: []string{}, Rows: [][]json.RawMessage{}, Total: int64(len(records))}
	rows := make([]map[string]json.RawMessage, len(records))
	for i, raw := range records {
		names, values, err := members(raw)
		if err != nil {
			return nil // not every record is an object
		}
		for _, name := range names {
			if len(t.Columns) < maxColumns && !slices.Contains(t.Columns, name) {
				t.Columns = append(t.Columns, name)
			}
		}
		if i < limit {
			rows[i] = values
		}
	}
	size := 0
	for _, values := range rows[:min(limit, len(rows))] {
		row := make([]json.RawMessage, len(t.Columns))
		for i, name := range t.Columns {
			row[i] = null
			if v, ok := values[name]; ok {
				row[i] = v
			}
		}
		if !t.take(row, limit, &size) {
			break
		}
	}
	return t
}

// maxColumns is the maximum number of columns. Records may all have different names.
const maxColumns = 500

var errNoObject = errors.New("not an object")

// members returns the names in an object, in order, and the compact values by name.
func members(raw json.RawMessage) (names []string, values map[string]json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, nil, errNoObject
	}
	values = make(map[string]json.RawMessage)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		var tight bytes.Buffer
		if json.Compact(&tight, v) == nil {
			v = tight.Bytes()
		}
		key, _ := name.(string)
		names, values[key] = append(names, key), v
	}
	return names, values, nil
}
