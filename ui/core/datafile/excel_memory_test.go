//go:build !race

// The race detector takes ten times as long, and memory of its own.

package datafile

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"easel/internal/require"
)

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
		slow       bool   // some ten seconds
	}{
		"values in the last column":  {parts: sheetOf("", `<row><c r="XFD1"><v>1</v></c></row>`, 100_000, ""), rows: 100_000, note: "16384 columns; the first 500"},
		"rows of 16,384 cells":       {slow: true, parts: sheetOf("", `<row>`+strings.Repeat(`<c><v>1</v></c>`, 16384)+`</row>`, 100, ""), rows: 100, note: "first 500 are shown"},
		"a long text":                {parts: sheetOf(`<row><c t="inlineStr"><is><t>`, "abcdefghij", million, `</t></is></c></row>`), rows: 1, note: "long values or names were cut"},
		"a long text in the header":  {parts: map[string]repeated{"xl/worksheets/one.xml": {`<worksheet><sheetData><row><c t="inlineStr"><is><t>`, "wide open ", million, `</t></is></c></row>` + sheetTail}}, note: "long values or names were cut"},
		"a comment of tags":          {parts: sheetOf(`<row><c><!--`, "<a>", million, `--></c></row>`)},
		"a long attribute":           {parts: sheetOf(`<row><c s="`, "0123456789", million, `"/></row>`)},
		"elements in each other":     {parts: sheetOf(`<row><c>`, "<is>", million, ""), note: "only the first 0 rows were read"},
		"one cell again and again":   {parts: sheetOf(`<row>`, `<c r="A2"><v>1</v></c>`, million, "</row>"), rows: 1},
		"empty cells":                {parts: sheetOf(`<row>`, `<c/>`, million, "</row>"), note: "16384 columns"},
		"rows without end":           {slow: true, parts: sheetOf("", `<row><c t="str"><v>`+long+`</v></c></row>`, 300_000, ""), note: "there may be more"},
		"texts that nothing shows":   {parts: map[string]repeated{"xl/texts.xml": {`<sst><si><t>name</t></si><si><t>Ann</t></si>`, `<si><t>&amp;</t></si>`, 2 * million, `</sst>`}}, rows: 1},
		"a text behind many others":  {slow: true, parts: with(sheetOf(fmt.Sprintf(far, 299_000), "", 0, ""), "xl/texts.xml", repeated{`<sst>`, `<si><t>` + long + `</t></si>`, 300_000, `</sst>`}), rows: 1, note: "texts could not be read"},
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
			if test.slow && testing.Short() {
				t.Skip("for make nightly")
			}
			data := handmade(t, test.parts)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			// Near the limit, the collector keeps pace on a busy machine, too. What is in use is not bounded by it.
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before.Sys) + 200<<20))
			c, err := Read(t.Context(), "a.xlsx", data, Limits{Text: 300_000, Rows: cmp.Or(test.limit, 50)})
			runtime.ReadMemStats(&after)
			if n := int64(after.Sys-before.Sys) >> 20; n > 300 { // at a time
				t.Errorf("%d MB were used for %d bytes", n, len(data))
			}
			if test.fail != "" {
				if err == nil || !strings.Contains(err.Error(), test.fail) || !strings.Contains(err.Error(), "read it with code") {
					t.Fatalf("%v, want %q and what to do", err, test.fail)
				}
				return
			}
			require.NoError(t, err)
			notes := strings.Join(c.Table.Notes, "\n")
			if !strings.Contains(notes, test.note) || test.rows != 0 && c.Table.Total != test.rows {
				t.Errorf("%d rows, want %d; notes %q, want %q", c.Table.Total, test.rows, notes, test.note)
			}
		})
	}
}
