package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// recordsTable reads a JSON array of objects. It returns nil for any other JSON.
func recordsTable(data []byte, l Limits) *Table {
	var records []json.RawMessage
	if json.Unmarshal(data, &records) != nil || len(records) == 0 {
		return nil
	}
	return objectsTable(records, l)
}

// recordLinesTable reads JSON Lines. It returns nil if a line is not an object.
func recordLinesTable(text string, l Limits) *Table {
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
	return objectsTable(records, l)
}

func objectsTable(records []json.RawMessage, l Limits) *Table {
	t := newTable(l)
	t.Total = int64(len(records))
	var columns []string
	known := make(map[string]bool)
	rows := make([]map[string]json.RawMessage, len(records))
	for i, raw := range records {
		names, values, err := members(raw)
		if err != nil {
			return nil // not every record is an object
		}
		for _, name := range names {
			if !known[name] {
				known[name] = true
				columns = append(columns, name)
			}
		}
		if i < l.Rows {
			rows[i] = values
		}
	}
	t.name(columns)
	for _, values := range rows[:min(l.Rows, len(rows))] {
		row := make([]json.RawMessage, len(t.Columns))
		for i, name := range columns[:len(row)] {
			row[i] = null
			if v, ok := values[name]; ok {
				row[i] = t.bound(v)
			}
		}
		if !t.take(row, l.Rows) {
			break
		}
	}
	t.say()
	return t
}

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
