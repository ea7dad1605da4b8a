package datafile

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetTable reads the first rows of a Parquet file. Each field of a structure is a
// separate column. A list is a JSON array.
func parquetTable(data []byte, l Limits) (t *Table, err error) {
	defer func() {
		if v := recover(); v != nil { // the library panics on some damaged files
			t, err = nil, fmt.Errorf("the Parquet file is damaged: %v", v)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)),
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("the Parquet file is damaged: %w", err)
	}
	t = newTable(l)
	t.Total = f.NumRows()
	elements := slices.DeleteFunc(slices.Clone(f.Metadata().Schema), func(e format.SchemaElement) bool { return !e.Type.Valid })
	var leaves []leaf
	var names, nested []string
	var visit func(*parquet.Column, int)
	visit = func(c *parquet.Column, list int) {
		if list == 0 && c.Repeated() {
			list = c.MaxDefinitionLevel()
		}
		if c.Leaf() {
			at := leaf{Column: c, list: list}
			if len(leaves) < len(elements) { // the library drops this type from its columns
				_, at.half = elements[len(leaves)].LogicalType.Value.(*format.Float16Type)
			}
			leaves = append(leaves, at)
			names = append(names, columnName(c.Path()))
			if c.MaxRepetitionLevel() > 1 {
				nested = append(nested, columnName(c.Path()))
			}
		}
		for _, below := range c.Columns() {
			visit(below, list)
		}
	}
	visit(f.Root(), 0)
	t.name(names)
	if len(nested) > 0 {
		t.Notes = append(t.Notes, "lists within lists are shown as one list; pandas.read_parquet keeps them apart: "+list(nested))
	}
	defer t.say()
	for _, group := range f.RowGroups() {
		more, err := parquetRows(t, group, leaves, l.Rows)
		if err != nil || !more {
			return t, err
		}
	}
	return t, nil
}

// A leaf is a column of values.
type leaf struct {
	*parquet.Column
	list int  // definition level at which its list has elements; 0 if it is not in a list
	half bool // its values are numbers of 16 bits
}

// parquetRows appends the rows of a group to t. more reports whether there is room for those
// of the next group.
func parquetRows(t *Table, group parquet.RowGroup, leaves []leaf, limit int) (more bool, err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buf := make([]parquet.Row, 64)
	for len(t.Rows) < limit {
		n, err := rows.ReadRows(buf)
		for _, r := range buf[:n] {
			if !t.take(parquetRow(t, r, leaves), limit) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("reading the Parquet file: %w", err)
		}
	}
	return false, nil
}

// columnName joins a path with dots. It omits the names that Parquet inserts for lists.
func columnName(path []string) string {
	kept := path[:1:1]
	for i, p := range path[1:] {
		inList := path[i] == "list" || path[i] == "bag" || path[i] == "key_value"
		switch {
		case p == "list" || p == "bag" || p == "key_value":
		case inList && (p == "element" || p == "item" || p == "array_element" || p == "array"):
		default:
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ".")
}

func parquetRow(t *Table, r parquet.Row, leaves []leaf) []json.RawMessage {
	row := make([]json.RawMessage, len(t.Columns))
	for i := range row {
		row[i] = null
	}
	r.Range(func(i int, values []parquet.Value) bool {
		if i >= len(row) {
			return false
		}
		c := leaves[i]
		switch {
		case len(values) == 0 || values[0].DefinitionLevel() < c.list-1:
			return true // null
		case c.list == 0:
			row[i] = parquetCell(t, values[0], c)
			return true
		}
		list := make([]json.RawMessage, 0, len(values))
		for _, v := range values {
			if v.DefinitionLevel() >= c.list {
				list = append(list, parquetCell(t, v, c))
			} // else the list is empty
		}
		row[i] = t.bound(t.cell(list))
		return true
	})
	return row
}

// parquetCell encodes a value as JSON according to its logical type.
func parquetCell(t *Table, v parquet.Value, c leaf) json.RawMessage {
	if v.IsNull() {
		return null
	}
	if c.half && v.Kind() == parquet.FixedLenByteArray && len(v.ByteArray()) == 2 {
		return float32Cell(half(v.ByteArray()))
	}
	var logical any
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.TimestampType:
		at := moment(v.Int64(), l.Unit.Value.Duration())
		if l.IsAdjustedToUTC { // the zone in which it was written is not in the file's schema
			return t.cell(at.Format(time.RFC3339Nano))
		}
		return t.cell(at)
	case *format.DateType:
		return t.cell(time.Unix(int64(v.Int32())*86400, 0).UTC())
	case *format.TimeType:
		n := v.Int64()
		if v.Kind() == parquet.Int32 {
			n = int64(v.Int32())
		}
		return t.cell(time.Time{}.Add(time.Duration(n) * l.Unit.Value.Duration()).Format("15:04:05.999999999"))
	case *format.DecimalType:
		return t.cell(decimal(v, int(l.Scale)))
	case *format.UUIDType:
		b := v.ByteArray()
		return t.cell(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
	case *format.IntType:
		if !l.IsSigned && v.Kind() == parquet.Int64 {
			return t.cell(v.Uint64())
		}
		if !l.IsSigned {
			return t.cell(int64(v.Uint32()))
		}
	}
	return physical(t, v)
}

// moment returns the time n units after the start of 1970.
func moment(n int64, unit time.Duration) time.Time {
	perSecond := int64(time.Second / unit)
	return time.Unix(n/perSecond, n%perSecond*int64(unit)).UTC()
}

func physical(t *Table, v parquet.Value) json.RawMessage {
	switch v.Kind() {
	case parquet.Boolean:
		return t.cell(v.Boolean())
	case parquet.Int32:
		return t.cell(int64(v.Int32()))
	case parquet.Int64:
		return t.cell(v.Int64())
	case parquet.Int96: // a time in old Spark and Impala: nanoseconds of a Julian day
		n := v.Int96()
		const epoch = 2440588 // the Julian day of 1970-01-01
		nanos := int64(n[1])<<32 | int64(n[0])
		return t.cell(time.Unix((int64(n[2])-epoch)*86400, nanos).UTC())
	case parquet.Float:
		return float32Cell(v.Float())
	case parquet.Double:
		return t.cell(v.Double())
	default:
		b := v.ByteArray()
		if utf8.Valid(b) {
			return t.cell(string(b))
		}
		return t.cell(base64.StdEncoding.EncodeToString(b))
	}
}

// half returns a number of IEEE 754 in 16 bits, little-endian.
func half(b []byte) float32 {
	bits := binary.LittleEndian.Uint16(b)
	sign := float64(1)
	if bits&0x8000 != 0 {
		sign = -1
	}
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	switch {
	case exponent == 0x1f && fraction != 0:
		return float32(math.NaN())
	case exponent == 0x1f:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(sign * math.Ldexp(fraction, -24))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

func float32Cell(f float32) json.RawMessage {
	if f != f || f-f != 0 { // NaN, infinities
		return null
	}
	raw, err := json.Marshal(f) // the short form: 0.1, not 0.10000000149
	if err != nil {
		return null
	}
	return raw
}

// decimal returns an exact decimal number as text.
func decimal(v parquet.Value, scale int) string {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default: // big endian, two's complement
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	r := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	return r.FloatString(scale)
}
