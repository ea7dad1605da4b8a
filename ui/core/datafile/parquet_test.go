package datafile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"easel/internal/require"
)

// writeParquet writes a file with every type of pyarrow that it can write, at the top, in lists, in
// lists of lists, in structures and in maps. It prints the types that pyarrow refuses, and what
// pandas and pyarrow read, in the form of Easel: texts for what JSON has no type for.
const writeParquet = `
import base64, datetime as dt, decimal, itertools, json, sys, uuid
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.parquet as pq

D, N = decimal.Decimal, None
noon = dt.datetime(2026, 1, 2, 12, 30, 0, 5000)
stamps = [noon, dt.datetime(1960, 1, 1), dt.datetime(2200, 12, 31, 23, 59, 59), N]
shifts = [dt.timedelta(0), dt.timedelta(days=1, hours=2, microseconds=3000), dt.timedelta(seconds=-1), dt.timedelta(days=-3, milliseconds=250), N]
ints = lambda bits, signed: [0, 1, N, 2 ** (bits - signed) - 1] + ([-(2 ** (bits - 1)), -1] if signed else [])
times = [dt.time(0), dt.time(1, 2, 3), dt.time(23, 59, 59, 999000), N]
days = [dt.date(2026, 1, 2), dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(9999, 12, 31), N]
cases = {
    pa.null(): [N, N], pa.bool_(): [True, N, False], pa.float16(): [np.float16(v) for v in (1.5, -2.0, 0.1, 65504, 6e-8, -0.0, float("inf"))] + [N],
    pa.float32(): [1.5, 0.1, N, float("nan"), float("-inf"), 3.4e38], pa.float64(): [1.5, 0.1, N, float("nan"), 1e-300],
    pa.string(): ["", "é東京", "a\"b\\c\n", N], pa.large_string(): ["x", N], pa.string_view(): ["y", N],
    pa.binary(): [b"ok", b"\xff\x00", b"", N], pa.large_binary(): [b"large", N], pa.binary_view(): [b"view", N], pa.binary(3): [b"abc", b"\xff\xfe\xfd", N],
    pa.date32(): days, pa.date64(): days, pa.time32("s"): [t.replace(microsecond=0) if t else N for t in times], pa.time32("ms"): times, pa.time64("us"): times, pa.time64("ns"): times,
    pa.decimal32(5, 2): [D("1.50"), D("-0.01"), N], pa.decimal64(18, 9): [D("123456789.000000001"), N], pa.decimal128(38, 10): [D("-1234567890123456789012345678.0123456789"), D(0), N],
    pa.decimal256(76, 4): [D("9" * 72 + ".1234"), N], pa.decimal128(6, 0): [D(5), N],
    pa.dictionary(pa.int8(), pa.string()): ["b", "a", N, "b"], pa.dictionary(pa.int32(), pa.int64()): [7, N, 7], pa.uuid(): [uuid.UUID(int=2 ** 100 + 5).bytes, N], pa.json_(): ['{"a": [1]}', N], pa.bool8(): [1, 0, N],
    pa.list_(pa.int64(), 2): [[1, 2], [3, N], N], pa.large_list(pa.string()): [["a"], [], N], pa.list_view(pa.int8()): [[1], N], pa.large_list_view(pa.int8()): [[1], N],
    pa.run_end_encoded(pa.int32(), pa.int64()): [1, 1, N], pa.month_day_nano_interval(): [(1, 2, 3), N], pa.opaque(pa.int32(), "other", "someone"): [1, N],
    pa.sparse_union([pa.field("a", pa.int8())]): [1], pa.dense_union([pa.field("a", pa.int8())]): [1], pa.fixed_shape_tensor(pa.int32(), [2]): [[1, 2], N],
}
cases |= {t: ints(bits, signed) for bits in (8, 16, 32, 64) for signed, t in ((1, getattr(pa, f"int{bits}")()), (0, getattr(pa, f"uint{bits}")()))}
cases |= {pa.timestamp(u, z): stamps for u in ("s", "ms", "us", "ns") for z in (N, "UTC", "Asia/Tokyo", "America/St_Johns", "+05:30")}
cases |= {pa.duration(u): [s if u != "s" or not s else dt.timedelta(seconds=int(s.total_seconds())) for s in shifts] for u in ("s", "ms", "us", "ns")}

columns, refused, seen = {}, [], set()
def add(name, array):
    try:
        pq.write_table(pa.table({name: array}), sys.argv[1])
        pq.read_table(sys.argv[1])
    except pa.ArrowException as e:
        refused.append(f"{array.type}")
        return False
    columns[name] = array
    return True
for t, values in cases.items():
    seen.add(t.id)
    seen.add(getattr(t, "storage_type", t).id)
    if t.id == pa.lib.Type_TIMESTAMP and t.unit == "s":
        values = [v and v.replace(microsecond=0) for v in values]
    try:
        storage = getattr(t, "storage_type", t)
        if isinstance(t, pa.DictionaryType):
            array = pa.array(values, t.value_type).dictionary_encode().cast(t)
        elif t.id in (pa.lib.Type_SPARSE_UNION, pa.lib.Type_DENSE_UNION):
            array = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1], pa.int8())])
        elif storage is not t:
            array = pa.ExtensionArray.from_storage(t, pa.array(values, storage))
        elif t.id == pa.lib.Type_RUN_END_ENCODED:
            array = pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([1, None]))
        else:
            array = pa.array(values, t)
    except (pa.ArrowException, TypeError, AttributeError) as e:
        sys.exit(f"{t}: {e!r}")
    if not add(str(t), array) or getattr(t, "tz", N) not in (N, "Asia/Tokyo"):
        continue
    n = len(array)
    def nest(kind, make):
        try:
            add(f"{kind} of {t}", make())
        except pa.ArrowException:
            refused.append(f"{kind} of {t}")
    ends = pa.array([0, n, n, None, n], pa.int32())
    nest("list", lambda: pa.ListArray.from_arrays(ends, array))
    nest("list of lists", lambda: pa.ListArray.from_arrays(pa.array([0, 1, 1, None, 3, 4], pa.int32()), columns[f"list of {t}"]))
    nest("struct", lambda: pa.StructArray.from_arrays([array, pa.array(range(n))], ["part", "n"], mask=pa.array([i == 1 for i in range(n)])))
    nest("list of structs", lambda: pa.ListArray.from_arrays(ends, columns[f"struct of {t}"]))
    nest("struct of lists", lambda: pa.StructArray.from_arrays([columns[f"list of {t}"]], ["all"]))
    nest("map", lambda: pa.MapArray.from_arrays(ends, pa.array([f"k{i}" for i in range(n)]), array))
    nest("list of maps", lambda: pa.ListArray.from_arrays(pa.array([0, 2, 2, 4], pa.int32()), columns[f"map of {t}"]))
columns["map by numbers"] = pa.array([[(1, "a"), (2, "b")], [], None], pa.map_(pa.int32(), pa.string()))
columns["map with a key twice"] = pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()))
columns["map of maps"] = pa.array([[("a", [("b", 1)])], [("c", None)]], pa.map_(pa.string(), pa.map_(pa.string(), pa.int8())))
columns["deep"] = pa.array([[[[{"x": [[1, None], []]}], None], []], None], pa.list_(pa.list_(pa.list_(pa.struct({"x": pa.list_(pa.list_(pa.int8()))})))))

longest = max(map(len, columns.values()))
def padded(a):
    if isinstance(a, pa.ExtensionArray):
        return pa.ExtensionArray.from_storage(a.type, padded(a.storage))
    return pa.concat_arrays([a, pa.nulls(longest - len(a), a.type)])
pq.write_table(pa.table({k: padded(a) for k, a in columns.items()}), sys.argv[1], **json.loads(sys.argv[2]))

def form(t, v):
    if v is None or isinstance(v, float) and (v != v or v - v != 0):
        return None
    if isinstance(t, pa.DictionaryType): return form(t.value_type, v)
    if isinstance(t, pa.Bool8Type): return int(v)
    if isinstance(t, pa.BaseExtensionType) and not isinstance(t, pa.UuidType): return form(t.storage_type, v if not isinstance(t, pa.FixedShapeTensorType) else list(v))
    if pa.types.is_map(t):
        keys = [k for k, _ in v]
        pairs = [(k, form(t.item_type, e)) for k, e in v]
        return dict(pairs) if len(set(keys)) == len(keys) and all(isinstance(k, str) for k in keys) else [list(p) for p in pairs]
    if pa.types.is_struct(t): return {f.name: form(f.type, v[f.name]) for f in t}
    if isinstance(v, list): return [form(t.value_type, e) for e in v]
    if pa.types.is_duration(t): return str(pd.Timedelta(v))
    if pa.types.is_timestamp(t):
        v = pd.Timestamp(v)
        text = v.isoformat()
        head, dot, rest = text.partition(".")
        digits = "".join(itertools.takewhile(str.isdigit, rest))
        text = head + ("." + digits.rstrip("0") if digits.strip("0") else "") + rest[len(digits):]
        if v.tzinfo is None: return text.removesuffix("T00:00:00")
        return text.removesuffix("+00:00") + "Z" if t.tz == "UTC" else text
    if isinstance(v, dt.time): return v.isoformat().rstrip("0").rstrip(".") if v.microsecond else v.isoformat()
    if isinstance(v, (dt.date, uuid.UUID)): return str(v)
    if isinstance(v, D): return f"{v:f}"
    if isinstance(v, bytes):
        try: return v.decode()
        except UnicodeDecodeError: return base64.b64encode(v).decode()
    if isinstance(v, np.floating) or pa.types.is_float16(t) or pa.types.is_float32(t):
        short = float(np.format_float_positional(np.float32(v), unique=True))
        return short if short - short == 0 else None
    if isinstance(v, int) and not isinstance(v, bool) and abs(v) > 2 ** 53: return str(v)
    return v

seen |= {a.type.id for a in columns.values()}
read = pq.read_table(sys.argv[1])
rows = [[form(read.schema.field(c).type, v) for c, v in zip(read.column_names, row)] for row in zip(*(c.to_pylist() for c in read.columns))]
missing = [n for n in dir(pa.lib) if n.startswith("Type_") and getattr(pa.lib, n) not in seen]
print(json.dumps({"columns": read.column_names, "rows": rows, "refused": refused, "missing": missing}))
`

// TestLiveParquetIsWhatPandasReads compares each value with what pyarrow reads.
func TestLiveParquetIsWhatPandasReads(t *testing.T) {
	for name, options := range map[string]string{
		"usual": `{}`,
		"old":   `{"version": "1.0", "use_deprecated_int96_timestamps": true, "use_compliant_nested_type": false, "data_page_version": "1.0"}`,
		"new":   `{"version": "2.6", "data_page_version": "2.0", "compression": "zstd", "use_dictionary": false}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "all.parquet")
			var want struct {
				frame
				Refused, Missing []string
			}
			python(t, "import sys\nsys.argv = ['', "+asJSON(t, path)+", "+asJSON(t, options)+"]\n"+writeParquet, nil, &want)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			c := read(t, path, data, Limits{Text: maxTable, Rows: 1000})
			got := shownFrame(t, c)
			if diff := cmp.Diff(want.Columns[:len(got.Columns)], got.Columns); diff != "" || len(got.Columns) < 300 {
				t.Fatalf("%d columns: %s", len(got.Columns), diff)
			}
			for i, row := range want.Rows {
				for j, name := range got.Columns {
					if diff := cmp.Diff(plainValue(row[j]), got.Rows[i][j]); diff != "" {
						t.Errorf("%s, row %d (-pyarrow +Easel)\n%s", name, i, diff)
					}
				}
			}
			t.Log(len(want.Columns), "columns; pyarrow does not write", want.Refused)
			// A type of Arrow that this test does not know is a type that nobody has looked at.
			if diff := cmp.Diff([]string{"Type_INTERVAL_DAY_TIME", "Type_INTERVAL_MONTHS"}, want.Missing); diff != "" {
				t.Error(diff)
			}
			if notes := strings.Join(c.Table.Notes, "\n"); !strings.Contains(notes, "(key, value): map of ") {
				t.Errorf("nothing says what maps are in pandas: %s", notes)
			}
		})
	}
}

// plainValue returns v as shownFrame does.
func plainValue(v any) any {
	if v == "" {
		return nil
	}
	return v
}

func asJSON(t *testing.T, s string) string {
	t.Helper()
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return string(raw)
}

// TestParquetOfOtherWriters reads lists that have no group around them, as those of old programs, and intervals,
// as those of DuckDB.
func TestParquetOfOtherWriters(t *testing.T) {
	type inner struct {
		X int32    `parquet:"x,optional"`
		Y []string `parquet:"y"`
	}
	type row struct {
		Bare    []int64           `parquet:"bare"`
		Groups  []inner           `parquet:"groups"`
		Listed  []inner           `parquet:"listed,list"`
		Named   map[string][]int8 `parquet:"named"`
		Missing *inner            `parquet:"missing"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{
		{Bare: []int64{1, 2}, Groups: []inner{{X: 3, Y: []string{"a", "b"}}, {}}, Listed: []inner{{X: 4}}, Named: map[string][]int8{"k": {5, 6}}},
		{Missing: &inner{X: 7}},
	}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, w.Close())
	want := []string{
		`[1,2]|[{"x":3,"y":["a","b"]},{"x":null,"y":[]}]|[{"x":4,"y":[]}]|{"k":[5,6]}|null`,
		`[]|[]|[]|{}|{"x":7,"y":[]}`,
	}
	if diff := cmp.Diff(want, rows(read(t, "a.parquet", b.Bytes(), plenty).Table)); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	old := parquet.NewWriter(&b, parquet.NewSchema("old", parquet.Group{"i": parquet.IntervalNode()}))
	if _, err := old.WriteRows([]parquet.Row{{parquet.FixedLenByteArrayValue([]byte{14, 0, 0, 0, 2, 0, 0, 0, 0x10, 0x27, 0, 0}).Level(0, 0, 0)}}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, old.Close())
	if got := rows(read(t, "a.parquet", b.Bytes(), plenty).Table); got[0] != `"14 months 2 days 00:00:10"` {
		t.Errorf("an interval: %s", got)
	}
}
