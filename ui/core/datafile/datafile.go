// Package datafile extracts the content of files for models: text in any common encoding, and
// tables (CSV, TSV, JSON, Parquet, Excel) as columns and rows.
//
// # Goroutines
//
// The package starts none. Its functions are safe for concurrent use.
package datafile

import (
	"bytes"
	"context"
	"net/http"
	"path"
	"strings"

	"easel/internal/truncate"
)

// A Content is the content of a file: text or a table.
type Content struct {
	Kind        string  // text, csv, tsv, json, jsonl, parquet or excel
	DecodedText         // how the text is encoded, for files of text
	Cut         bool    // the text is truncated, or columns or values of the table
	Table       *Table  // nil if the file is not a table; otherwise there is no Text
	CSV         Dialect // of csv and tsv
}

// Limits are the maximum amounts to return.
type Limits struct {
	Text int // bytes of text or rows; 0 for maxTable
	Rows int
}

// A BinaryError means that a file is neither text nor a supported table.
type BinaryError struct{ Kind string }

// Error returns what the file is.
func (e *BinaryError) Error() string { return "it is " + e.Kind }

// Read returns the content of a file with this name. The error is a *BinaryError if the type
// is not supported, and another error if a table is damaged or ctx is done.
func Read(ctx context.Context, name string, data []byte, l Limits) (Content, error) {
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".parquet" || ext == ".pq" || len(data) > 12 && string(data[:4]) == "PAR1" && string(data[len(data)-4:]) == "PAR1":
		t, err := parquetTable(data, l)
		return Content{Kind: "parquet", Table: t, Cut: t != nil && t.cut}, err
	case (ext == ".xlsx" || ext == ".xlsm") && bytes.HasPrefix(data, []byte(compoundFile)):
		return Content{}, &BinaryError{kindOf(ext, data)}
	case ext == ".xlsx" || ext == ".xlsm":
		t, err := excelTable(ctx, data, l)
		return Content{Kind: "excel", Table: t, Cut: t != nil && t.cut}, err
	default:
		d, ok := Decode(data)
		if !ok {
			return Content{}, &BinaryError{kindOf(ext, data)}
		}
		return textual(ext, d, l), nil
	}
}

// textual returns the content of a text, which is a table in some formats.
func textual(ext string, d DecodedText, l Limits) Content {
	c := Content{Kind: "text", DecodedText: d}
	switch ext {
	case ".csv", ".tsv", ".tab":
		c.Kind = "csv"
		if ext != ".csv" {
			c.Kind = "tsv"
		}
		c.Table, c.CSV = delimitedTable(d, c.Kind == "tsv", l)
	case ".json":
		c.Kind = "json"
		c.Table = recordsTable([]byte(d.Text), l)
	case ".jsonl", ".ndjson":
		c.Kind = "jsonl"
		c.Table = recordLinesTable(d.Text, l)
	}
	if c.Table == nil {
		c.Text, c.Cut = head(d.Text, l.Text)
		return c
	}
	c.Text, c.Cut = "", c.Table.cut
	return c
}

// head truncates text to at most limit bytes, at the end of a character, and reports whether
// it did.
func head(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	return truncate.Bytes(text, limit), true
}

// compoundFile begins old Excel files, and the encrypted ones of any format.
const compoundFile = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// kindOf describes the type of a binary file.
func kindOf(ext string, data []byte) string {
	kind := http.DetectContentType(data)
	switch {
	case bytes.HasPrefix(data, []byte(compoundFile)) && bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P")):
		return "protected with a password"
	case ext == ".xls" || ext == ".xlsb" || bytes.HasPrefix(data, []byte(compoundFile)):
		return "a workbook in an old or binary Excel format"
	case strings.HasPrefix(kind, "text/plain"):
		return "text in an encoding that was not recognised, or with other bytes in it"
	case kind == "application/octet-stream" && ext != "":
		return "a binary file (" + ext + ")"
	case kind == "application/octet-stream":
		return "a binary file"
	default:
		return "a binary file of type " + kind
	}
}
