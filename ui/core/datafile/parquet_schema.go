package datafile

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// parquetNodes returns the columns of a file, and the names of those that have maps.
func parquetNodes(f *parquet.File) (columns []*parquetNode, maps []string) {
	schema, _ := f.Lookup("ARROW:schema")
	arrow := arrowField{children: arrowFields(schema)}
	b := parquetBuilder{elements: f.Metadata().Schema[1:]}
	for i, c := range f.Root().Columns() {
		b.maps = false
		columns = append(columns, b.node(c, arrow.child(i)))
		if b.maps {
			maps = append(maps, c.Name())
		}
	}
	return columns, maps
}

// A parquetBuilder makes nodes of a file's schema.
type parquetBuilder struct {
	elements []format.SchemaElement // those that are left, depth-first, as the columns
	leaves   int                    // that are done
	maps     bool                   // there was one
}

func (b *parquetBuilder) node(c *parquet.Column, a *arrowField) *parquetNode {
	n := b.required(c, a)
	switch {
	case c.Repeated(): // a list without a group around it
		return &parquetNode{
			kind: parquetList, name: n.name, from: n.from, to: n.to, filled: c.MaxDefinitionLevel(),
			repeats: c.MaxRepetitionLevel(), parts: []*parquetNode{n},
		}
	case c.Optional():
		n.null = c.MaxDefinitionLevel()
	}
	return n
}

// required returns the node of a column that is neither optional nor repeated.
func (b *parquetBuilder) required(c *parquet.Column, a *arrowField) *parquetNode {
	e := b.elements[0]
	b.elements = b.elements[1:]
	n := &parquetNode{name: c.Name(), from: b.leaves}
	switch inner := onlyColumn(c); {
	case c.Leaf():
		n.leaf = leafTypeOf(c, e, a)
		b.leaves++
	case inner != nil && isList(e):
		b.repeated(n, parquetList, inner)
		if single := onlyPart(inner); single != nil && inner.Name() != "array" && inner.Name() != c.Name()+"_tuple" {
			b.elements = b.elements[1:]
			n.parts = []*parquetNode{b.node(single, a.child(0))}
		} else { // old: the group is the element
			n.parts = []*parquetNode{b.required(inner, a.child(0))}
		}
	case inner != nil && isMap(e) && len(inner.Columns()) > 0:
		b.maps = true
		b.repeated(n, parquetMap, inner)
		b.elements = b.elements[1:]
		for i, part := range inner.Columns() {
			n.parts = append(n.parts, b.node(part, a.child(0).child(i)))
		}
	default:
		n.kind = parquetStruct
		for i, field := range c.Columns() {
			n.parts = append(n.parts, b.node(field, a.child(i)))
		}
	}
	n.to = b.leaves
	return n
}

func (b *parquetBuilder) repeated(n *parquetNode, kind parquetKind, inner *parquet.Column) {
	n.kind, n.filled, n.repeats = kind, inner.MaxDefinitionLevel(), inner.MaxRepetitionLevel()
}

// onlyColumn returns the repeated column that is the only one in c, if there is one.
func onlyColumn(c *parquet.Column) *parquet.Column {
	if in := c.Columns(); len(in) == 1 && in[0].Repeated() {
		return in[0]
	}
	return nil
}

func onlyPart(c *parquet.Column) *parquet.Column {
	if in := c.Columns(); len(in) == 1 {
		return in[0]
	}
	return nil
}

func isList(e format.SchemaElement) bool {
	_, ok := e.LogicalType.Value.(*format.ListType)
	return ok || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

func isMap(e format.SchemaElement) bool {
	_, ok := e.LogicalType.Value.(*format.MapType)
	return ok || e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.Map || e.ConvertedType.V == deprecated.MapKeyValue)
}

// An arrowField is what the schema of Apache Arrow in a Parquet file adds to a column. Parquet
// itself has neither durations nor the names of time zones.
type arrowField struct {
	duration time.Duration  // the unit; 0 if it is no duration
	zone     *time.Location // of times; nil if it is unknown
	children []arrowField
}

// child returns a child of f, or nil if there is none.
func (f *arrowField) child(i int) *arrowField {
	if f == nil || i >= len(f.children) {
		return nil
	}
	return &f.children[i]
}

// mostFields bounds the fields of a schema, which could otherwise contain itself.
const mostFields = 100_000

// Places of fields in the tables of Arrow's Message.fbs and Schema.fbs.
const (
	arrowHeader     = 8
	schemaFields    = 6
	fieldTypeName   = 8
	fieldType       = 10
	fieldChildren   = 14
	typeUnit        = 4
	timestampZone   = 6
	arrowTimestamp  = 10 // the number of a type
	arrowDuration   = 18
	continuation    = 0xffffffff
	defaultDuration = 1 // milliseconds
)

var arrowUnits = []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}

// arrowFields returns the columns of a schema in base64, or nil if it is damaged.
func arrowFields(encoded string) (fields []arrowField) {
	defer func() {
		if recover() != nil { // offsets that lead out of it
			fields = nil
		}
	}()
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) < 8 {
		return nil
	}
	prefix := 4 // the length
	if binary.LittleEndian.Uint32(raw) == continuation {
		prefix = 8
	}
	raw = raw[prefix:]
	message := flatbuffers.Table{Bytes: raw, Pos: flatbuffers.GetUOffsetT(raw)}
	schema, ok := tableIn(message, arrowHeader)
	if !ok {
		return nil
	}
	left := mostFields
	return arrowChildren(schema, schemaFields, &left)
}

func arrowChildren(t flatbuffers.Table, at flatbuffers.VOffsetT, left *int) []arrowField {
	o := flatbuffers.UOffsetT(t.Offset(at))
	if o == 0 {
		return nil
	}
	n, begin := t.VectorLen(o), t.Vector(o)
	if *left -= n; *left < 0 {
		panic("too many fields")
	}
	fields := make([]arrowField, n)
	for i := range fields {
		field := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(begin + flatbuffers.UOffsetT(4*i))}
		kind := field.GetByteSlot(fieldTypeName, 0)
		if of, ok := tableIn(field, fieldType); ok && kind == arrowDuration {
			fields[i].duration = arrowUnits[of.GetInt16Slot(typeUnit, defaultDuration)]
		} else if ok && kind == arrowTimestamp {
			fields[i].zone = zoneIn(of)
		}
		fields[i].children = arrowChildren(field, fieldChildren, left)
	}
	return fields
}

// tableIn returns a table that is a field of t.
func tableIn(t flatbuffers.Table, at flatbuffers.VOffsetT) (in flatbuffers.Table, ok bool) {
	o := flatbuffers.UOffsetT(t.Offset(at))
	if o == 0 {
		return in, false
	}
	t.Union(&in, o)
	return in, true
}

// zoneIn returns the time zone of a type, by its name or its offset.
func zoneIn(t flatbuffers.Table) *time.Location {
	o := flatbuffers.UOffsetT(t.Offset(timestampZone))
	if o == 0 {
		return nil
	}
	name := string(t.ByteVector(o + t.Pos))
	if at, err := time.Parse("-07:00", name); err == nil {
		return at.Location()
	}
	if zone, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return zone
	}
	return nil
}
