package datafile

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A leafType is what the values of a leaf mean.
type leafType struct {
	logical  any            // a logical type of package format, or nil
	interval bool           // months, days and milliseconds
	duration time.Duration  // the unit; 0 if it is no duration
	zone     *time.Location // nil if it is unknown
}

func leafTypeOf(c *parquet.Column, e format.SchemaElement, a *arrowField) leafType {
	of := leafType{logical: e.LogicalType.Value}
	if of.logical == nil {
		if l := c.Type().LogicalType(); l != nil { // that of an old converted type
			of.logical = l.Value
		}
		of.interval = e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval && e.TypeLength.Valid && e.TypeLength.V == 12
	}
	if a == nil {
		return of
	}
	of.zone = a.zone
	if c.Type().Kind() == parquet.Int64 {
		of.duration = a.duration
	}
	return of
}

// cell encodes a value as JSON.
func (of leafType) cell(t *Table, v parquet.Value) json.RawMessage {
	if v.IsNull() {
		return null
	}
	if of.duration != 0 {
		return t.cell(elapsedTime(v.Int64(), of.duration))
	}
	switch l := of.logical.(type) {
	case *format.TimestampType:
		at := moment(v.Int64(), l.Unit.Value.Duration())
		switch {
		case !l.IsAdjustedToUTC:
			return t.cell(at)
		case of.zone != nil:
			at = at.In(of.zone)
		}
		return t.cell(at.Format(time.RFC3339Nano))
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
	case *format.Float16Type:
		return float32Cell(half(v.ByteArray()))
	case *format.IntType:
		if !l.IsSigned && v.Kind() == parquet.Int64 {
			return t.cell(v.Uint64())
		}
		if !l.IsSigned {
			return t.cell(int64(v.Uint32()))
		}
	}
	if of.interval {
		b := v.ByteArray()
		months, days, ms := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
		return t.cell(fmt.Sprintf("%d months %s", months, elapsedTime(int64(days)*86_400_000+int64(ms), time.Millisecond)))
	}
	return physical(t, v)
}

// moment returns the time n units after the start of 1970.
func moment(n int64, unit time.Duration) time.Time {
	perSecond := int64(time.Second / unit)
	return time.Unix(n/perSecond, n%perSecond*int64(unit)).UTC()
}

// elapsedTime writes a duration as pandas does: of a negative one, only the days are negative.
func elapsedTime(n int64, unit time.Duration) string {
	seconds, rest := floor(n, int64(time.Second/unit))
	days, seconds := floor(seconds, 86400)
	sign := ""
	if days < 0 {
		sign = "+"
	}
	s := fmt.Sprintf("%d days %s%02d:%02d:%02d", days, sign, seconds/3600, seconds/60%60, seconds%60)
	switch nanos := rest * int64(unit); {
	case nanos%1000 != 0:
		s += fmt.Sprintf(".%09d", nanos)
	case nanos != 0:
		s += fmt.Sprintf(".%06d", nanos/1000)
	}
	return s
}

// floor divides n, and rounds down.
func floor(n, by int64) (quotient, rest int64) {
	quotient, rest = n/by, n%by
	if rest < 0 {
		quotient, rest = quotient-1, rest+by
	}
	return quotient, rest
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
