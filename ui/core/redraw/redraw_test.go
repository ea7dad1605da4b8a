package redraw

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/render"
)

const (
	plotlyType = "application/vnd.plotly.v1+json"
	liteType   = "application/vnd.vegalite.v5+json"
)

// A bench has kernels, engines and a library that answer as told.
type bench struct {
	drawn   inspect.DrawnFigure
	refused error // by the kernel
	asked   []inspect.FigureRequest

	natural image.Point // size of what the engine draws, in CSS pixels; zero: the request's
	engine  []render.Request
	broken  error   // the engine's
	room    int     // CSS pixels of height that the figure needs; 0: any is enough
	part    float64 // of what a figure gains that its legend gets; 0: all

	content string // of the forms; empty: their type

	keeps  bool     // the kernel keeps its figures
	sought []string // hashes of figures that it was asked for
}

func (b *bench) DrawFigure(_ context.Context, _ string, q inspect.FigureRequest) (inspect.DrawnFigure, error) {
	b.asked = append(b.asked, q)
	return b.drawn, b.refused
}

func (b *bench) FindFigure(_ context.Context, _ string, hashes []string) error {
	b.sought = append(b.sought, hashes...)
	return b.refused
}

func (b *bench) FigureValues(context.Context, string, []string) ([]byte, error) {
	return nil, b.refused
}

func (b *bench) Unmarked(string) bool { return false }

func (b *bench) KeepsFigures(string, time.Time) error {
	if b.keeps {
		return nil
	}
	return kernels.ErrSessionNotFound
}

func (b *bench) ReadForm(_ context.Context, _ library.Image, mime string) ([]byte, error) {
	if b.content != "" {
		return []byte(b.content), nil
	}
	return []byte(mime), nil
}

func (b *bench) CanDraw(context.Context, library.Image) error { return b.broken }

func (b *bench) Render(_ context.Context, im library.Image, change func(render.Request) (render.Request, error)) (render.Picture, error) {
	r, err := change(render.Request{MIME: im.Forms[len(im.Forms)-1].MIME, Data: []byte(`{"mark": "bar"}`)})
	if err != nil {
		return render.Picture{}, err
	}
	b.engine = append(b.engine, r)
	if b.broken != nil {
		return render.Picture{}, b.broken
	}
	if r.Format != "" {
		return render.Picture{Data: []byte(r.Format), Inches: [2]float64{2, 1}}, nil
	}
	size := b.natural
	if size == (image.Point{}) {
		size = image.Pt(r.Width, r.Height)
	}
	w, h := int(float64(size.X)*r.Scale), int(float64(size.Y)*r.Scale)
	p := render.Picture{PNG: pngOf(w, h), Width: w, Height: h}
	if lacks := cmp.Or(b.part, 1) * float64(b.room-r.Height); lacks > 0 {
		p.Grow = 1 + lacks/float64(r.Height)
	}
	return p, nil
}

func pngOf(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func (b *bench) redraw(t *testing.T, im library.Image, q Request) (Picture, error) {
	t.Helper()
	return (&Redrawer{Kernels: b, Engines: b, Library: b}).Redraw(t.Context(), im, q)
}

// of is an image with forms.
func of(forms ...string) (im library.Image) {
	im.Image = catalog.Image{ImageID: "i", SessionID: "s", MIMEType: forms[0], Width: 640, Height: 480}
	for _, f := range forms {
		im.Forms = append(im.Forms, library.StoredForm{MIME: f})
	}
	return im
}

func why(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

func TestAKernelDrawsItsFigures(t *testing.T) {
	b := &bench{drawn: inspect.DrawnFigure{Data: pngOf(300, 200), DPI: 100}}
	p, err := b.redraw(t, of("image/png", "image/svg+xml"), Request{Format: PNG, DPI: 100})
	require.NoError(t, err)
	if p.Width != 300 || p.Height != 200 || p.Inches != [2]float64{3, 2} {
		t.Errorf("%d by %d pixels, %v inches", p.Width, p.Height, p.Inches)
	}
	if p.MIME != "image/png" || p.Engine {
		t.Errorf("%s, by an engine: %v", p.MIME, p.Engine)
	}
	if q := b.asked[0]; len(q.Hashes) != 2 || len(q.Hashes[0]) != 64 || q.Hashes[0] == q.Hashes[1] || q.DPI != 100 || q.Format != PNG {
		t.Errorf("asked for %+v", q)
	}
	if _, err := b.redraw(t, of("image/png"), Request{Format: PNG, Looking: true}); err != nil || b.asked[0].Looking || !b.asked[1].Looking {
		t.Errorf("whether the user only looks at it: %+v, %v", b.asked, err)
	}
	for _, q := range []struct {
		Request
		want float64
	}{{Request{Scale: 2}, 0.5}, {Request{Scale: 2, Within: time.Second}, 1}, {Request{Width: 4, Within: 3 * time.Second}, 3}, {Request{Width: 4}, 0}} {
		q.Format = PNG
		if _, err := b.redraw(t, of("image/png"), q.Request); err != nil || b.asked[len(b.asked)-1].Within != q.want {
			t.Errorf("for %+v, asked for %+v, %v", q.Request, b.asked[len(b.asked)-1], err)
		}
	}
}

func TestWhyAFigureIsNotDrawnAgain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Reason
	}{
		{jupyter.ErrKernelBusy, Busy},
		{kernels.ErrSessionNotFound, Ended},
		{&kernels.UnusedError{}, Ended},
		{inspect.ErrLanguage, Language},
		{kernels.ErrNotJoined, Unjoined},
		{jupyter.ErrKernelRestarted, Gone},
		{context.DeadlineExceeded, Slow},
		{errors.New("KeyError"), Failed},
		{&inspect.NoFigureError{Reason: inspect.FigureUnknown}, Gone},
		{&inspect.NoFigureError{Reason: inspect.FigureOff}, Off},
		{&inspect.NoFigureError{Reason: inspect.FigureOld}, Old},
		{&inspect.NoFigureError{Reason: inspect.FigureLarge}, Large},
		{&inspect.NoFigureError{Reason: inspect.FigureChanged}, Changed},
		{&inspect.NoFigureError{Reason: inspect.FigureFixed}, Fixed},
		{&inspect.NoFigureError{Reason: inspect.FigureSlow}, Slow},
		{&inspect.NoFigureError{Reason: inspect.FigureAnswer}, TooLarge},
		{&inspect.NoFigureError{Reason: "of a later version"}, Gone},
	} {
		_, err := (&bench{refused: c.err, content: byMatplotlib}).redraw(t, of("image/png"), Request{Format: PNG})
		if why(err) != c.want || err.Error() == "" {
			t.Errorf("%v: %q, want %q", c.err, why(err), c.want)
		}
	}
	file := of("image/png")
	file.SessionID = ""
	if _, err := new(bench).redraw(t, file, Request{Format: PNG}); why(err) != File {
		t.Errorf("a file: %v", err)
	}
	for _, r := range Reasons() {
		if text := texts[r]; text[0] == "" {
			t.Errorf("%s has no text", r)
		}
	}
}

// byMatplotlib is in a PNG that matplotlib has written.
const byMatplotlib = "tEXtSoftware\x00Matplotlib version3.10.1, https://matplotlib.org/"

// TestAPictureThatIsNoFigure: a kernel that does not know it may also have been restarted, which
// the picture itself rules out.
func TestAPictureThatIsNoFigure(t *testing.T) {
	for reason, want := range map[inspect.NoFigure]Reason{
		inspect.FigureUnknown: Plain, inspect.FigureOff: Plain, inspect.FigureOld: Old, inspect.FigureChanged: Changed,
	} {
		refused := &inspect.NoFigureError{Reason: reason}
		if _, err := (&bench{refused: refused, content: "a photo"}).redraw(t, of("image/png"), Request{Format: PNG}); why(err) != want {
			t.Errorf("%s: a photo is %v, want %s", reason, err, want)
		}
		for _, mark := range []string{byMatplotlib, "Software\x00matplotlib version3.1.1, http", "<dc:title>Matplotlib v3.9.2, https", "/Creator (Matplotlib v3.9.2, https"} {
			if _, err := (&bench{refused: refused, content: mark}).redraw(t, of("image/png"), Request{Format: PNG}); why(err) == Plain {
				t.Errorf("%s: a figure with %q is %v", reason, mark, err)
			}
		}
		if _, err := (&bench{refused: refused, content: "a photo"}).redraw(t, of("image/png", "image/jpeg"), Request{Format: PNG}); why(err) != want {
			t.Errorf("%s: a picture of Pillow, as PNG and as JPEG, is %v, want %s", reason, err, want)
		}
		if _, err := (&bench{refused: refused, content: "a photo"}).redraw(t, of("image/jpeg"), Request{Format: PNG}); why(err) == Plain {
			t.Errorf("%s: a JPEG, which matplotlib may have written, is %v", reason, err)
		}
	}
}

func TestRequestsThatAreNotValid(t *testing.T) {
	for _, q := range []Request{
		{},
		{Format: "gif"},
		{Format: PNG, Width: -1},
		{Format: PNG, Width: 0.1},
		{Format: PDF, Height: 101},
		{Format: PNG, DPI: 5},
		{Format: PNG, DPI: 1201},
		{Format: PNG, Theme: "blue"},
	} {
		b := new(bench)
		if _, err := b.redraw(t, of("image/png"), q); why(err) != Invalid || len(b.asked) > 0 {
			t.Errorf("%+v: %v, asked %v", q, err, b.asked)
		}
	}
	if _, err := new(bench).redraw(t, of("image/png"), Request{Format: PNG, Width: 50, Height: 50, DPI: 300}); why(err) != TooLarge {
		t.Errorf("225 million pixels: %v", err)
	}
	b := &bench{drawn: inspect.DrawnFigure{Data: []byte("%PDF")}}
	if _, err := b.redraw(t, of("image/png"), Request{Format: PDF, Width: 50, Height: 50, DPI: 300}); err != nil {
		t.Errorf("a PDF has no pixels: %v", err)
	}
}

// A figure that is gone is drawn from its SVG, if it came with one; not one that a busy
// kernel still has, nor in other colours.
func TestAnSVGIsUsedWhenTheKernelHasNoFigure(t *testing.T) {
	gone := &inspect.NoFigureError{Reason: inspect.FigureUnknown}
	b := &bench{refused: gone, natural: image.Pt(640, 480)}
	p, err := b.redraw(t, of("image/png", "image/svg+xml"), Request{Format: PNG, Width: 10, DPI: 96})
	if err != nil || !p.Engine || p.Width != 960 || p.Height != 720 {
		t.Errorf("%d by %d, %v", p.Width, p.Height, err)
	}
	for what, c := range map[string]struct {
		im      library.Image
		q       Request
		refused error
	}{
		"no SVG":       {of("image/png"), Request{Format: PNG}, gone},
		"busy":         {of("image/png", "image/svg+xml"), Request{Format: PNG}, jupyter.ErrKernelBusy},
		"other colour": {of("image/png", "image/svg+xml"), Request{Format: PNG, Theme: "dark"}, gone},
	} {
		b := &bench{refused: c.refused}
		if _, err := b.redraw(t, c.im, c.q); why(err) == "" || len(b.engine) > 0 {
			t.Errorf("%s: %v, the engine drew %d", what, err, len(b.engine))
		}
	}
}

func TestAnEngineDrawsFiguresFromTheirData(t *testing.T) {
	for what, c := range map[string]struct {
		q       Request
		natural image.Point
		want    image.Point
		draws   int
	}{
		"at the size":              {Request{Format: PNG, Width: 5, Height: 3, DPI: 192}, image.Point{}, image.Pt(960, 576), 1},
		"as displayed":             {Request{Format: PNG}, image.Pt(300, 200), image.Pt(600, 400), 1},
		"in proportion":            {Request{Format: PNG, Height: 3, DPI: 96}, image.Point{}, image.Pt(384, 288), 1},
		"one that keeps its size":  {Request{Format: PNG, Width: 6, Height: 4, DPI: 96}, image.Pt(288, 288), image.Pt(384, 384), 2},
		"at a density that is low": {Request{Format: JPEG, Width: 4, Height: 3, DPI: 48}, image.Pt(768, 576), image.Pt(192, 144), 1},
	} {
		b := &bench{natural: c.natural}
		p, err := b.redraw(t, of("image/png", plotlyType), c.q)
		if err != nil || image.Pt(p.Width, p.Height) != c.want || len(b.engine) != c.draws || len(b.asked) > 0 {
			t.Errorf("%s: %d by %d after %d, %v; want %v after %d", what, p.Width, p.Height, len(b.engine), err, c.want, c.draws)
		}
		if jpeg := bytes.HasPrefix(p.Data, []byte("\xff\xd8")); jpeg != (c.q.Format == JPEG) {
			t.Errorf("%s: %.8q", what, p.Data)
		}
	}
	b := &bench{natural: image.Pt(20, 10)}
	if p, err := b.redraw(t, of("image/png", liteType), Request{Format: PDF, Look: 800}); err != nil || string(p.Data) != "pdf" || !bytes.HasPrefix(p.Preview, []byte("\x89PNG")) {
		t.Errorf("a PDF to look at: %+v, %v", p, err)
	} else if r := b.engine[len(b.engine)-1]; r.MIME != "application/pdf" || string(r.Data) != "pdf" || r.Format != "" || r.Scale != 800.0/(2*96) {
		t.Errorf("the PDF itself was not drawn: %+v", r)
	}
	if p, err := b.redraw(t, of("image/png", liteType), Request{Format: SVG}); err != nil || string(p.Data) != "svg" || p.Inches != [2]float64{2, 1} {
		t.Errorf("SVG: %+v, %v", p, err)
	}
	for want, broken := range map[Reason]error{
		Format: render.ErrFormat, Engine: &render.UnavailableError{Reason: "no browser", Remedy: "install one"},
	} {
		if _, err := (&bench{broken: broken}).redraw(t, of(plotlyType), Request{Format: PNG}); why(err) != want {
			t.Errorf("%v: %v", broken, err)
		}
	}
}

// TestALegendWithoutRoom: the figure is laid out for a larger size, and drawn smaller, if the user
// wants that and can still read it.
func TestALegendWithoutRoom(t *testing.T) {
	for what, c := range map[string]struct {
		room    int
		high    float64 // inches; 0: 3
		roomy   bool
		want    []image.Point // the sizes that are drawn, in CSS pixels
		crowded bool
	}{
		"with room":          {288, 0, true, []image.Point{{480, 288}}, false},
		"without":            {433, 0, true, []image.Point{{480, 288}, {722, 433}}, false},
		"as it is":           {433, 0, false, []image.Point{{480, 288}}, true},
		"far too little":     {600, 0, true, []image.Point{{480, 288}}, true},
		"at a lower density": {500, 0, true, []image.Point{{480, 288}, {833, 500}}, false},
		"of half a pixel":    {559, 2.996, true, []image.Point{{480, 288}, {933, 559}}, false},
		"a part of it":       {433, 0, true, []image.Point{{480, 288}, {602, 361}, {727, 436}}, false},
		"too small a part":   {600, 0, true, []image.Point{{480, 288}, {740, 444}}, true},
	} {
		b := &bench{room: c.room}
		if strings.Contains(what, "part") {
			b.part = 0.5
		}
		q := Request{Format: PNG, Width: 5, Height: cmp.Or(c.high, 3), DPI: 192, Roomy: c.roomy}
		if what == "at a lower density" {
			q.DPI = 96
		}
		p, err := b.redraw(t, of("image/png", plotlyType), q)
		full := image.Pt(int(5*q.DPI), int(math.Round(q.Height*q.DPI)))
		if d := full.Sub(image.Pt(p.Width, p.Height)); err != nil || p.Crowded != c.crowded || d.X < 0 || d.Y < 0 || d.X > 1 || d.Y > 1 {
			t.Errorf("%s: %d by %d, too little room %v, %v", what, p.Width, p.Height, p.Crowded, err)
		}
		var drawn []image.Point
		for _, r := range b.engine {
			drawn = append(drawn, image.Pt(r.Width, r.Height))
		}
		if !slices.Equal(drawn, c.want) {
			t.Errorf("%s: drawn for %v, want %v", what, drawn, c.want)
		}
	}
}

func TestDataGetsSizeAndColours(t *testing.T) {
	for what, c := range map[string]struct {
		mime, data, theme, want string
	}{
		"Plotly": {
			plotlyType, `{"data":[],"layout":{"title":{"text":"a"}}}`, "",
			`{"data":[],"layout":{"autosize":false,"height":200,"title":{"text":"a"},"width":300}}`,
		},
		"Vega-Lite": {
			liteType, `{"mark":"bar"}`, "",
			`{"autosize":{"contains":"padding","type":"fit"},"height":200,"mark":"bar","width":300}`,
		},
		"a chart of facets":       {liteType, `{"mark":"bar","encoding":{"row":{"field":"a"}}}`, "", `{"encoding":{"row":{"field":"a"}},"mark":"bar"}`},
		"a chart with steps":      {liteType, `{"mark":"bar","width":{"step":9}}`, "", `{"mark":"bar","width":{"step":9}}`},
		"what is no JSON stays":   {plotlyType, `{`, "dark", `{`},
		"HTML":                    {"text/html", `<b>`, "", `<b>`},
		"Plotly without a layout": {plotlyType, `{}`, "", `{"layout":{"autosize":false,"height":200,"width":300}}`},
	} {
		got, err := changed(render.Request{MIME: c.mime, Data: []byte(c.data), Width: 300, Height: 200}, c.theme)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v", what, got, err)
		}
	}
	for _, mime := range []string{plotlyType, liteType} {
		dark, err := changed(render.Request{MIME: mime, Data: []byte(`{"mark":"bar","layout":{"xaxis2":{}}}`)}, "dark")
		if err != nil || !bytes.Contains(dark, []byte(`"#141414"`)) || !json.Valid(dark) {
			t.Errorf("%s: %s, %v", mime, dark, err)
		}
	}
	if _, err := changed(render.Request{MIME: "text/html"}, "dark"); why(err) != Theme {
		t.Errorf("HTML in the dark: %v", err)
	}
}
