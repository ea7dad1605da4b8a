package datafile

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"easel/internal/require"
)

// TestEveryValueIsBounded reads files with one huge value, or many columns, for little space.
func TestEveryValueIsBounded(t *testing.T) {
	digits, letters := strings.Repeat("7", 4<<20), strings.Repeat("é", 1<<18)
	wide := make([]string, 20_000)
	for i := range wide {
		wide[i] = fmt.Sprintf("measurement %d", i)
	}
	header := strings.Join(wide, ",") + "\n"
	object := `{"` + strings.Join(wide, `":1,"`) + `":1}`
	for name, test := range map[string]struct{ file, text string }{
		"a JSON number":         {"a.json", `[{"n": ` + digits + `}]`},
		"a JSON text":           {"a.json", `[{"s": "` + letters + `", "t": 1}]`},
		"a JSON list":           {"a.json", `[{"l": [` + strings.Repeat("1,", 1<<18) + `1]}]`},
		"a name in JSON":        {"a.json", `[{"` + letters + `": 1}]`},
		"a number in a line":    {"a.jsonl", `{"n": ` + digits + "}\n"},
		"many members":          {"a.json", "[" + object + "]"},
		"JSON that is no table": {"a.json", digits},
		"a number in CSV":       {"a.csv", "n\n" + digits + "\n"},
		"a text in CSV":         {"a.csv", "s,t\n" + letters + ",1\n"},
		"a name in CSV":         {"a.csv", letters + ",b\n1,2\n"},
		"many columns":          {"a.csv", header + strings.Repeat(strings.Repeat("1,", len(wide)-1)+"1\n", 5)},
		"many columns of text":  {"a.tsv", strings.ReplaceAll(header, ",", "\t") + strings.Repeat(strings.Repeat("x", 200)+"\t", len(wide)-1) + "1\n"},
		"a line of text":        {"a.txt", letters},
	} {
		c := read(t, test.file, []byte(test.text), Limits{Text: 1000, Rows: 50})
		size := len(c.Text) + len(c.CSV.Options)
		if c.Table != nil {
			raw, err := json.Marshal(c.Table)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			size += len(raw)
			if len(c.Table.Notes) == 0 {
				t.Errorf("%s: nothing says what was cut", name)
			}
			if c.Table.Total == 0 {
				t.Errorf("%s: no rows", name)
			}
		}
		if size > 5000 || !c.Cut {
			t.Errorf("%s: %d bytes, cut: %t", name, size, c.Cut)
		}
	}
	c := read(t, "a.csv", []byte(header+strings.Repeat("1,", len(wide)-1)+"1\n"), Limits{Text: 50_000, Rows: 50})
	if n := strings.Join(c.Table.Notes, "\n"); !strings.Contains(n, "20000 columns; the first 500") || len(c.Table.Columns) != 500 || len(c.Table.Rows[0]) != 500 {
		t.Errorf("%d columns: %s", len(c.Table.Columns), n)
	}
}

// TestColumnsWithoutContentNeedLittleMemory reads lines of delimiters: a file of 30 MB needed 13 GB.
func TestColumnsWithoutContentNeedLittleMemory(t *testing.T) {
	const most = 256 << 20 // bytes that are allocated, most of them one after another
	for _, c := range []string{",", ";", "\t", "|"} {
		for name, line := range map[string]string{"a line that is no table": strings.Repeat(c, 4<<20), "a wide table": strings.Repeat(c, 200_000) + "\n1\n", "a long record": strings.Repeat("\"\n\""+c, 600_000)} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := read(t, "a.csv", []byte(line), Limits{Text: 1000, Rows: 50})
			runtime.ReadMemStats(&after)
			if size := after.TotalAlloc - before.TotalAlloc; size > most || !got.Cut {
				t.Errorf("%s of %q: %d MiB, cut: %t", name, c, size>>20, got.Cut)
			}
		}
	}
	c := read(t, "a.csv", []byte("a,b\n"+strings.Repeat(",", 700)+"\n"), Limits{Rows: 50})
	if notes := strings.Join(c.Table.Notes, "\n"); !strings.Contains(notes, "701 columns; the first 500") || c.Table.Columns[499] != "column_500" {
		t.Errorf("a long row: %q, %s", c.Table.Columns[498:], notes)
	}
}

// TestUnknownEncodingsAreDoubted decodes texts in encodings that are no candidates: they are
// refused, or the result says that it is a guess.
func TestUnknownEncodingsAreDoubted(t *testing.T) {
	for name, test := range map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"Greek":      {charmap.Windows1253, "Όνομα,Πόλη\nΓιώργος,Αθήνα\nΜαρία,Θεσσαλονίκη\nΝίκος,Πάτρα και Ηράκλειο\n"},
		"Hebrew":     {charmap.Windows1255, "שם,עיר\nדוד,ירושלים\nשרה,תל אביב\nמשה,חיפה ובאר שבע\n"},
		"Arabic":     {charmap.Windows1256, "الاسم,المدينة\nأحمد,القاهرة\nفاطمة,الرياض\nعلي,بغداد ودمشق\n"},
		"Thai":       {charmap.Windows874, "ชื่อ,เมือง\nสมชาย,กรุงเทพ\nสมหญิง,เชียงใหม่\n"},
		"Turkish":    {charmap.Windows1254, "ad,şehir\nIşıl,İstanbul\nÇağrı,Eskişehir\nGülşen,Muğla ve Ağrı\nYiğit,Kırşehir\n"},
		"DOS":        {charmap.CodePage866, "имя,город\nИван,Москва\nМария,Казань\nПётр,Новосибирск\n"},
		"DOS, West":  {charmap.CodePage850, "prénom,ville\nFrançois,Besançon\nHélène,Orléans\nZoë,Nîmes, à côté\n"},
		"Macs":       {charmap.Macintosh, "prénom,ville\nFrançois,Besançon\nHélène,Orléans\nZoë,Nîmes, à côté\n"},
		"ISO, Czech": {charmap.ISO8859_2, "jméno,město\nJiří,Plzeň\nŠimon,Žďár\nLuděk,České Budějovice\nTomáš,Příbram\n"},
		"ISO, East":  {charmap.ISO8859_5, "имя,город\nИван,Москва\nМария,Казань\nПётр,Новосибирск\n"},
		"Baltic":     {charmap.Windows1257, "vardas,miestas\nŽydrūnas,Šiauliai\nRūta,Panevėžys\nĄžuolas,Klaipėda\n"},
	} {
		data, err := test.enc.NewEncoder().Bytes([]byte(test.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d, ok := Decode(data); ok && !d.Guess && d.Text != test.text {
			t.Errorf("%s: %s without a word: %q", name, d.Encoding, d.Text)
		}
	}
	long, err := japanese.ShiftJIS.NewEncoder().String(strings.Repeat("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n", 20))
	require.NoError(t, err)
	if d, _ := Decode([]byte(long)); d.Guess || d.Encoding != "cp932" || len(d.Notes) > 0 {
		t.Errorf("a long Japanese text is doubted: %s or %s, %v", d.Encoding, d.Or, d.Notes)
	}
}
