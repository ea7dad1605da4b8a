package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// parquetTable reads the first rows of a Parquet file. Its columns are those that pandas reads:
// a list, a structure or a map is one value.
func parquetTable(data []byte, l Limits) (t *Table, err error) {
	defer func() {
		if v := recover(); v != nil { // the library panics on some damaged files
			t, err = nil, fmt.Errorf("the Parquet file is damaged: %v", v)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)),
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("the Parquet file is damaged: %w", err)
	}
	t = newTable(l)
	t.Total = f.NumRows()
	columns, maps := parquetNodes(f)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	t.name(names)
	columns = columns[:len(t.Columns)]
	if len(maps) > 0 {
		t.Notes = append(t.Notes, "maps are shown as objects; pandas reads each as a list of (key, value): "+list(maps))
	}
	if index := pandasIndex(f); len(index) > 0 {
		t.Notes = append(t.Notes, "pandas.read_parquet makes this the index, not a column: "+list(index))
	}
	defer t.say()
	for _, group := range f.RowGroups() {
		if group.NumRows() == 0 {
			continue // it has no pages, which the library would look for
		}
		more, err := parquetRows(t, group, columns, l.Rows)
		if err != nil || !more {
			return t, err
		}
	}
	return t, nil
}

// pandasIndex returns the columns that pandas has marked as the index of the table.
func pandasIndex(f *parquet.File) (names []string) {
	raw, ok := f.Lookup("pandas")
	if !ok {
		return nil
	}
	var about struct {
		Index []json.RawMessage `json:"index_columns"`
	}
	if json.Unmarshal([]byte(raw), &about) != nil {
		return nil
	}
	for _, column := range about.Index {
		var name string // else the description of a range, which is no column
		if json.Unmarshal(column, &name) == nil && f.Root().Column(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// parquetRows appends the rows of a group to t. more reports whether there is room for those
// of the next group.
func parquetRows(t *Table, group parquet.RowGroup, columns []*parquetNode, limit int) (more bool, err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buf := make([]parquet.Row, 64)
	for len(t.Rows) < limit {
		n, err := rows.ReadRows(buf)
		for _, r := range buf[:n] {
			if !t.take(parquetRow(t, r, columns), limit) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("reading the Parquet file: %w", err)
		}
	}
	return false, nil
}

func parquetRow(t *Table, r parquet.Row, columns []*parquetNode) []json.RawMessage {
	var leaves [][]parquet.Value
	r.Range(func(_ int, values []parquet.Value) bool {
		leaves = append(leaves, values)
		return true
	})
	row := make([]json.RawMessage, len(columns))
	for i, c := range columns {
		row[i] = null
		if c.from < c.to && c.to <= len(leaves) {
			row[i] = t.bound(c.append(nil, t, leaves[c.from:c.to]))
		}
	}
	return row
}

// A parquetKind is the kind of a parquetNode.
type parquetKind int

const (
	parquetValue parquetKind = iota
	parquetStruct
	parquetList
	parquetMap
)

// A parquetNode is a column of a Parquet file, or a part of one. A file stores only the values of
// its leaves. Each value comes with two levels: the definition level says how many of the optional
// and repeated nodes above it are there, and the repetition level which list goes on with it.
type parquetNode struct {
	kind     parquetKind
	name     string
	from, to int            // its leaves
	null     int            // it is null below this definition level
	filled   int            // of a list or map: it is empty below this definition level
	repeats  int            // of a list or map: the repetition level of its elements but the first
	parts    []*parquetNode // the fields; the element; the key and the value
	leaf     leafType
}

// append appends the JSON of one value. Each leaf of n has at least one value in leaves.
func (n *parquetNode) append(to []byte, t *Table, leaves [][]parquet.Value) []byte {
	defined := leaves[0][0].DefinitionLevel()
	if defined < n.null {
		return append(to, null...)
	}
	switch n.kind {
	case parquetStruct:
		to = append(to, '{')
		for i, field := range n.parts {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(append(to, t.cell(field.name)...), ':')
			to = field.append(to, t, n.within(leaves, field))
		}
		return append(to, '}')
	case parquetList:
		to = append(to, '[')
		if defined >= n.filled {
			start := len(to)
			for element := range n.elements(leaves) {
				if len(to) > start {
					to = append(to, ',')
				}
				to = n.parts[0].append(to, t, element)
				if len(to)-start > 2*t.maxCell {
					break // the end is not shown
				}
			}
		}
		return append(to, ']')
	case parquetMap:
		return n.appendMap(to, t, leaves, defined >= n.filled)
	default:
		return append(to, n.leaf.cell(t, leaves[0][0])...)
	}
}

// appendMap appends an object if the keys are different texts, and otherwise a list of pairs.
func (n *parquetNode) appendMap(to []byte, t *Table, leaves [][]parquet.Value, filled bool) []byte {
	var keys, values [][]byte
	object := true
	size := 0
	if filled {
		for entry := range n.elements(leaves) {
			key, value := n.parts[0].append(nil, t, n.within(entry, n.parts[0])), []byte(null)
			if len(n.parts) > 1 {
				value = n.parts[1].append(nil, t, n.within(entry, n.parts[1]))
			}
			object = object && key[0] == '"' && !slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) })
			keys, values = append(keys, key), append(values, value)
			if size += len(key) + len(value); size > 2*t.maxCell {
				break // the end is not shown
			}
		}
	}
	marks := "[],"
	if object {
		marks = "{}:"
	}
	to = append(to, marks[0])
	for i, key := range keys {
		if i > 0 {
			to = append(to, ',')
		}
		if !object {
			to = append(to, '[')
		}
		to = append(append(append(to, key...), marks[2]), values[i]...)
		if !object {
			to = append(to, ']')
		}
	}
	return append(to, marks[1])
}

// within returns the values of a part of n.
func (n *parquetNode) within(leaves [][]parquet.Value, part *parquetNode) [][]parquet.Value {
	return leaves[part.from-n.from : part.to-n.from]
}

// elements yields the values of each element of a list or map.
func (n *parquetNode) elements(leaves [][]parquet.Value) func(yield func([][]parquet.Value) bool) {
	return func(yield func([][]parquet.Value) bool) {
		rest := slices.Clone(leaves)
		for len(rest[0]) > 0 {
			element := make([][]parquet.Value, len(rest))
			for i, values := range rest {
				end := 1
				for end < len(values) && values[end].RepetitionLevel() > n.repeats {
					end++
				}
				element[i], rest[i] = values[:end], values[end:]
			}
			if !yield(element) {
				return
			}
		}
	}
}
