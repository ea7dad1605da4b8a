package mimebundle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestSpansOfTablesAreBounded displays small tables whose spans would fill the memory.
func TestSpansOfTablesAreBounded(t *testing.T) {
	row := func(attributes, text string) string { return "<tr><td " + attributes + ">" + text + "</td></tr>" }
	nested := "x"
	for range 40 {
		nested = "<table>" + row("colspan=2 rowspan=2", nested) + "</table>"
	}
	for name, page := range map[string]string{
		"one cell":              "<table>" + row("colspan=1000000 rowspan=100000", "1") + "</table>",
		"wide":                  "<table>" + row("colspan=10000000", "1") + "</table>",
		"many rows":             "<table>" + strings.Repeat(row("rowspan=65000 colspan=1000", "1"), 2000) + "</table>",
		"much text":             "<table>" + row("colspan=1000", strings.Repeat("text ", 20_000)) + "</table>",
		"an address":            "<table>" + row("colspan=1000", `<a href="/`+strings.Repeat("a", 100_000)+`">x</a>`) + "</table>",
		"no number":             "<table>" + row("colspan=99999999999999999999 rowspan=' 70000 '", "1") + "</table>",
		"tables in cells":       nested,
		"a wide one, and rows":  "<table>" + row("colspan=50000", "1") + strings.Repeat(row("", "1"), 2000) + "</table>",
		"a high one, and rows":  "<table>" + row("rowspan=50000", "1") + strings.Repeat(row("", "1"), 2000) + "</table>",
		"columns without spans": "<table><tr>" + strings.Repeat("<td>", 20_000) + "</tr>" + strings.Repeat(row("", "1"), 20_000) + "</table>",
	} {
		text, _ := Displayed(bundleOf(t, page))
		if most := len(page) + 4*mostRepeated; len(text) > most {
			t.Errorf("%s: %d bytes of a page of %d", name, len(text), len(page))
		}
	}
	text, _ := Displayed(bundleOf(t, "<table><tr><th colspan=2>year</th></tr><tr><td>1</td><td>2</td></tr></table>"))
	if strings.Count(text, "year") != 2 {
		t.Errorf("an ordinary span is not kept: %q", text)
	}
}

func bundleOf(t *testing.T, page string) Bundle {
	t.Helper()
	raw, err := json.Marshal(page)
	require.NoError(t, err)
	return Bundle{"text/plain": json.RawMessage(fmt.Sprintf("%q", "<x at 0x1>")), "text/html": raw}
}
