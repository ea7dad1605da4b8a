package datafile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"easel/internal/require"
)

func TestExcel(t *testing.T) {
	c := read(t, "a.xlsx", testdata(t, "openpyxl.xlsx"), plenty)
	columns := []string{"名前", "n", "date", "time", "ok", "formula", "Unnamed: 6", "2024"}
	want := []string{
		`"東京"|1.5|"2026-01-02T03:04:05"|"06:00:00"|true|"=1+1"|null|7`,
		`"<&>"|12345678901|"1999-12-31"|null|false|null|"extra"|null`,
		`"later"|null|null|null|null|null|null|null`,
	}
	if diff := cmp.Diff(columns, c.Table.Columns) + cmp.Diff(want, rows(c.Table)); diff != "" || c.Table.Total != 3 {
		t.Errorf("%d rows\n%s", c.Table.Total, diff)
	}
	if diff := cmp.Diff([]string{"空", "データ"}, c.Table.Sheets); diff != "" || c.Table.Sheet != "データ" {
		t.Errorf("sheets: %s", diff)
	}
	c = read(t, "a.xlsx", testdata(t, "pandas.xlsx"), Limits{Rows: 1})
	if diff := cmp.Diff([]string{`1|"2026-01-02"`}, rows(c.Table)); diff != "" || c.Table.Total != 2 {
		t.Errorf("pandas: %d rows\n%s", c.Table.Total, diff)
	}
}

func TestNumberFormats(t *testing.T) {
	for code, want := range map[string]numberStyle{
		"yyyy-mm-dd": {date: true}, "h:mm": {date: true}, "0.00": {}, "General": {}, `0 "days"`: {}, `[Red]0`: {}, "#,##0 ": {}, `yyyy"年"m"月"`: {date: true},
		"[h]:mm:ss": {date: true, duration: true}, "[mm]:ss": {date: true, duration: true}, "0.0%": {percent: true},
	} {
		if got := styleOf(164, code); got != want {
			t.Errorf("%s: %+v", code, got)
		}
	}
}

// workbook returns the bytes of a workbook that fill writes.
func workbook(t *testing.T, fill func(*excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	fill(f)
	b, err := f.WriteToBuffer()
	require.NoError(t, err)
	return b.Bytes()
}

func TestExcelValues(t *testing.T) {
	for _, from04 := range []bool{false, true} {
		data := workbook(t, func(f *excelize.File) {
			set := func(cell string, v any, format string) {
				style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
				require.NoError(t, err)
				require.NoError(t, errors.Join(f.SetCellValue("Sheet1", cell, v), f.SetCellStyle("Sheet1", cell, cell, style)))
			}
			require.NoError(t, errors.Join(f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &from04}),
				f.SetSheetRow("Sheet1", "A1", &[]any{"worked", "day", "share", "code", "sum", "group", "ok", "at"}),
				f.SetCellValue("Sheet1", "D2", "007"), f.SetCellFormula("Sheet1", "E2", "A2*2"),
				f.SetCellValue("Sheet1", "F2", "north"), f.MergeCell("Sheet1", "F2", "F3"), f.SetCellValue("Sheet1", "G2", true),
				f.SetCellValue("Sheet1", "D3", 7)))
			set("A2", 30.25/24, "[h]:mm:ss")
			set("A3", 0.5/24/60, "[h]:mm:ss")
			set("B2", 40000, "yyyy-mm-dd")
			set("C2", 0.125, "0.0%")
			set("H2", 0.25, "h:mm")
		})
		c := read(t, "a.xlsx", data, plenty)
		day := "2009-07-06"
		if from04 {
			day = "2013-07-07"
		}
		want := []string{`"30:15:00"|"` + day + `"|0.125|"007"|"=A2*2"|"north"|true|"06:00:00"`, `"0:00:30"|null|null|7|null|null|null|null`}
		if diff := cmp.Diff(want, rows(c.Table)); diff != "" {
			t.Error(diff)
		}
		notes := strings.Join(c.Table.Notes, "\n")
		for _, part := range []string{"E2", "F2:F3", "percent (0.5 is 50 %): share"} {
			if !strings.Contains(notes, part) {
				t.Errorf("no %q in %s", part, notes)
			}
		}
	}
}

func TestHiddenSheetsAreNamedAndNotRead(t *testing.T) {
	data := workbook(t, func(f *excelize.File) {
		if _, err := f.NewSheet("Report"); err != nil {
			t.Fatal(err)
		}
		f.SetActiveSheet(1)
		require.NoError(t, errors.Join(f.SetSheetRow("Sheet1", "A1", &[]any{"secret"}), f.SetSheetRow("Report", "A1", &[]any{"x"}),
			f.SetSheetRow("Report", "A2", &[]any{1}), f.SetSheetVisible("Sheet1", false)))
	})
	c := read(t, "a.xlsx", data, plenty)
	if diff := cmp.Diff([]string{"Sheet1 (hidden)", "Report"}, c.Table.Sheets); diff != "" || c.Table.Sheet != "Report" || c.Table.Columns[0] != "x" {
		t.Errorf("%q: %v\n%s", c.Table.Sheet, c.Table.Columns, diff)
	}
}

// TestLargeSheetsKeepTheTypesOfTheirCells reads the first rows of a large sheet, and counts the others.
func TestLargeSheetsKeepTheTypesOfTheirCells(t *testing.T) {
	const n, size = 4_000, 8 << 20
	data := workbook(t, func(f *excelize.File) {
		w, err := f.NewStreamWriter("Sheet1")
		require.NoError(t, err)
		day, format := 0, "[h]:mm"
		if day, err = f.NewStyle(&excelize.Style{NumFmt: 14}); err != nil {
			t.Fatal(err)
		}
		worked, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		require.NoError(t, err)
		for i := range n + 1 {
			row := []any{i, excelize.Cell{StyleID: day, Value: 40000 + i}, excelize.Cell{StyleID: worked, Value: 1.5}, fmt.Sprintf("%03d", i), true, strings.Repeat("</row>", size/n/12)}
			if i == 0 {
				row = []any{"n", "day", "worked", "code", "ok", "s"}
			}
			require.NoError(t, w.SetRow(fmt.Sprintf("A%d", i+1), row))
		}
		require.NoError(t, w.Flush())
	})
	c := read(t, "a.xlsx", data, Limits{Text: 50_000, Rows: 2})
	got := rows(c.Table)
	if c.Table.Total != n || len(got) != 2 || !strings.HasPrefix(got[1], `2|"2009-07-08"|"36:00:00"|"002"|true|"</row>`) || len(c.Table.Notes) != 0 {
		t.Errorf("%d rows, %.200q, %v", c.Table.Total, got, c.Table.Notes)
	}
	c = read(t, "a.xlsx", data, Limits{Text: 64 << 20, Rows: n})
	if notes := strings.Join(c.Table.Notes, ""); !c.Cut || !strings.Contains(notes, "first ") {
		t.Errorf("nothing says that not all rows are there: %s", notes)
	}
}

// TestExcelColumnsAreNamedAsPandasNamesThem checks that a repeated name and none do not stand for two columns.
func TestExcelColumnsAreNamedAsPandasNamesThem(t *testing.T) {
	data := workbook(t, func(f *excelize.File) {
		for cell, v := range map[string]any{"A1": "a", "B1": "a", "D1": "null", "A2": 1, "B2": 2, "C2": 3, "D2": 4} {
			require.NoError(t, f.SetCellValue("Sheet1", cell, v))
		}
	})
	if diff := cmp.Diff([]string{"a", "a.1", "Unnamed: 2", "null"}, read(t, "a.xlsx", data, plenty).Table.Columns); diff != "" {
		t.Error(diff)
	}
}
