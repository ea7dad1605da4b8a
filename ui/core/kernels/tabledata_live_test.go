package kernels_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
)

const tables = `
import datetime, decimal, numpy as np, pandas as pd, polars as pl
pandas = pd.DataFrame({
    'n': [3, 1, 2], 'x': [1.5, np.nan, np.inf], 's': ['b', None, 'a'], 'o': pd.Series(['b', None, 'a'], dtype=object),
    'when': pd.to_datetime(['2026-01-03', None, '2026-01-02']), 'c': pd.Categorical(['u', None, 't']), 'i': pd.array([2, None, 1], dtype='Int64'),
    'tz': pd.to_datetime(['2026-01-03T09:00+09:00', None, '2026-01-02T09:00+09:00']), 'd': [decimal.Decimal(2), None, decimal.Decimal(1)],
    'took': pd.to_timedelta(['2s', None, '1s']), 'ok': pd.array([True, None, False]),
}, index=pd.Index(['p', 'q', 'r'], name='key'))
series, index, pairs = pandas['x'], pd.Index([3, 1, 2]), pandas.set_index(['n', 's'])
polars = pl.DataFrame({'n': [3, 1, 2], 'x': [1.5, None, float('nan')], 's': ['b', None, 'a'], 'when': [datetime.date(2026, 1, 3), None, datetime.date(2026, 1, 2)], 'ok': [True, None, False], 'l': [[1], None, [2]]})
arrow = polars.to_arrow()
batch, column = arrow.to_batches()[0], polars['s']
array, line, cube = np.array([[3, 30], [1, 10], [2, 20]]), np.array([3, 1, 2]), np.arange(12).reshape(3, 2, 2)
records, masked = np.array([(3, 'c'), (1, 'a'), (2, 'b')], dtype=[('k', int), ('v', 'U2')]), np.ma.masked_equal([3, 1, 2], 1)
mixed, dicts, lists, tuple_ = [3, 'a', None], [{'a': 3, 'b': 1}, {'a': 1}], [(3, 'c'), (1, 'a')], (3, 1, 2)
mapping, columns, numbers = {'b': 3, 'a': 1}, {'a': [3, 1, 2], 'b': [1, 2, 3]}, range(3, 9)
empty, nothing, number = pd.DataFrame(), [], 7
before = set(globals())
`

// TestLiveTablesOfEveryKind reads parts of tables, sorted by each column and filtered by a value of each.
func TestLiveTablesOfEveryKind(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, tables)
	for name, want := range map[string]string{
		"pandas": "3×11 key", "series": "3×1 key", "index": "3×1 ", "pairs": "3×9 n,s", "polars": "3×6", "column": "3×1", "arrow": "3×6", "batch": "3×6",
		"array": "3×2", "line": "3×1", "cube": "6×2", "records": "3×2", "masked": "3×1", "mixed": "3×1", "dicts": "2×2", "lists": "2×2",
		"tuple_": "3×1", "mapping": "2×1", "columns": "3×2", "numbers": "6×1", "empty": "0×0 ", "nothing": "0×1",
	} {
		r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
		shape := r.shape()
		got := fmt.Sprintf("%d×%d", shape.Rows, shape.Columns)
		if len(shape.Index) > 0 {
			got += " " + strings.Join(shape.Index, ",")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		variables, err := d.Variables(d.context(), s.ID, name) // pandas counts what filtering leaves behind, too
		require.NoError(t, err)
		for _, v := range variables {
			if v.Name == name && v.MemoryBytes != 0 && v.MemoryBytes != shape.MemoryBytes {
				t.Errorf("%s takes %d B in the list of variables, %d B as a table", name, v.MemoryBytes, shape.MemoryBytes)
			}
		}
		all := r.page(command.TableView{TableRef: r.ref})
		if len(all.Names) != shape.Columns || all.Matching != shape.Rows {
			t.Errorf("%s: %d columns of %d, %d rows of %d", name, len(all.Names), shape.Columns, all.Matching, shape.Rows)
		}
		if heads := r.heads(); slices.ContainsFunc(heads, func(h command.TableHead) bool { return h.Failed != "" }) {
			t.Errorf("%s: %+v", name, heads)
		}
		for i := range all.Names {
			r.checkColumn(all, i)
		}
	}
	for name, want := range map[string]error{"number": inspect.ErrNoTable, "missing": inspect.ErrNoVariable} {
		ref := command.TableRef{SessionID: s.ID, Name: name}
		if err := kernels.Table(d.context(), d.Manager, s.ID, "shape", name, false, ref, new(command.TableShape)); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if x := d.run(s, "set(globals()) - before - {'before', '_i2'} or [k for k in _ih if 'ea' 'sel' in k] or _oh"); x.Text != "{}" {
		t.Errorf("reading left something: %s", x.Text)
	}
}

type tableReader struct {
	t   *testing.T
	d   *fixture
	ref command.TableRef
}

func (r tableReader) ask(op string, in, out any) {
	r.t.Helper()
	if err := kernels.Table(r.d.context(), r.d.Manager, r.ref.SessionID, op, r.ref.Name, op != "shape", in, out); err != nil {
		r.t.Fatalf("%s of %s: %v (%+v)", op, r.ref.Name, err, in)
	}
}

func (r tableReader) shape() (out command.TableShape) {
	r.t.Helper()
	r.ask("shape", r.ref, &out)
	return out
}

func (r tableReader) page(v command.TableView) (out command.TablePage) {
	r.t.Helper()
	r.ask("page", command.TablePageIn{TableView: v, Rows: 200, Columns: 32}, &out)
	return out
}

func (r tableReader) heads() (out []command.TableHead) {
	r.t.Helper()
	var got command.TableHeads
	r.ask("heads", command.TableHeadsIn{TableView: command.TableView{TableRef: r.ref}, Columns: 32}, &got)
	return got.Heads
}

// checkColumn sorts by a column of at most three rows, whose values are in the order 3, (1 or missing), 2 or
// its beginning, and filters by its values.
func (r tableReader) checkColumn(all command.TablePage, i int) {
	r.t.Helper()
	column := all.Cells[i]
	missing := func(p command.TablePage) (n int) {
		for _, v := range p.Cells[i] {
			if string(v) == "null" {
				n++
			}
		}
		return n
	}
	up := r.page(command.TableView{TableRef: r.ref, Sort: []command.TableSort{{Column: i}}})
	down := r.page(command.TableView{TableRef: r.ref, Sort: []command.TableSort{{Column: i, Down: true}}})
	gone, n := missing(all), len(column)
	for _, p := range []command.TablePage{up, down} {
		if len(p.Cells[i]) != n || gone > 0 && string(p.Cells[i][n-1]) != "null" {
			r.t.Errorf("%s by %s: %s", r.ref.Name, all.Names[i], p.Cells[i])
		}
	}
	there := n - gone
	slices.Reverse(down.Cells[i][:there])
	for j := range there {
		if string(up.Cells[i][j]) != string(down.Cells[i][j]) {
			r.t.Errorf("%s by %s: up %s, down and reversed %s", r.ref.Name, all.Names[i], up.Cells[i], down.Cells[i])
		}
	}
	filtered := func(f command.TableFilter) int {
		f.Column = i
		return r.page(command.TableView{TableRef: r.ref, Filters: []command.TableFilter{f}}).Matching
	}
	if m, p := filtered(command.TableFilter{Op: command.FilterMissing}), filtered(command.TableFilter{Op: command.FilterPresent}); m != gone || p != there {
		r.t.Errorf("%s, %s: %d missing and %d present of %d, want %d", r.ref.Name, all.Names[i], m, p, n, gone)
	}
	for _, v := range column {
		if string(v) == "null" {
			continue
		}
		is, not := filtered(command.TableFilter{Op: command.FilterIs, Value: v}), filtered(command.TableFilter{Op: command.FilterNot, Value: v})
		text, _ := json.Marshal(strings.Trim(string(v), `"`))
		if has := filtered(command.TableFilter{Op: command.FilterContains, Value: text}); is != 1 || not != n-1 || has < 1 {
			r.t.Errorf("%s, %s = %s: %d rows are it, %d are not, %d contain it", r.ref.Name, all.Names[i], v, is, not, has)
		}
	}
}

// TestLiveViewsAsCode runs the code of views and compares its rows with those of the view.
func TestLiveViewsAsCode(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, tables+`
rng = np.random.default_rng(3)
twins = pd.DataFrame({'a': [3, 1, 2, 1], 'b': ['x', 'Y', None, 'y'], 'c': [1.5, None, -np.inf, 2.0]})
twins['row'] = range(4)
doubled = pd.DataFrame([[1, 2], [0, 3]], columns=['a', 'a']); doubled.insert(2, 'row', [0, 1])
tuples = pd.DataFrame({('a', 1): [2, 1], ('b', 2): [0, 0]}); tuples['row'] = range(2)
pandas['row'], polars = range(3), polars.with_row_index('row')
numbered = pd.DataFrame({0: [2, 1, 2], 'row': range(3)})`)
	type view = struct {
		sort    []command.TableSort
		filters []command.TableFilter
	}
	text := func(v string) json.RawMessage { return json.RawMessage(v) }
	for name, views := range map[string][]view{
		"pandas": {
			{sort: []command.TableSort{{Column: 1, Down: true}}},
			{sort: []command.TableSort{{Column: 6}, {Column: 0, Down: true}}},
			{filters: []command.TableFilter{{Column: 2, Op: command.FilterContains, Value: text(`"A"`)}}},
			{filters: []command.TableFilter{{Column: 6, Op: command.FilterNot, Value: text("2")}}},
			{filters: []command.TableFilter{{Column: 6, Op: command.FilterIs, Value: text("2")}, {Column: 0, Op: command.FilterRange, Low: "2"}}},
			{filters: []command.TableFilter{{Column: 4, Op: command.FilterRange, Low: "2026-01-01", High: "2026-01-02"}}},
			{filters: []command.TableFilter{{Column: 3, Op: command.FilterMissing}}},
			{filters: []command.TableFilter{{Column: 1, Op: command.FilterPresent}}},
			{filters: []command.TableFilter{{Column: 3, Op: command.FilterContains, Value: text(`"b"`)}}},
		},
		"twins": {
			{sort: []command.TableSort{{Column: 0}, {Column: 1, Down: true}}},
			{sort: []command.TableSort{{Column: 0, Down: true}, {Column: 2}}},
			{sort: []command.TableSort{{Column: 1}}, filters: []command.TableFilter{{Column: 1, Op: command.FilterNot, Value: text(`"x"`)}}},
		},
		"doubled":  {{filters: []command.TableFilter{{Column: 1, Op: command.FilterRange, High: "2"}}}},
		"tuples":   {{sort: []command.TableSort{{Column: 0}}}},
		"numbered": {{sort: []command.TableSort{{Column: 0, Down: true}}, filters: []command.TableFilter{{Column: 0, Op: command.FilterIs, Value: text("2")}}}},
		"polars": {
			{sort: []command.TableSort{{Column: 2, Down: true}}},
			{sort: []command.TableSort{{Column: 5}, {Column: 1}}},
			{filters: []command.TableFilter{{Column: 3, Op: command.FilterContains, Value: text(`"A"`)}, {Column: 1, Op: command.FilterRange, Low: "2", High: "2.5"}}},
			{filters: []command.TableFilter{{Column: 4, Op: command.FilterIs, Value: text(`"2026-01-03"`)}}},
			{filters: []command.TableFilter{{Column: 2, Op: command.FilterMissing}}},
			{filters: []command.TableFilter{{Column: 4, Op: command.FilterRange, Low: "2026-01-01", High: "2026-01-02"}}},
			{filters: []command.TableFilter{{Column: 3, Op: command.FilterNot, Value: text(`"a"`)}}},
		},
	} {
		for _, v := range views {
			r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
			in := command.TableView{TableRef: r.ref, Sort: v.sort, Filters: v.filters}
			var out command.TableCode
			r.ask("code", in, &out)
			x := d.run(s, "list(map(int, ("+out.Code+")['row'].to_numpy().ravel()))")
			if want := strings.ReplaceAll(fmt.Sprint(r.page(in).At), " ", ", "); x.Text != want {
				t.Errorf("%s %+v: %s has the rows %s %+v, the view %s", name, v, out.Code, x.Text, x.Error, want)
			}
		}
	}
	r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: "series", Epoch: "1"}}
	var out command.TableCode
	r.ask("code", command.TableView{TableRef: r.ref, Sort: []command.TableSort{{Down: true}}, Filters: []command.TableFilter{{Op: command.FilterPresent}}}, &out)
	if out.Code != `series[series.notna()].sort_values(ascending=False, kind="stable")` {
		t.Error(out.Code)
	}
}

// TestLiveTablesRunNoneOfTheUsersCode reads tables whose values and classes would do harm.
func TestLiveTablesRunNoneOfTheUsersCode(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, `
import numpy as np, pandas as pd
_asked = []
def _bad(*a, **k): _asked.append(a); raise SystemExit
class Hostile:
    __repr__ = __str__ = __len__ = __sizeof__ = __hash__ = __eq__ = __lt__ = __bool__ = __iter__ = __float__ = __getattr__ = _bad
class Text(str): __repr__ = __str__ = __hash__ = __eq__ = __lt__ = lower = casefold = _bad
class Frame(pd.DataFrame): __len__ = shape = columns = iloc = dtypes = property(_bad)
class Array(np.ndarray): __len__ = shape = __getitem__ = dtype = property(_bad)
class Items(list): __len__ = __getitem__ = __iter__ = _bad
class Keys(dict): __len__ = __getitem__ = __iter__ = keys = values = items = _bad
values = [Hostile(), Hostile(), Text('b'), 'a', 1, None]
frame = Frame({'h': pd.Series(values, dtype=object), 'n': range(6)})
array = np.empty(6, dtype=object)
for _i, _v in enumerate(values): array[_i] = _v
array = array.view(Array)
items, keys = Items(values), Keys(a=Hostile(), b=Text('b'))
_asked.clear()  # what numpy and pandas have asked themselves
`)
	for _, name := range []string{"frame", "array", "items", "keys"} {
		r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
		r.shape()
		r.heads()
		r.page(command.TableView{TableRef: r.ref, Sort: []command.TableSort{{}}})
		for _, f := range []command.TableFilter{
			{Op: command.FilterIs, Value: json.RawMessage(`"a"`)},
			{Op: command.FilterNot, Value: json.RawMessage(`1`)},
			{Op: command.FilterMissing},
			{Op: command.FilterContains, Value: json.RawMessage(`"a"`)},
			{Op: command.FilterRange, Low: "a"},
		} {
			r.page(command.TableView{TableRef: r.ref, Filters: []command.TableFilter{f}})
		}
		var found command.TableSearchOut
		r.ask("search", command.TableSearchIn{TableView: command.TableView{TableRef: r.ref}, Text: "zzz", Column: -1}, &found)
	}
	if x := d.run(s, "len(_asked)"); x.Text != "0" || x.Status != catalog.StatusOK {
		t.Errorf("asked: %s", x.Text)
	}
}

// TestLiveATableWaitsForCode asks while code runs, and what was sorted before the code changed the values.
func TestLiveATableWaitsForCode(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, "import pandas as pd\ndf = pd.DataFrame({'a': [2, 3, 1]})")
	r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: "df", Epoch: "1"}}
	sorted := func() string {
		return fmt.Sprint(r.page(command.TableView{TableRef: r.ref, Sort: []command.TableSort{{}}}).At)
	}
	if got := sorted(); got != "[2 0 1]" {
		t.Error(got)
	}
	x := d.start(s, "df.iloc[0, 0] = 9\nprint('changed', flush=True)\nwhile True: pass")
	d.until(x, func(v catalog.Execution) bool { return strings.Contains(v.Stdout, "changed") })
	if err := kernels.Table(d.context(), d.Manager, s.ID, "shape", "df", false, r.ref, new(command.TableShape)); !errors.Is(err, jupyter.ErrKernelBusy) {
		t.Errorf("while code runs: %v", err)
	}
	_, err := d.InterruptSession(d.context(), s.ID, false)
	require.NoError(t, err)
	d.wait(x)
	r.ref.Epoch = "2"
	if got := sorted(); got != "[2 1 0]" {
		t.Error(got)
	}
}

// TestLiveTablesAreFast logs how long the questions about a large frame take; it asserts only that they are answered.
func TestLiveTablesAreFast(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly")
	}
	d := newFixture(t)
	s := d.session()
	d.run(s, `
import numpy as np, pandas as pd
rng, n = np.random.default_rng(1), 1_000_000
df = pd.DataFrame({**{f'f{i}': rng.normal(size=n) for i in range(36)}, 'id': [f'{i:07}' for i in rng.permutation(n)], 'c': rng.choice(list('abc'), n),
    'when': pd.date_range('2020', periods=n, freq='min'), 'i': rng.integers(0, 10**9, n)})
wide = pd.DataFrame(rng.normal(size=(1000, 20000)))`)
	for _, name := range []string{"df", "wide"} {
		r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
		timed := func(what string, f func()) {
			began := time.Now()
			f()
			t.Logf("%s: %s: %v", name, what, time.Since(began).Round(time.Millisecond))
		}
		var shape command.TableShape
		timed("shape, with the code", func() { shape = r.shape() })
		timed("first page", func() { r.page(command.TableView{TableRef: r.ref}) })
		timed("first heads", func() { r.heads() })
		for _, i := range []int{0, 36, 37, 38, 39} {
			timed(fmt.Sprintf("sorted by column %d", i), func() {
				r.page(command.TableView{TableRef: r.ref, Sort: []command.TableSort{{Column: i, Down: true}}})
			})
		}
		timed(fmt.Sprintf("last page of %d columns", shape.Columns), func() {
			var out command.TablePage
			r.ask("page", command.TablePageIn{TableView: command.TableView{TableRef: r.ref}, Row: shape.Rows - 200, Rows: 200, Column: shape.Columns - 32, Columns: 32}, &out)
		})
	}
}
