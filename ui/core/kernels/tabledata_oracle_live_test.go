package kernels_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"easel/ui/core/command"
	"easel/ui/core/library"
)

const oddTables = `
import datetime, decimal, numpy as np, pandas as pd, polars as pl, pyarrow as pa
D, _rng, _n = decimal.Decimal, np.random.default_rng(0), 60
def _some(*values): return [values[i] for i in _rng.integers(0, len(values), _n)]
def _obj(*values): return pd.Series(_some(*values), dtype=object)
_when = pd.Series([*pd.date_range('2026-03-07', periods=_n - 1, freq='7h'), pd.NaT])
columns = {
    'wide': pd.Series(_some(np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, -1e308, 5e-324)), 'half': pd.Series(_some(np.nan, .1, 65504, -65504), dtype='f2'),
    'extreme': pd.Series(_some(2**63 - 1, -2**63, 0, 2**53 + 1, 2**53)), 'unsigned': pd.Series(_some(2**64 - 1, 0, 2**63), dtype='u8'),
    'text': pd.Series(_some('b', 'a', 'B', 'é', 'あ', '😀', '', None, 'a' * 300)), 'category': pd.Series(pd.Categorical(_some('lo', 'hi', None), ['lo', 'hi', 'never'])),
    'new_york': _when.dt.tz_localize('America/New_York', nonexistent='shift_forward'), 'tokyo': _when.dt.tz_localize('Asia/Tokyo'),
    'ns': pd.Series(_rng.integers(0, 10**18, _n).astype('M8[ns]')), 'ns_zone': pd.Series(_rng.integers(0, 10**18, _n).astype('M8[ns]')).dt.tz_localize('Asia/Tokyo'),
    'sparse': pd.Series(pd.arrays.SparseArray(_some(0, 0, 0, 1.5, np.nan))), 'decimal': _obj(D('1.10'), D('10'), D('9'), D('NaN')),
    'scalars': _obj(np.int64(10), np.int64(9), np.float64(9.5), 100, np.float64('nan')), 'deltas': _obj(pd.Timedelta(days=10), pd.Timedelta(days=9), pd.Timedelta(-1)),
    'stamps': _obj(pd.Timestamp('2026-01-02'), pd.Timestamp('2026-01-01 10:00'), pd.NaT), 'period': pd.Series(_some(*pd.period_range('2026-01', periods=9, freq='M'))),
    'arrow_day': pd.Series(_some(datetime.date(2026, 1, 2), None, datetime.date(2025, 1, 1)), dtype=pd.ArrowDtype(pa.date32())),
    'arrow_decimal': pd.Series(_some(D('1.10'), None, D('10.00'), D('9.00')), dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
    'arrow_zone': _when.dt.tz_localize('UTC').astype(pd.ArrowDtype(pa.timestamp('us', 'Asia/Tokyo'))), 'arrow_int': pd.Series(_some(2**60, None, 3), dtype='int64[pyarrow]'),
}
odd = pd.DataFrame(columns)
_up = [odd.iloc[:, i].sort_values(kind='stable').index.tolist() for i in range(odd.shape[1])]
_down = [odd.iloc[:, i].sort_values(kind='stable', ascending=False).index.tolist() for i in range(odd.shape[1])]
_equal = [[np.flatnonzero((s == s.iloc[j]).fillna(False).to_numpy(dtype=bool)).tolist() or np.flatnonzero(s.isna()).tolist() for j in range(5)] for s in columns.values()]
lists = pd.DataFrame({'l': pd.Series([[2], None, [1, 3]], dtype=pd.ArrowDtype(pa.list_(pa.int64())))})
numbers, moments = [5, 10, 20, 9, None, 100.5], [datetime.datetime(2026, 1, 1, 10), datetime.datetime(2026, 1, 2), None]
prices, big = pl.DataFrame({'d': [D('10'), D('9'), D('100')]}), pl.DataFrame({'i': pl.Series([2**100, 0, None], dtype=pl.Int128)})
exact = pl.DataFrame({'t': np.array([1767312000123456789, 1767312000123456000], 'M8[ns]')}).with_columns(z=pl.col('t').dt.replace_time_zone('Asia/Tokyo'))
fine, _long = pl.DataFrame({'d': pl.Series([1, 2, 1000, None], dtype=pl.Duration('ns'))}), ['x' * 250 + '…a', 'x' * 250 + '…b']
long_texts, long_objects, long_list = pd.DataFrame({'s': _long}), pd.DataFrame({'s': pd.Series(_long, dtype=object)}), _long
levels = pl.DataFrame({'e': pl.Series(['hi', 'lo', 'hi'], dtype=pl.Enum(['lo', 'hi']))})
zoned = pd.DataFrame({'d': pd.to_datetime(['2026-01-01 00:30', '2026-01-01 23:30', '2025-12-31 23:30']).tz_localize('Asia/Tokyo')})
polars_zoned, arrow_zoned, naive = pl.from_pandas(zoned), pa.Table.from_pandas(zoned), pd.DataFrame({'d': zoned.d.dt.tz_localize(None).astype('M8[ns]')})
times, spans = np.array(['2026-01-02', 'NaT', '2025-01-01'], 'M8[ns]'), np.array([10**5, 5, 'NaT'], 'm8[ns]')
deep = [list(range(9)), b'x' * 50, {'k': (1, 'a"' * 150)}, np.arange(4).reshape(2, 2), [[]]]
seen = pd.DataFrame({'f': [1.5, np.inf], 'd': pd.to_datetime(['2026-01-01 09:00', '2026-01-02 10:00'])})
`

// TestLiveTablesAgreeWithPandas compares orders and filters with those that pandas computes itself.
func TestLiveTablesAgreeWithPandas(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, oddTables)
	var want struct {
		Up, Down [][]int
		Equal    [][][]int
	}
	d.read(s, "_up", &want.Up)
	d.read(s, "_down", &want.Down)
	d.read(s, "_equal", &want.Equal)
	r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: "odd", Epoch: "1"}}
	all := r.page(command.TableView{TableRef: r.ref})
	var codes, rows []string
	coded := func(v command.TableView, at []int) {
		var out command.TableCode
		if r.ask("code", v, &out); out.Code != "" {
			codes, rows = append(codes, "list(map(int, ("+out.Code+").index))"), append(rows, fmt.Sprint(at))
		}
	}
	for i, name := range all.Names {
		for down, at := range map[bool][]int{false: want.Up[i], true: want.Down[i]} {
			v := command.TableView{TableRef: r.ref, Sort: []command.TableSort{{Column: i, Down: down}}}
			if got := r.page(v).At; fmt.Sprint(got) != fmt.Sprint(at) {
				t.Errorf("%s, down %v: %v, want %v", name, down, got, at)
			}
			coded(v, at)
		}
		for j, at := range want.Equal[i] {
			f := command.TableFilter{Column: i, Op: command.FilterIs, Value: all.Cells[i][j]}
			if string(f.Value) == "null" {
				f.Op = command.FilterMissing
			}
			v := command.TableView{TableRef: r.ref, Filters: []command.TableFilter{f}}
			if got := r.page(v).At; fmt.Sprint(got) != fmt.Sprint(at) {
				t.Errorf("%s = %s: %v, want %v", name, f.Value, got, at)
			}
			coded(v, at)
		}
	}
	for n := 0; n < len(codes); n += 20 {
		var got [][]int
		part := codes[n:min(n+20, len(codes))]
		d.read(s, "["+strings.Join(part, ", ")+"]", &got)
		for j, at := range got {
			if fmt.Sprint(at) != rows[n+j] {
				t.Errorf("%s: %v, want %s", part[j], at, rows[n+j])
			}
		}
	}
	for i, h := range r.heads() {
		if h.Failed != "" {
			t.Errorf("%s: %+v", all.Names[i], h)
		}
	}
}

// read reads a value of the kernel as JSON.
func (d *fixture) read(s library.Session, expression string, into any) {
	d.t.Helper()
	x := d.run(s, "import json; print(json.dumps("+expression+"))")
	if err := json.Unmarshal([]byte(x.Stdout), into); err != nil {
		d.t.Fatalf("%v: %.200s", err, x.Stdout)
	}
}

// TestLiveTablesOfOddValues filters, sorts and searches what a table shows.
// longText is a text of which the kernel shows the beginning only.
func longText(end string) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", 250) + end + `"`)
}

func TestLiveTablesOfOddValues(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, oddTables)
	reader := func(name string) tableReader {
		return tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
	}
	between := func(low, high string) *command.TableFilter {
		return &command.TableFilter{Op: command.FilterRange, Low: low, High: high}
	}
	for _, x := range []struct {
		name   string
		filter *command.TableFilter // nil: sort
		want   string
	}{
		{"numbers", between("5", "20"), "[0 1 2 3]"},
		{"moments", between("2026-01-01 09:30", "2026-01-01"), "[0]"},
		{"prices", between("9", "50"), "[0 1]"},
		{"zoned", between("2026-01-01", "2026-01-01"), "[0 1]"},
		{"polars_zoned", between("2026-01-01", "2026-01-01"), "[0 1]"},
		{"arrow_zoned", between("2026-01-01", "2026-01-01"), "[0 1]"},
		{"naive", between("2025-12", "2025-12"), "[2]"},
		{"naive", between("", "2026-01-01 00:30"), "[0 2]"},
		{"naive", between("0001-01-01", "9999-01-01"), "[0 1 2]"},
		{"times", &command.TableFilter{Op: command.FilterIs, Value: json.RawMessage(`"2026-01-02T00:00:00"`)}, "[0]"},
		{"spans", &command.TableFilter{Op: command.FilterIs, Value: json.RawMessage(`"5 nanoseconds"`)}, "[1]"},
		{"exact", &command.TableFilter{Op: command.FilterIs, Value: json.RawMessage(`"2026-01-02T00:00:00.123456789"`)}, "[0]"},
		{"exact", &command.TableFilter{Column: 1, Op: command.FilterIs, Value: json.RawMessage(`"2026-01-02T00:00:00.123456789+09:00"`)}, "[0]"},
		{"fine", &command.TableFilter{Op: command.FilterIs, Value: json.RawMessage(`"0:00:00.000000002"`)}, "[1]"},
		{"long_texts", &command.TableFilter{Op: command.FilterIs, Value: longText("…b")}, "[1]"},
		{"long_objects", &command.TableFilter{Op: command.FilterIs, Value: longText("…b")}, "[1]"},
		{"long_list", &command.TableFilter{Op: command.FilterNot, Value: longText("…b")}, "[0]"},
		{"levels", nil, "[1 0 2]"},
		{"big", nil, "[1 0 2]"},
		{"lists", nil, "[2 0 1]"},
	} {
		r := reader(x.name)
		v := command.TableView{TableRef: r.ref, Sort: []command.TableSort{{}}}
		if x.filter != nil {
			v.Sort, v.Filters = nil, []command.TableFilter{*x.filter}
		}
		if got := fmt.Sprint(r.page(v).At); got != x.want {
			t.Errorf("%s, %+v: %s, want %s", x.name, x.filter, got, x.want)
		}
		if h := r.heads()[0]; h.Failed != "" {
			t.Errorf("%s: %+v", x.name, h)
		}
	}
	if h := reader("zoned").heads()[0]; string(h.Max) != `"2026-01-01T23:30:00"` {
		t.Errorf("the last time, as it is shown: %s", h.Max)
	}
	if cells := reader("exact").page(command.TableView{TableRef: reader("exact").ref}).Cells; fmt.Sprintf("%s", cells) !=
		`[["2026-01-02T00:00:00.123456789" "2026-01-02T00:00:00.123456"] ["2026-01-02T00:00:00.123456789+09:00" "2026-01-02T00:00:00.123456+09:00"]]` {
		t.Errorf("nanoseconds: %s", cells)
	}
	if cells := reader("fine").page(command.TableView{TableRef: reader("fine").ref}).Cells; fmt.Sprintf("%s", cells) !=
		`[["0:00:00.000000001" "0:00:00.000000002" "0:00:00.000001" null]]` {
		t.Errorf("durations: %s", cells)
	}
	var whole command.TablePage
	r := reader("deep")
	r.ask("page", command.TablePageIn{TableView: command.TableView{TableRef: r.ref}, Rows: 5, Columns: 1, Whole: true}, &whole)
	for j, want := range []string{
		"[0, 1, 2, 3, 4, 5, 6, 7, 8]", "b'" + strings.Repeat("x", 50) + "'", `{"k": (1, "` + strings.Repeat(`a\"`, 150) + `")}`, "[[0, 1], [2, 3]]", "[[]]",
	} {
		var got string
		if err := json.Unmarshal(whole.Cells[0][j], &got); err != nil || got != want {
			t.Errorf("the whole value is %s, want %s (%v)", got, want, err)
		}
	}
	for text, want := range map[string]string{"Infinity": "1,0", "2026-01-02 10:00": "1,1", "2026-01-02T10:00": "1,1"} {
		r := reader("seen")
		var found command.TableSearchOut
		r.ask("search", command.TableSearchIn{TableView: command.TableView{TableRef: r.ref}, Text: text, Column: -1}, &found)
		if got := fmt.Sprintf("%d,%d", found.Row, found.Column); !found.Found || got != want {
			t.Errorf("%s: %+v", text, found)
		}
	}
}
