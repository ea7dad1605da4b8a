package datafile

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
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
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
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

// TestSmallWorkbooksWithHugeContents reads files that decompress to far more than they show. Each
// gives its first rows with a note, or an error that says what to do, and little is allocated.
func TestSmallWorkbooksWithHugeContents(t *testing.T) {
	const million = 400_000
	far, long := `<row><c t="s"><v>%d</v></c></row>`, strings.Repeat("long ", 100)
	var texts strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&texts, far, i)
	}
	with := func(sheet map[string]repeated, name string, part repeated) map[string]repeated {
		sheet[name] = part
		return sheet
	}
	for name, test := range map[string]struct {
		parts      map[string]repeated
		rows       int64  // in all
		note, fail string // a part of it
		limit      int    // of rows; 50 if 0
	}{
		"values in the last column":  {parts: sheetOf("", `<row><c r="XFD1"><v>1</v></c></row>`, 100_000, ""), rows: 100_000, note: "16384 columns; the first 500"},
		"rows of 16,384 cells":       {parts: sheetOf("", `<row>`+strings.Repeat(`<c><v>1</v></c>`, 16384)+`</row>`, 100, ""), rows: 100, note: "first 500 are shown"},
		"a long text":                {parts: sheetOf(`<row><c t="inlineStr"><is><t>`, "abcdefghij", million, `</t></is></c></row>`), rows: 1, note: "long values or names were cut"},
		"a long text in the header":  {parts: map[string]repeated{"xl/worksheets/one.xml": {`<worksheet><sheetData><row><c t="inlineStr"><is><t>`, "wide open ", million, `</t></is></c></row>` + sheetTail}}, note: "long values or names were cut"},
		"a comment of tags":          {parts: sheetOf(`<row><c><!--`, "<a>", million, `--></c></row>`)},
		"a long attribute":           {parts: sheetOf(`<row><c s="`, "0123456789", million, `"/></row>`)},
		"elements in each other":     {parts: sheetOf(`<row><c>`, "<is>", million, ""), note: "only the first 0 rows were read"},
		"one cell again and again":   {parts: sheetOf(`<row>`, `<c r="A2"><v>1</v></c>`, million, "</row>"), rows: 1},
		"empty cells":                {parts: sheetOf(`<row>`, `<c/>`, million, "</row>"), note: "16384 columns"},
		"rows without end":           {parts: sheetOf("", `<row><c t="str"><v>`+long+`</v></c></row>`, 300_000, ""), note: "there may be more"},
		"texts that nothing shows":   {parts: map[string]repeated{"xl/texts.xml": {`<sst><si><t>name</t></si><si><t>Ann</t></si>`, `<si><t>&amp;</t></si>`, 2 * million, `</sst>`}}, rows: 1},
		"a text behind many others":  {parts: with(sheetOf(fmt.Sprintf(far, 299_000), "", 0, ""), "xl/texts.xml", repeated{`<sst>`, `<si><t>` + long + `</t></si>`, 300_000, `</sst>`}), rows: 1, note: "texts could not be read"},
		"a long shared text":         {parts: map[string]repeated{"xl/texts.xml": {`<sst><si><t>name</t></si><si><t>`, "0123456789", million, `</t></si></sst>`}}, rows: 1, note: "long values or names were cut"},
		"merged cells":               {parts: map[string]repeated{"xl/worksheets/one.xml": {sheetHead + `<row><c><v>1</v></c></row></sheetData>`, `<mergeCell ref="A1:XFD1048576"/>`, 100_000, `</worksheet>`}}, rows: 1, note: "and 99990 more"},
		"sheets":                     {parts: map[string]repeated{"xl/workbook.xml": {`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets>`, `<sheet name="S" sheetId="1"/>`, 100_000, `</sheets></workbook>`}}, fail: "more than 2000 sheets"},
		"cell formats":               {parts: map[string]repeated{"xl/styles.xml": {`<styleSheet><cellXfs>`, `<xf/>`, million, `</cellXfs></styleSheet>`}}, rows: 1},
		"cells far to the right":     {parts: sheetOf("", `<row><c r="SF1" s="1"><f>1</f></c></row>`, 100_000, ""), rows: 100_000, note: "rows fit into the answer", limit: 1000},
		"formulas of no cell":        {parts: sheetOf("", `<row><c><f t="shared" si="1"/></c></row>`, 100_000, ""), rows: 100_000, note: "formulas without a stored value", limit: 1000},
		"a row far below":            {parts: sheetOf(`<row r="1048576"><c><v>1</v></c></row>`, "", 0, ""), rows: 1},
		"nothing above such a row":   {parts: map[string]repeated{"xl/worksheets/one.xml": {head: `<worksheet><sheetData><row r="1048576"><c><v>1</v></c></row>` + sheetTail}}},
		"a damaged cell":             {parts: sheetOf(`<row><c><v>1</v></c></row><row><c><v>&no;</v></c></row>`, "", 0, ""), note: "only the first 1 rows were read"},
		"long texts":                 {parts: with(sheetOf(texts.String(), "", 0, ""), "xl/texts.xml", repeated{`<sst>`, `<si><t>` + strings.Repeat(long, 10) + `</t></si>`, 3000, `</sst>`}), rows: 3000, note: "904 texts could not be read", limit: 3000},
		"damaged formats":            {parts: map[string]repeated{"xl/styles.xml": {head: `<styleSheet><cellXfs><xf numFmtId="x"/></cellXfs></styleSheet>`}}, rows: 1, note: noStyles},
		"a list of sheets that ends": {parts: map[string]repeated{"xl/workbook.xml": {`<workbook>`, `<x/>`, million, `</workbook>`}}, fail: "read it with code"},
	} {
		t.Run(name, func(t *testing.T) {
			data := handmade(t, test.parts)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			// Near the limit, the collector keeps pace on a busy machine, too. What is in use is not bounded by it.
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before.Sys) + 200<<20))
			c, err := Read(t.Context(), "a.xlsx", data, Limits{Text: 300_000, Rows: cmp.Or(test.limit, 50)})
			runtime.ReadMemStats(&after)
			if n := int64(after.Sys-before.Sys) >> 20; n > 300 { // at a time, with what the race detector adds
				t.Errorf("%d MB were used for %d bytes", n, len(data))
			}
			if test.fail != "" {
				if err == nil || !strings.Contains(err.Error(), test.fail) || !strings.Contains(err.Error(), "read it with code") {
					t.Fatalf("%v, want %q and what to do", err, test.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(c.Table.Notes, "\n")
			if !strings.Contains(notes, test.note) || test.rows != 0 && c.Table.Total != test.rows {
				t.Errorf("%d rows, want %d; notes %q, want %q", c.Table.Total, test.rows, notes, test.note)
			}
		})
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
