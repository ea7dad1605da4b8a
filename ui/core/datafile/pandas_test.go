package datafile

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// evaluate makes pandas evaluate expressions, and prints columns and rows as JSON.
const evaluate = `
import json, sys, warnings, pandas as pd, numpy as np
warnings.simplefilter("error")
def plain(v):
    if v is None or v != v: return None
    if isinstance(v, (bool, np.bool_)): return bool(v)
    if isinstance(v, (int, float, np.number)): return float(v)
    return str(v)
out = {}
for name, expression in json.load(sys.stdin).items():
    try:
        d = eval(expression)
        out[name] = {"columns": [str(c) for c in d.columns], "rows": [[plain(v) for v in r] for r in d.astype(object).values.tolist()]}
    except Exception as e:
        out[name] = {"error": f"{expression}: {e!r}"}
print(json.dumps(out))
`

// A frame is what pandas reads, or what is shown of it.
type frame struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	Error   string   `json:"error"`
}

func python(t *testing.T, program string, in any, out any) {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), jupytertest.Python(t), "-c", program)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(raw)), os.Stderr
	answer, err := cmd.Output()
	require.NoError(t, err)
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
}

// shownFrame returns a table in the form of evaluate: pandas reads an empty text as NaN.
func shownFrame(t *testing.T, c Content) frame {
	t.Helper()
	f := frame{Columns: c.Table.Columns, Rows: [][]any{}}
	for _, row := range c.Table.Rows {
		var values []any
		for _, raw := range row {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if v == "" {
				v = nil
			}
			values = append(values, v)
		}
		f.Rows = append(f.Rows, values)
	}
	return f
}

type csvCase struct {
	text      string
	columns   []string
	delimiter string
	decimal   string
}

var csvCases = map[string]csvCase{
	"plain":                     {"a,b\n1,x\n2,y\n", []string{"a", "b"}, ",", "."},
	"the line of Excel":         {"sep=;\r\nmålt;pris\r\n1,5;20\r\n2,25;30\r\n", []string{"målt", "pris"}, ";", ","},
	"the line of Excel, tabs":   {"sep=\t\na\tb\n1.5\t2\n", []string{"a", "b"}, "\t", "."},
	"that line and a mark":      {"\ufeffsep=|\na|b\n1|2\n", []string{"a", "b"}, "|", "."},
	"comments":                  {"# made by a logger\n# at noon, twice\ntime,volt\n10,1.5\n20,1.75\n", []string{"time", "volt"}, ",", "."},
	"comments between":          {"# one\na,b\n1,2\n# two\n3,4\n", []string{"a", "b"}, ",", "."},
	"comments and colours":      {"# one\nname,colour\nred,#ff0000\nblue,#0000ff\n", []string{"name", "colour"}, ",", "."},
	"comments and a blank line": {"# one\n\n# two\n\na;b\n1;2\n", []string{"a", "b"}, ";", "."},
	"a header with #":           {"# one\n#id,value\n1,2\n3,4\n", []string{"#id", "value"}, ",", "."},
	"old Macs":                  {"fruit,count\rapple,3\rpear,4\r", []string{"fruit", "count"}, ",", "."},
	"old Macs, Excel":           {"sep=;\rfruit;count\rapple;3,5\r", []string{"fruit", "count"}, ";", ","},
	"NULs within":               {"na\x00me,n\nap\x00ple,3\npear,4\n", []string{"name", "n"}, ",", "."},
	"NULs at the end":           {"a,b\n1,2\n3,4\n\x00\x00\x00\x00\x00\x00\x00\x00", []string{"a", "b"}, ",", "."},
	"Ctrl-Z":                    {"a,b\r\n1,2\r\n3,4\r\n\x1a", []string{"a", "b"}, ",", "."},
	"Ctrl-Z without a line end": {"a,b\r\n1,2\r\n3,4\x1a\x1a", []string{"a", "b"}, ",", "."},
	"semicolons":                {"a;b;c\n1,5;x, y;2\n-2,25;z;0,5\n", []string{"a", "b", "c"}, ";", ","},
	"points between thousands":  {"a;b\n1.234,5;x\n17,25;y\n1.234.567,00;z\n", []string{"a", "b"}, ";", ","},
	"such points and dates":     {"Stadt;Umsatz;Datum\nKöln;1.234,50;01.02.2024\nBonn;2,75;13.02.2024\n", []string{"Stadt", "Umsatz", "Datum"}, ";", ","},
	"points and a version":      {"v;n;z\n1.2.3;10.000,5;1\n2;3,25;2\n", []string{"v", "n", "z"}, ";", ","},
	"commas between thousands":  {"a,b,c\n\"1,234.5\",x,0.5\n17,y,2\n\"-1,234,567\",z,3\n", []string{"a", "b", "c"}, ",", "."},
	"such commas, and lists":    {"n;l\n1,234.5;1,2\n2,345.75;3,14\n", []string{"n", "l"}, ";", "."},
	"such commas in bars":       {"n|when\n1,234.5|1,2,3\n20|4,5\n", []string{"n", "when"}, "|", "."},
	"bars":                      {"a|b\n1|x,y\n2|z\n", []string{"a", "b"}, "|", "."},
	"tabs":                      {"a\tb\n1.5\tx\n2\ty\n", []string{"a", "b"}, "\t", "."},
	"longer rows":               {"a,b\n1,2\n3,4,5\n", []string{"a", "b", "column_3"}, ",", "."},
	"a comma behind each row":   {"a,b\n1,2,\n3,4,\n", []string{"a", "b", "column_3"}, ",", "."},
	"a name twice, and none":    {"a,a,,a\n1,2,3,4\n", []string{"a", "a.1", "Unnamed: 2", "a.2"}, ",", "."},
	"zeros before numbers":      {"zip,n\n01234,1\n99999,2\n", []string{"zip", "n"}, ",", "."},
	"quotes":                    {"a,b\n\"x, \"\"y\"\"\nz\",1\n\"it's\",2\n", []string{"a", "b"}, ",", "."},
	"a line of blanks":          {"a,b\n1,2\n  \n3,4\n", []string{"a", "b"}, ",", "."},
	"a bad byte":                {"ville,août\nMontréal,1\nQu\xe9bec à côté,2\n", []string{"ville", "août"}, ",", "."},
	"one column":                {"n\n1\n2\n", []string{"n"}, ",", "."},
	"such names":                {"x,x,x.1,y,y\n1,2,3,4,5\n", []string{"x", "x.2", "x.1", "y", "y.1"}, ",", "."},
	"missing, decimal commas":   {"Ort;Wert\nKiel;1,5\nUlm;NA\nBonn;\n", []string{"Ort", "Wert"}, ";", ","},
	"row names of R":            {"mm,n\nKiel,1.5,2\nUlm,2.5,3\n", []string{"Unnamed: 0", "mm", "n"}, ",", "."},
	"a title":                   {"Report 2026\nregion;sales\nNorth;10\nSouth;20\nEast;30\n", []string{"region", "sales"}, ";", "."},
	"settings":                  {"測定日,2026-01-01\n担当,山田\n\n時刻,電圧,電流\n0,1.5,2\n1,1.6,3\n", []string{"時刻", "電圧", "電流"}, ",", "."},
	"settings, filled up":       {"made by,me,\nunit,mm,\n,,\nt,x,y\n1,2,3\n4,5,6\n", []string{"t", "x", "y"}, ",", "."},
	"comments with %":           {"% made by a logger\n% at noon\ntime,volt\n10,1.5\n20,1.75\n", []string{"time", "volt"}, ",", "."},
	"a comment at the end":      {"time,volt\n10,1.5\n20,1.75\n# end\n", []string{"time", "volt"}, ",", "."},
	"spaces behind commas":      {"a, b, c\n1, 2, \"x, y\"\n3, 4, z\n", []string{"a", "b", "c"}, ",", "."},
	"an open quotation mark":    {"id,text\n1,\"never closed\n2,b\n3,5\" pipe\n", []string{"id", "text"}, ",", "."},
	"one column of decimals":    {"Wert\n1,5\n2,25\n", []string{"Wert"}, ";", ","},
}

// TestLivePandasReadsWhatIsShown evaluates the line for pandas of each file with the real one.
func TestLivePandasReadsWhatIsShown(t *testing.T) {
	dir := t.TempDir()
	expressions, shown := make(map[string]string), make(map[string]frame)
	mark := `"`
	if runtime.GOOS == "windows" { // no name may have it there
		mark = "'"
	}
	add := func(name string, data []byte) Content {
		path := filepath.Join(dir, fmt.Sprintf("%d %[2]sä%[2]s.csv", len(shown), mark))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		c := read(t, path, data, plenty)
		expressions[name], shown[name] = c.CSV.Pandas(path), shownFrame(t, c)
		return c
	}
	for name, test := range csvCases {
		c := add(name, []byte(test.text))
		if diff := cmp.Diff(test.columns, c.Table.Columns); diff != "" || c.CSV.Delimiter != test.delimiter || c.CSV.Decimal != test.decimal {
			t.Errorf("%s: delimiter %q, decimal %q\n%s", name, c.CSV.Delimiter, c.CSV.Decimal, diff)
		}
	}
	for name, enc := range encodings {
		text := tables[name]
		data, err := enc.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c := add(name, data)
		want := strings.Split(strings.SplitN(text, "\n", 2)[0], ",")
		if diff := cmp.Diff(want, c.Table.Columns); diff != "" {
			t.Errorf("%s: read as %s (or %s)\n%s", name, c.Encoding, c.Or, diff)
		}
		if strings.HasSuffix(name, "short") && (!c.Guess || c.Or == "" || !strings.Contains(strings.Join(c.Notes, ""), "guess")) {
			t.Errorf("%s: %s is no guess in so few words: %+v", name, c.Encoding, c.Notes)
		}
	}
	got := make(map[string]frame)
	python(t, evaluate, expressions, &got)
	for name, want := range shown {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s: %s (-shown +pandas)\n%s", name, expressions[name], diff)
		}
	}
}

var encodings = map[string]encoding.Encoding{
	"gbk": simplifiedchinese.GBK, "gb18030": simplifiedchinese.GB18030, "big5": traditionalchinese.Big5, "euc_kr": korean.EUCKR,
	"cp932": japanese.ShiftJIS, "euc_jp": japanese.EUCJP, "latin1": charmap.ISO8859_1, "cp1252": charmap.Windows1252,
	"cp1250": charmap.Windows1250, "cp1250 Czech": charmap.Windows1250, "cp1251": charmap.Windows1251, "koi8_r": charmap.KOI8R,
	"utf-16":     unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"gbk, short": simplifiedchinese.GBK, "big5, short": traditionalchinese.Big5, "euc_kr, short": korean.EUCKR, "cp932, short": japanese.ShiftJIS,
}

// tables are short on purpose: a header and a few cells.
var tables = map[string]string{
	"gbk":           "姓名,年龄,地址\n张伟,30,北京市朝阳区\n李娜,25,上海市浦东新区\n",
	"gb18030":       "产品,销售额\n手机,2000\n电脑,3500\n",
	"big5":          "姓名,電話,備註\n陳小明,100,台北市信義區\n林美玲,200,高雄市\n",
	"euc_kr":        "이름,나이,주소\n김민수,30,서울특별시 강남구\n이영희,25,부산광역시\n",
	"cp932":         "商品名,価格,在庫\nりんご,100,東京\nミカン,50,大阪\n",
	"euc_jp":        "氏名,住所\n山田太郎,東京都\n鈴木花子,大阪府\n",
	"latin1":        "prénom,âge\nFrançois,30\nZoë,25\n",
	"cp1252":        "Größe,Preis in €\nMünchen,20\nKöln,30\n",
	"cp1250":        "imię,miasto\nŁukasz,Łódź\nGrażyna,Kraków\nPaweł,Gdańsk\n",
	"cp1250 Czech":  "jméno,město\nJiří,Plzeň\nLuděk,České Budějovice\n",
	"cp1251":        "имя,возраст\nИван,30\nМария,25\n",
	"koi8_r":        "имя,город\nИван,Москва\nМария,Казань\n",
	"utf-16":        "名前,値\n東京,1\n",
	"gbk, short":    "省份,数量\n四川,12\n湖南,7\n",
	"big5, short":   "城市,數量\n台中,12\n",
	"euc_kr, short": "지역,수량\n대구,12\n",
	"cp932, short":  "都市,数量\n京都,12\n",
}
