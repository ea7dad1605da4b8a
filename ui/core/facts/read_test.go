package facts

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"testing"
)

// figure returns a figure with what the format can carry.
func figure() Figure {
	nan := math.NaN()
	return Figure{
		Axes: []Axes{{
			Number: 1, Title: "Sales", Legend: true, X: Axis{Label: "month", From: 0, To: 11, Scale: Category, Names: []string{"Jan", "Feb"}},
			Y: Axis{Label: "EUR", From: 0, To: 9.95},
			Series: []Series{
				{
					Kind: Line, Label: "North", Colour: "#ff7f0e", Style: "o-", Count: 3,
					Columns: []Column{{"x", []float64{0, 1, 2}}, {"y", []float64{0.1 + 0.2, nan, 391}}},
				},
				{
					Kind: Image, Count: 4, Columns: []Column{{"value", []float64{1, 2, 3, 4}}}, Shape: [2]int{2, 2}, Extent: [4]float64{0, 1, 2, 0},
					Values: "K", Names: []string{"a"},
				},
				{
					Kind: Points, Count: 1_000_000, Columns: []Column{{"x", []float64{math.Copysign(0, -1)}}, {"y", []float64{math.Inf(1)}}},
					Whole: &Whole{NaN: 3, Outside: 4, Min: Point{1, 2}, Max: Point{3, 4}, Last: Point{5, nan}},
				},
			},
			More: 2,
		}},
		More:    1,
		Drawing: []Overlap{{Kind: TextOverText, Axes: 1, A: "Jan", B: "Feb", Box: [4]float64{10, 20, 40, 30}, Share: 0.4}},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	want := figure()
	got, ok := Read(Write(want))
	if !ok || fmt.Sprintf("%#v %v", got.Drawing, got.Axes[0].Series[2].Whole) != fmt.Sprintf("%#v %v", want.Drawing, want.Axes[0].Series[2].Whole) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	if fmt.Sprint(got) == "" || !bytes.Equal(Write(got), Write(want)) { // NaN does not equal NaN
		t.Errorf("got %s, want %s", Write(got), Write(want))
	}
	if v := got.Axes[0].Series[0].Numbers("y")[0]; v != 0.1+0.2 {
		t.Errorf("a number became %v", v)
	}
}

// TestTheFormatIsTheADRs covers the bytes that Python writes: the sorted bytes of 1 and 2 as zlib and base64.
func TestTheFormatIsTheADRs(t *testing.T) {
	const raw = `{"v": 1, "axes": [{"n": 1, "x": {"lim": [null, 2]}, "y": {"scale": "log"}, "series": [
		{"kind": "line", "count": 2, "columns": [{"name": "x", "numbers": "PACKED"}, {"name": "y", "numbers": "PACKED"}]}]}]}`
	data := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0, 0x3f, 0x40}
	f, ok := Read([]byte(strings.ReplaceAll(raw, "PACKED", zipped(data))))
	if !ok || len(f.Axes[0].Series) != 1 {
		t.Fatalf("got %+v", f)
	}
	a := f.Axes[0]
	if x := a.Series[0].Numbers("x"); x[0] != 1 || x[1] != 2 || !math.IsNaN(a.X.From) || a.X.To != 2 || !math.IsNaN(a.Y.From) || a.Y.Scale != Log {
		t.Errorf("got %+v", a)
	}
}

func zipped(data []byte) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestWhatMakesNoSenseIsAbsent(t *testing.T) {
	one := pack([]float64{1})
	column := func(name, numbers string) string { return fmt.Sprintf(`{"name": %q, "numbers": %q}`, name, numbers) }
	xy := column("x", one) + "," + column("y", one)
	of := func(kind, columns string) string {
		return fmt.Sprintf(`{"v":1,"axes":[{"series":[{"kind":%q,"columns":[%s]}]}]}`, kind, columns)
	}
	for name, raw := range map[string]string{
		"nothing": "", "no JSON": "{", "a list": "[1]", "another version": `{"v":2,"axes":[{}]}`, "no axes": `{"v":1,"axes":[]}`,
		"too long": `{"v":1,"axes":[{}],"x":"` + strings.Repeat("x", MostBytes) + `"}`, "deep": strings.Repeat("[", 100_000),
	} {
		if _, ok := Read([]byte(raw)); ok {
			t.Errorf("%s was read", name)
		}
	}
	bomb := zipped(make([]byte, mostNumbers*8+8))
	for name, raw := range map[string]string{
		"an unknown kind": of("flame", xy), "no columns": of("line", ""), "no y": of("line", column("x", one)),
		"columns of other lengths": of("line", column("x", one)+","+column("y", pack([]float64{1, 2}))),
		"a column twice":           of("line", xy+","+column("y", one)), "no base64": of("line", column("x", "*")+","+column("y", one)),
		"no zlib": of("line", column("x", "AAAA")+","+column("y", one)), "half a number": of("line", column("x", zipped([]byte{1}))+","+column("y", one)),
		"a bomb": of("line", column("x", bomb)+","+column("y", one)), "many columns": of("line", xy+strings.Repeat(","+column("z", one), 9)),
	} {
		if f, ok := Read([]byte(raw)); !ok || len(f.Axes[0].Series) != 0 || f.Axes[0].More != 1 {
			t.Errorf("%s: got %+v, %v", name, f, ok)
		}
	}
	many := `{"v":1,"axes":[` + strings.Repeat(`{},`, 999) + `{}]}`
	if f, ok := Read([]byte(many)); !ok || len(f.Axes) != mostAxes || f.More != 1000-mostAxes {
		t.Errorf("1000 axes: %d and %d more", len(f.Axes), f.More)
	}
	odd := `{"v":1,"axes":[{"n":-1,"title":"a\nb\u0000\u202e","more":-5,"x":{"lim":[1]},"series":[{"kind":"line","colour":"red;","count":-3,"columns":[` + xy + `]}]}]}`
	f, ok := Read([]byte(odd))
	if a := f.Axes[0]; !ok || a.Title != "a b" || a.More != 0 || a.Number != 0 || !math.IsNaN(a.X.From) || a.Series[0].Colour != "" || a.Series[0].Count != 1 {
		t.Errorf("got %+v", f)
	}
}

// FuzzRead checks that nothing a kernel sends makes Read panic or keep more than it may, and that what it
// read is stored and read as the same.
func FuzzRead(f *testing.F) {
	f.Add(Write(figure()))
	f.Add([]byte(`{"v":1,"axes":[{"n":1,"series":[{"kind":"rules","columns":[{"name":"x","numbers":"eJwDAAAAAAE="}]}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := Read(raw)
		if !ok {
			return
		}
		numbers := 0
		for _, a := range got.Axes {
			for _, s := range a.Series {
				for _, c := range s.Columns {
					numbers += len(c.Numbers)
				}
			}
		}
		if numbers > mostNumbers || len(got.Axes) > mostAxes {
			t.Errorf("%d numbers, %d axes", numbers, len(got.Axes))
		}
		again, ok := Read(Write(got))
		if !ok || !bytes.Equal(Write(again), Write(got)) {
			t.Errorf("read %s, then %s", Write(got), Write(again))
		}
	})
}
