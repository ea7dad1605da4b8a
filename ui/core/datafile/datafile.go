// Package datafile extracts the content of files for models: text in any common encoding, and
// tables (CSV, TSV, JSON, Parquet, Excel) as columns and rows.
//
// # Goroutines
//
// The package starts none. Its functions are safe for concurrent use.
package datafile

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path"
	"strings"
	"time"
)

// A Content is the content of a file: text or a table.
type Content struct {
	Kind     string // text, csv, tsv, json, jsonl, parquet or excel
	Encoding string // of the text, for example utf-8 or shift_jis; "" for a binary file
	Text     string // beginning of the text; "" if there is a Table
	Cut      bool   // the text is truncated
	Table    *Table // nil if the file is not a table
}

// A Table is the columns and the first rows of a table.
type Table struct {
	Columns []string
	Rows    [][]json.RawMessage // at most as long as Columns
	Total   int64               // number of rows in the file
	Sheet   string              // Excel only: the sheet that is shown
	Sheets  []string            // Excel only: all sheets
	Notes   []string            // what was omitted, and why
}

// Limits are the maximum amounts to return.
type Limits struct {
	Text int // bytes
	Rows int
}

// maxTable is the maximum size of a table's rows, in bytes of JSON.
const maxTable = 300_000

// A BinaryError means that a file is neither text nor a supported table.
type BinaryError struct{ Kind string }

// Error returns what the file is.
func (e *BinaryError) Error() string { return "it is " + e.Kind }

// Read returns the content of a file with this name. The error is a *BinaryError if the type
// is not supported, and another error if a table is damaged.
func Read(name string, data []byte, l Limits) (Content, error) {
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".parquet" || ext == ".pq" || len(data) > 12 && string(data[:4]) == "PAR1" && string(data[len(data)-4:]) == "PAR1":
		t, err := parquetTable(data, l.Rows)
		return Content{Kind: "parquet", Table: t}, err
	case ext == ".xlsx" || ext == ".xlsm":
		t, err := excelTable(data, l.Rows)
		return Content{Kind: "excel", Table: t}, err
	default:
		text, encoding, ok := Decode(data)
		if !ok {
			return Content{}, &BinaryError{kindOf(ext, data)}
		}
		c := Content{Kind: "text", Encoding: encoding}
		switch ext {
		case ".csv", ".tsv", ".tab":
			c.Kind = "csv"
			if ext != ".csv" {
				c.Kind = "tsv"
			}
			c.Table = delimitedTable(text, c.Kind == "tsv", l.Rows)
		case ".json":
			c.Kind = "json"
			c.Table = recordsTable([]byte(text), l.Rows)
		case ".jsonl", ".ndjson":
			c.Kind = "jsonl"
			c.Table = recordLinesTable(text, l.Rows)
		}
		if c.Table == nil {
			c.Text, c.Cut = head(text, l.Text)
		}
		return c, nil
	}
}

// head truncates text to at most limit bytes, at the end of a character, and reports whether
// it did.
func head(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	return strings.ToValidUTF8(text[:limit], ""), true
}

// kindOf describes the type of a binary file.
func kindOf(ext string, data []byte) string {
	kind := http.DetectContentType(data)
	switch {
	case ext == ".xls" || ext == ".xlsb":
		return "a workbook in an old or binary Excel format"
	case kind == "application/octet-stream" && ext != "":
		return "a binary file (" + ext + ")"
	case kind == "application/octet-stream":
		return "a binary file"
	default:
		return "a binary file of type " + kind
	}
}

// take appends row to t. It returns false if that would exceed limit rows or maxTable. size is
// the size of the rows so far, which take updates.
func (t *Table) take(row []json.RawMessage, limit int, size *int) bool {
	if len(t.Rows) >= limit {
		return false
	}
	for _, v := range row {
		*size += len(v) + 1
	}
	if *size > maxTable && len(t.Rows) > 0 {
		if len(t.Notes) == 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows fit into the answer", len(t.Rows)))
		}
		return false
	}
	t.Rows = append(t.Rows, row)
	return true
}

var null = json.RawMessage("null")

// maxCell is the maximum length of a text that cell encodes, in characters.
const maxCell = 2000

// cell encodes a value as JSON: NaN and infinities as null, integers that JavaScript cannot
// represent as strings, and times in ISO 8601.
func cell(v any) json.RawMessage {
	switch x := v.(type) {
	case nil:
		return null
	case string:
		if r := []rune(x); len(r) > maxCell {
			v = string(r[:maxCell]) + "…"
		}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return null
		}
	case int64:
		if x > 1<<53 || x < -1<<53 {
			v = fmt.Sprint(x)
		}
	case uint64:
		if x > 1<<53 {
			v = fmt.Sprint(x)
		}
	case time.Time:
		v = isoTime(x)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return null
	}
	return raw
}

func isoTime(t time.Time) string {
	if h, m, s := t.Clock(); h+m+s+t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999999")
}
