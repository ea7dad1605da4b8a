package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"easel/internal/require"
)

func rows(t *Table) []string {
	var list []string
	for _, r := range t.Rows {
		list = append(list, string(bytes.Join(toBytes(r), []byte("|"))))
	}
	return list
}

func toBytes(r []json.RawMessage) [][]byte {
	b := make([][]byte, len(r))
	for i, v := range r {
		b[i] = v
	}
	return b
}

func read(t *testing.T, name string, data []byte, l Limits) Content {
	t.Helper()
	c, err := Read(t.Context(), name, data, l)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

var plenty = Limits{Text: 1 << 20, Rows: 1000}

func TestEncodings(t *testing.T) {
	const (
		story  = "吾輩は猫である。名前はまだ無い。\r\nどこで生れたかとんと見当がつかぬ。\n"
		short  = "日本語"
		table  = "日付,売上,店舗\n2026-01-01,100,東京\n"
		kana   = "ｶﾀｶﾅ と カタカナ 表示"
		latin  = "L'été à Zürich: 20 €\n"
		ascii  = "plain\ttext\n"
		arrows = "→ ✓ 😀"
	)
	utf16le, utf16be := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	for _, test := range []struct {
		text, name string
		enc        encoding.Encoding
	}{
		{story, "utf-8", encoding.Nop},
		{ascii, "utf-8", encoding.Nop},
		{arrows, "utf-8", encoding.Nop},
		{"", "utf-8", encoding.Nop},
		{story, "cp932", japanese.ShiftJIS},
		{short, "cp932", japanese.ShiftJIS},
		{table, "cp932", japanese.ShiftJIS},
		{kana, "cp932", japanese.ShiftJIS},
		{story, "euc_jp", japanese.EUCJP},
		{short, "euc_jp", japanese.EUCJP},
		{table, "euc_jp", japanese.EUCJP},
		{kana, "euc_jp", japanese.EUCJP},
		{story, "iso2022_jp", japanese.ISO2022JP},
		{table, "iso2022_jp", japanese.ISO2022JP},
		{story, "utf-16", utf16le},
		{table, "utf-16", utf16be},
		{ascii, "utf-16", utf16le},
		{ascii, "utf-16-le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{ascii, "utf-16-be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{story, "utf-8", unicode.UTF8BOM},
		{latin, "cp1252", charmap.Windows1252},
	} {
		data, err := test.enc.NewEncoder().Bytes([]byte(test.text))
		require.NoError(t, err)
		d, ok := Decode(data)
		if d.Text != test.text || d.Encoding != test.name || !ok {
			t.Errorf("%s %.20q: got %s %q %t", test.name, test.text, d.Encoding, d.Text, ok)
		}
	}
}

func TestBinaryIsSaidToBeSo(t *testing.T) {
	for name, data := range map[string]string{
		"a.png":   "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"a.npy":   "\x93NUMPY\x01\x00v\x00",
		"a.bin":   "\x00\x01\x02\xff\xfe\xfd",
		"a.pkl":   "\x80\x04\x95\x0b\x00\x00",
		"a":       "\x7fELF\x02\x01\x01\x00",
		"old.xls": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00",
		"rand":    "\x8f\xe2\x03\x91\xaa\x07\x9d\x1f\x81",
	} {
		c, err := Read(t.Context(), name, []byte(data), plenty)
		e, ok := errors.AsType[*BinaryError](err)
		if !ok {
			t.Errorf("%s: got %+v, %v", name, c, err)
			continue
		}
		t.Log(name, e.Kind)
	}
}

func TestTextIsCutAtACharacter(t *testing.T) {
	c := read(t, "a.txt", []byte("日本語"), Limits{Text: 4, Rows: 1})
	if c.Text != "日" || !c.Cut || c.Kind != "text" {
		t.Errorf("got %+v", c)
	}
	if c := read(t, "a.txt", []byte("日本語"), Limits{Text: 9}); c.Text != "日本語" || c.Cut {
		t.Errorf("got %+v", c)
	}
}

func TestDelimited(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		columns    []string
		rows       []string
		total      int64
	}{
		"commas":                {"a.csv", "a,b\n1,x\n2,\n", []string{"a", "b"}, []string{`1|"x"`, `2|""`}, 2},
		"semicolons":            {"a.csv", "a;b\n1,5;x\n2,5;y\n", []string{"a", "b"}, []string{`1.5|"x"`, `2.5|"y"`}, 2},
		"tabs in a csv":         {"a.csv", "a\tb\n1\t2\n", []string{"a", "b"}, []string{"1|2"}, 1},
		"bars":                  {"a.csv", "a|b\n1|2\n3|4\n", []string{"a", "b"}, []string{"1|2", "3|4"}, 2},
		"tsv with commas":       {"a.tsv", "a\tb,c\n1\tx,y\n", []string{"a", "b,c"}, []string{`1|"x,y"`}, 1},
		"one column":            {"a.csv", "a\n1\n2\n", []string{"a"}, []string{"1", "2"}, 2},
		"quotes":                {"a.csv", "a,b\n\"x, \"\"y\"\"\nz\",1\n", []string{"a", "b"}, []string{`"x, \"y\"\nz"|1`}, 1},
		"numbers stay exact":    {"a.csv", "a,b,c,d\n1.50,007,12345678901234567890,+1\n-2e3,1,1,1\n", []string{"a", "b", "c", "d"}, []string{`1.50|"007"|"12345678901234567890"|"+1"`, `-2e3|"1"|"1"|"1"`}, 2},
		"a gap among numbers":   {"a.csv", "a,b\n1,\n,2\n", []string{"a", "b"}, []string{"1|null", "null|2"}, 2},
		"a text further down":   {"a.csv", "a\n1\n2\n3\n4\nx\n", []string{"a"}, []string{`"1"`, `"2"`, `"3"`, `"4"`, `"x"`}, 5},
		"longer rows":           {"a.csv", "a,b\n1,2,3\n4\n", []string{"a", "b", "column_3"}, []string{"1|2|3", "4|null|null"}, 2},
		"windows lines":         {"a.csv", "a,b\r\n1,2\r\n\r\n3,4\r\n", []string{"a", "b"}, []string{"1|2", "3|4"}, 2},
		"only a header":         {"a.csv", "a,b\n", []string{"a", "b"}, nil, 0},
		"nothing":               {"a.csv", "", []string{}, nil, 0},
		"byte order mark":       {"a.csv", "\ufeffa,b\n1,2\n", []string{"a", "b"}, []string{"1|2"}, 1},
		"a stray quote":         {"a.csv", "a,b\n5\" pipe,1\n", []string{"a", "b"}, []string{`"5\" pipe"|1`}, 1},
		"NaN is missing":        {"a.csv", "a\nNaN\n1\n", []string{"a"}, []string{"null", "1"}, 2},
		"NaN among texts":       {"a.csv", "a\nNaN\nx\n", []string{"a"}, []string{`"NaN"`, `"x"`}, 2},
		"dates keep their form": {"a.csv", "d\n2026-01-02\n", []string{"d"}, []string{`"2026-01-02"`}, 1},
	} {
		c := read(t, test.file, []byte(test.text), plenty)
		if c.Table == nil {
			t.Errorf("%s: no table: %+v", name, c)
			continue
		}
		if diff := cmp.Diff(test.columns, c.Table.Columns); diff != "" {
			t.Errorf("%s: columns\n%s", name, diff)
		}
		if diff := cmp.Diff(test.rows, rows(c.Table)); diff != "" || c.Table.Total != test.total {
			t.Errorf("%s: %d rows\n%s", name, c.Table.Total, diff)
		}
	}
}

func TestRowsAreBounded(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("n,text\n")
	for i := range 5000 {
		fmt.Fprintf(&csv, "%d,%s\n", i, strings.Repeat("x", 1000))
	}
	c := read(t, "a.csv", []byte(csv.String()), Limits{Rows: 3})
	if len(c.Table.Rows) != 3 || c.Table.Total != 5000 || len(c.Table.Notes) != 0 {
		t.Errorf("%d of %d rows, %q", len(c.Table.Rows), c.Table.Total, c.Table.Notes)
	}
	c = read(t, "a.csv", []byte(csv.String()), Limits{Rows: 1000})
	raw, _ := json.Marshal(c.Table.Rows)
	if len(raw) > maxTable*5/4 || c.Table.Total != 5000 || len(c.Table.Notes) != 1 {
		t.Errorf("%d bytes, %d rows, %q", len(raw), c.Table.Total, c.Table.Notes)
	}
}

func TestJSON(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		columns    []string
		rows       []string
	}{
		"records":      {"a.json", `[{"b": 1, "a": "x"}, {"a": {"deep": [ 1, 2 ]}, "c": null}]`, []string{"b", "a", "c"}, []string{`1|"x"|null`, `null|{"deep":[1,2]}|null`}},
		"lines":        {"a.jsonl", "{\"a\": 1}\n\n{\"a\": 12345678901234567890}\n", []string{"a"}, []string{"1", "12345678901234567890"}},
		"an object":    {"a.json", `{"a": 1}`, nil, nil},
		"a list":       {"a.json", `[1, 2]`, nil, nil},
		"a mixed list": {"a.json", `[{"a": 1}, 2]`, nil, nil},
		"no list":      {"a.json", `[]`, nil, nil},
		"broken":       {"a.json", `[{"a": 1}`, nil, nil},
		"broken line":  {"a.ndjson", "{\"a\": 1}\nx", nil, nil},
	} {
		c := read(t, test.file, []byte(test.text), plenty)
		if test.columns == nil {
			if c.Table != nil || c.Text != test.text {
				t.Errorf("%s: got %+v, want the text", name, c)
			}
			continue
		}
		if c.Table == nil {
			t.Errorf("%s: no table", name)
			continue
		}
		if diff := cmp.Diff(test.columns, c.Table.Columns) + cmp.Diff(test.rows, rows(c.Table)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

// The files in testdata were written by pyarrow 22, polars and openpyxl.

func TestParquet(t *testing.T) {
	columns := []string{"名前", "i", "u", "f", "f32", "b", "ts", "tz", "d", "t", "dec", "cat", "list", "st", "bin"}
	want := []string{
		`"東京"|1|1|1.5|0.1|true|"2026-01-02T03:04:05.678"|"2026-01-02T03:04:05Z"|"2026-01-02"|"01:02:03"|"1.50"|"a"|[1,2]|{"x":1,"y":"q"}|"/wA="`,
		`null|"1152921504606846976"|"9223372036854775808"|null|2|false|"1960-01-01"|null|"1969-12-31"|null|"-2.25"|"b"|[]|null|"ok"`,
		`"x"|null|3|null|3|null|"2500-01-01"|null|null|null|null|"a"|null|{"x":null,"y":"z"}|null`,
	}
	for _, name := range []string{"snappy", "zstd", "gzip", "brotli", "none", "v2"} {
		c := read(t, "x.parquet", testdata(t, "arrow-"+name+".parquet"), plenty)
		if diff := cmp.Diff(columns, c.Table.Columns) + cmp.Diff(want, rows(c.Table)); diff != "" || c.Table.Total != 3 || c.Kind != "parquet" {
			t.Errorf("%s: %d rows\n%s", name, c.Table.Total, diff)
		}
	}
	c := read(t, "x.parquet", testdata(t, "polars.parquet"), Limits{Rows: 2})
	if diff := cmp.Diff([]string{`1|"x"|[1.5]`, `2|"y"|[]`}, rows(c.Table)); diff != "" || c.Table.Total != 3 {
		t.Errorf("polars: %s", diff)
	}
}

func TestDamagedTablesAreErrors(t *testing.T) {
	for _, name := range []string{"arrow-snappy.parquet", "arrow-v2.parquet", "openpyxl.xlsx"} {
		data := testdata(t, name)
		for i := 0; i < len(data); i += 37 {
			for _, damaged := range [][]byte{data[:i], append(append(bytes.Clone(data[:i]), 0xff, 0xff, 0xff, 0xff), data[min(len(data), i+4):]...)} {
				if c, err := Read(t.Context(), name, damaged, plenty); err == nil && c.Table != nil {
					for _, r := range c.Table.Rows {
						if len(r) > len(c.Table.Columns) {
							t.Fatalf("%s, %d: a row is longer than the columns", name, i)
						}
					}
				}
			}
		}
	}
}
