package brief

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// A testColumn is a column of a table: its type, its statistics and its first values.
type testColumn struct {
	name, dtype string
	stats       map[string]any
	head        []any
}

// table returns what the kernel tells of a table.
func table(t *testing.T, columns ...testColumn) catalog.GetDataFrameInfoOut {
	t.Helper()
	o := catalog.GetDataFrameInfoOut{
		Result: catalog.OK, Name: "df", Type: "pandas.DataFrame", Shape: []int64{5, int64(len(columns))}, MemoryBytes: 1632,
		Dtypes: make(map[string]string), Describe: make(map[string]map[string]any),
	}
	rows := make([]map[string]any, len(columns[0].head))
	for i := range rows {
		rows[i] = make(map[string]any)
	}
	for _, c := range columns {
		o.Columns, o.Keys, o.Shown = append(o.Columns, c.name), append(o.Keys, c.name), append(o.Shown, c.name)
		o.Dtypes[c.name], o.Describe[c.name] = c.dtype, c.stats
		for i, v := range c.head {
			rows[i][c.name] = v
		}
	}
	for _, row := range rows {
		raw, err := json.Marshal(row)
		require.NoError(t, err)
		o.Head = append(o.Head, raw)
	}
	return o
}

func counted(t *testing.T, text string) int {
	t.Helper()
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	n, err := o200k.Count(text)
	require.NoError(t, err)
	return n
}

func words(unique, freq float64, head ...any) testColumn {
	return testColumn{dtype: "str", stats: map[string]any{"count": 5.0, "nulls": 0.0, "unique": unique, "top": head[0], "freq": freq}, head: head}
}

func (c testColumn) named(name string) testColumn {
	c.name = name
	return c
}

func numbers(r *rand.Rand) testColumn {
	c := testColumn{dtype: "float64", stats: map[string]any{"count": 5.0, "nulls": 0.0}}
	for _, k := range []string{"mean", "std", "min", "25%", "50%", "75%", "max"} {
		c.stats[k] = r.Float64()
	}
	for range 5 {
		c.head = append(c.head, r.Float64())
	}
	return c
}

func TestATableInJapaneseIsShort(t *testing.T) {
	t.Parallel()
	age := testColumn{"年齢", "int64", map[string]any{"count": 5.0, "nulls": 0.0, "mean": 38.0, "std": 10.173494974687902, "min": 28.0, "25%": 31.0, "50%": 34.0, "75%": 45.0, "max": 52.0}, []any{34, 28, 45, 31, 52}}
	paid := testColumn{"年収", "int64", map[string]any{"count": 5.0, "nulls": 0.0, "mean": 648.0, "std": 315.7055590891706, "min": 430.0, "25%": 480.0, "50%": 520.0, "75%": 610.0, "max": 1200.0}, []any{520, 430, 610, 480, 1200}}
	o := table(
		t, words(5, 1, "山田太郎", "佐藤花子", "鈴木一郎", "田中美咲", "高橋健").named("氏名"), age, words(5, 1, "東京都", "大阪府", "愛知県", "福岡県", "北海道").named("都道府県"),
		words(4, 2, "会社員", "公務員", "自営業", "会社員", "医師").named("職業"), paid, words(5, 1, "営業", "総務", "開発", "人事", "外科").named("部署"),
		words(3, 3, "なし", "要確認", "なし", "なし", "済").named("備考"), words(1, 5, "2015-04-01", "2015-04-01", "2015-04-01", "2015-04-01", "2015-04-01").named("入社日"),
	)
	got := marshal(t, Of(o, nil))
	if n := counted(t, got); n > 420 {
		t.Errorf("%d tokens: %s", n, got)
	}
	for _, want := range []string{`["山田太郎",34,"東京都","会社員",520,"営業","なし","2015-04-01"]`, `"std":10.1735`, `"職業":{"freq":2,"top":"会社員","unique":4}`, `"name":"df"`, `"dtypes":{`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestAWideTableIsShort(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, form := range []string{"sensor_%03d", "x%d", "column with a rather long name, number %d", "売上高_%d月", "%[1]d"} {
		for _, width := range []int{31, 301, 5000} {
			var columns []testColumn
			for i := range width {
				columns = append(columns, numbers(r).named(fmt.Sprintf(form, i)))
			}
			o := table(t, columns...)
			if width > 500 {
				o.Shown = o.Shown[:500]
			}
			got := marshal(t, Of(o, nil))
			if n := counted(t, got); n > 600 || n < 200 {
				t.Errorf("%d columns like %s: %d tokens: %s", width, form, n, got)
			}
			if last := fmt.Sprintf(form, width-1); !strings.Contains(got, last) || !strings.Contains(got, "pass columns") {
				t.Errorf("neither the last column, %s, nor the way to it: %s", last, got)
			}
		}
	}
}

func TestATableThatWasAskedForIsComplete(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var columns []testColumn
	for i := range 30 {
		columns = append(columns, numbers(r).named(fmt.Sprintf("c%d", i)))
	}
	o := table(t, columns...)
	if got := marshal(t, Of(o, nil)); strings.Count(got, `"25%"`) != 30 || strings.Contains(got, "notes") {
		t.Errorf("30 columns: %s", got)
	}
	o.Shown = []string{"c7", "c29"}
	if got := marshal(t, Of(o, nil)); !strings.Contains(got, `"columns":["c7","c29"]`) || !strings.Contains(got, "2 of 30 columns are shown") {
		t.Errorf("two columns: %s", got)
	}
}

func TestNumbersAndTextsOfTablesAreShortened(t *testing.T) {
	t.Parallel()
	o := table(t, testColumn{"a", "float64", map[string]any{"mean": 1.23456789, "count": 3.0, "nulls": 2.0, "top": "<x>", "big": 2499999.54, "std": nil}, []any{strings.Repeat("長", 500), 1.23456789, nil, 1 << 40, "Infinity"}})
	o.Index = &catalog.FrameIndex{Names: []string{"day", ""}, Dtypes: []string{"datetime64[us]", "str"}, Head: []json.RawMessage{[]byte(`["2026-01-02T00:00:00","` + strings.Repeat("y", 500) + `"]`)}}
	got := marshal(t, Of(o, nil))
	for _, want := range []string{`"describe":{"a":{"big":2499999.5,"count":3,"mean":1.23457,"nulls":2,"top":"<x>"}}`, `[1.23457],[null],[1099511627776],["Infinity"]`, `"names":["day",""]`, `["2026-01-02","yyy`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if len(got) > 900 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if raw, err := tool.Marshal(o); err != nil || len(raw) < 1_500 {
		t.Errorf("the result for programs was shortened, too: %s (%v)", raw, err)
	}
}
