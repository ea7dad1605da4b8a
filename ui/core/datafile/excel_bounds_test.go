package datafile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// A repeated is XML that repeats an element.
type repeated struct {
	head, element string
	n             int
	tail          string
}

func (r repeated) write(w io.Writer) error {
	const most = 1000 // at once
	_, err := io.WriteString(w, r.head)
	block := strings.Repeat(r.element, most)
	for left := r.n; left > 0 && err == nil; left -= most {
		_, err = io.WriteString(w, block[:len(r.element)*min(left, most)])
	}
	if err == nil {
		_, err = io.WriteString(w, r.tail)
	}
	return err
}

// handmade returns the bytes of a workbook with one sheet, and replaces or adds parts.
func handmade(t *testing.T, parts map[string]repeated) []byte {
	t.Helper()
	all := map[string]repeated{
		"_rels/.rels":                {head: `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		"xl/workbook.xml":            {head: workbookHead + "S" + workbookTail},
		"xl/_rels/workbook.xml.rels": {head: `<Relationships><Relationship Id="a" Type="x/worksheet" Target="/xl/worksheets/one.xml"/><Relationship Id="b" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`},
		"xl/worksheets/one.xml":      {head: `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row></sheetData></worksheet>`},
		"xl/texts.xml":               {head: `<sst><si><t>name</t></si><si><t>Ann</t></si></sst>`},
	}
	maps.Copy(all, parts)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, part := range all {
		w, err := z.Create(name)
		if err == nil {
			err = part.write(w)
		}
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

const (
	workbookHead = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="`
	workbookTail = `" sheetId="1" r:id="a"/></sheets></workbook>`
	sheetHead    = `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row>`
	sheetTail    = `</sheetData></worksheet>`
)

func sheetOf(head, element string, n int, tail string) map[string]repeated {
	return map[string]repeated{"xl/worksheets/one.xml": {sheetHead + head, element, n, tail + sheetTail}}
}

// TestWorkbooksStopWhenNobodyWaits reads with a context that ends on the way.
func TestWorkbooksStopWhenNobodyWaits(t *testing.T) {
	data := handmade(t, sheetOf("", `<row><c><v>1</v></c></row>`, 1_000_000, ""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, "a.xlsx", data, plenty); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	b, err := openBook(t.Context(), data)
	require.NoError(t, err)
	ctx, cancel = context.WithCancel(t.Context())
	var n int64
	err = b.stream(ctx, b.sheets[0].part, func(r io.Reader) error {
		if _, err := io.CopyN(io.Discard, r, 100_000); err != nil {
			return err
		}
		cancel()
		n, err = io.Copy(io.Discard, r)
		return err
	})
	if !errors.Is(err, context.Canceled) || n > 1<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
}

// TestSheetsAsProgramsWriteThem reads what Excel itself does not write, or seldom.
func TestSheetsAsProgramsWriteThem(t *testing.T) {
	prefixed := `<x:worksheet xmlns:x="x"><x:sheetData>
 <x:row r="2"><x:c r="B2" t="inlineStr"><x:is> <x:r><x:t>to</x:t></x:r><x:r><x:t>wn</x:t></x:r><x:rPh><x:t>タウン</x:t></x:rPh></x:is></x:c><x:c t="str"><x:v>a_x000D_b &lt;</x:v></x:c></x:row>
 <x:row r="5"/><x:row></x:row>
 <x:row r="7"><x:c r="A7" t="b"><x:v>1</x:v></x:c><x:c r="C7" t="e"><x:v>#DIV/0!</x:v></x:c></x:row>
 <x:row><x:c r="B8"><x:f>1+1</x:f></x:c><x:c><x:f t="shared" si="0"/><x:v></x:v></x:c><x:c t="d"><x:v>2026-01-02</x:v></x:c></x:row>
 <x:row><x:c r="E9"><x:v>5</x:v></x:c></x:row><x:row><x:c r="A10"><x:v/></x:c></x:row></x:sheetData></x:worksheet>`
	c := read(t, "a.xlsx", handmade(t, map[string]repeated{"xl/worksheets/one.xml": {head: prefixed}}), Limits{Text: 10_000, Rows: 2})
	want := []string{`true|null|"#DIV/0!"|null|null`, `null|"=1+1"|"=…"|"2026-01-02"|null`}
	if diff := gocmp.Diff(want, rows(c.Table)) + gocmp.Diff([]string{"Unnamed: 0", "town", "a\rb <", "Unnamed: 3", "Unnamed: 4"}, c.Table.Columns); diff != "" || c.Table.Total != 3 {
		t.Errorf("%d rows\n%s", c.Table.Total, diff)
	}
}

// TestSharedFormulas reads formulas of which only the first has its text, in a sheet whose name
// Excel would not allow.
func TestSharedFormulas(t *testing.T) {
	const name = "Results of the first and the second year [a:b]"
	sheet := sheetHead + `<row r="2"><c r="A2"><f t="shared" ref="A2:A4" si="0">B2*2</f></c></row><row r="4"><c r="A4"><f t="shared" si="0"/></c></row>` + sheetTail
	c := read(t, "a.xlsx", handmade(t, map[string]repeated{"xl/worksheets/one.xml": {head: sheet}, "xl/workbook.xml": {head: workbookHead + name + workbookTail}}), plenty)
	if diff := gocmp.Diff([]string{`"=B2*2"`, `"=…"`}, rows(c.Table)); diff != "" || !strings.Contains(strings.Join(c.Table.Notes, ""), "A2, A4") || c.Table.Sheet != name {
		t.Errorf("%q: %v\n%s", c.Table.Sheet, c.Table.Notes, diff)
	}
}
