package facts

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
)

// Write is the inverse of Read.
func Write(f Figure) []byte {
	j := figureJSON{V: version, More: f.More, Axes: []axesJSON{}}
	for _, a := range f.Axes {
		axes := axesJSON{
			N: a.Number, Title: a.Title, Projection: a.Projection, Legend: a.Legend, X: axisToJSON(a.X), Y: axisToJSON(a.Y),
			Twin: a.Twin, Side: string(a.Side), Series: []seriesJSON{}, More: a.More,
		}
		for _, u := range a.Unseen {
			axes.Unseen = append(axes.Unseen, unseenJSON{u.Kind, u.Label, string(u.Why), u.Count})
		}
		for _, s := range a.Series {
			axes.Series = append(axes.Series, seriesToJSON(s))
		}
		j.Axes = append(j.Axes, axes)
	}
	for _, o := range f.Drawing {
		part := overlapJSON{Kind: string(o.Kind), Axes: o.Axes, A: o.A, B: o.B, Box: o.Box[:], Share: o.Share, More: o.More}
		j.Drawing = append(j.Drawing, part)
	}
	raw, _ := json.Marshal(j) // there are no NaNs in it
	return raw
}

func axisToJSON(a Axis) axisJSON {
	return axisJSON{Label: a.Label, Lim: []*float64{finite(a.From), finite(a.To)}, Scale: string(a.Scale), Names: a.Names, At: a.At}
}

func seriesToJSON(s Series) seriesJSON {
	j := seriesJSON{Kind: string(s.Kind), Label: s.Label, Colour: s.Colour, Alpha: s.Alpha, Style: s.Style, Count: s.Count, Spills: s.Spills}
	for _, c := range s.Columns {
		j.Columns = append(j.Columns, columnJSON{c.Name, pack(c.Numbers)})
	}
	if w := s.Whole; w != nil {
		j.Whole = &wholeJSON{NaN: w.NaN, Outside: w.Outside, Min: pair(w.Min), Max: pair(w.Max), Last: pair(w.Last)}
		if w.Shape != [2]int{} {
			j.Whole.Shape = w.Shape[:]
		}
	}
	j.Names, j.Values = s.Names, s.Values
	if s.Shape != [2]int{} {
		j.Shape = s.Shape[:]
	}
	if s.Extent != [4]float64{} {
		for _, v := range s.Extent {
			j.Extent = append(j.Extent, finite(v))
		}
	}
	return j
}

func pair(p Point) []*float64 { return []*float64{finite(p.X), finite(p.Y)} }

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// pack is the inverse of numbers.
func pack(numbers []float64) string {
	n := len(numbers)
	data := make([]byte, 8*n)
	var one [8]byte
	for i, v := range numbers {
		binary.LittleEndian.PutUint64(one[:], math.Float64bits(v))
		for b := range one {
			data[b*n+i] = one[b]
		}
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // a buffer cannot fail
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
