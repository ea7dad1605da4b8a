package vlconvert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/assets"
	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/render"
)

const (
	liteType = "application/vnd.vegalite.v5+json"
	vegaType = "application/vnd.vega.v5+json"
	svgType  = "image/svg+xml"
)

// newEngine returns an engine with a real Python. It is closed at the end of the test, which
// fails if it leaves a worker's directory behind.
func newEngine(t testing.TB, change func(*Config)) *Engine {
	t.Helper()
	fonts := t.TempDir()
	if _, err := assets.WriteFonts(fonts); err != nil {
		t.Fatal(err)
	}
	python := jupytertest.Python(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	cfg := Config{
		Python:   func() string { return python },
		FontDirs: []string{fonts},
		Limit:    time.Minute, // the machine may be busy
		Log:      slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&cfg)
	}
	e := New(cfg)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
			t.Error("left behind:", left)
		}
	})
	return e
}

// bars returns a Vega-Lite chart with changes.
func bars(change map[string]any) render.Request {
	spec := map[string]any{
		"data":     map[string]any{"values": []map[string]any{{"a": "A", "b": 28}, {"a": "B", "b": 55}, {"a": "C", "b": 43}}},
		"mark":     "bar",
		"encoding": map[string]any{"x": map[string]any{"field": "a", "type": "nominal"}, "y": map[string]any{"field": "b", "type": "quantitative"}},
	}
	maps.Copy(spec, change)
	return figure(liteType, spec)
}

func figure(mime string, spec any) render.Request {
	if text, ok := spec.(string); ok {
		return render.Request{MIME: mime, Data: []byte(text)}
	}
	data, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return render.Request{MIME: mime, Data: data}
}

// draw draws a figure. The test fails if that fails.
func draw(t testing.TB, e *Engine, r render.Request) (render.Picture, image.Image) {
	t.Helper()
	p, err := e.Draw(t.Context(), r)
	require.NoError(t, err)
	m, err := png.Decode(bytes.NewReader(p.PNG))
	require.NoError(t, err)
	if m.Bounds().Size() != image.Pt(p.Width, p.Height) {
		t.Errorf("%v, not %d by %d", m.Bounds(), p.Width, p.Height)
	}
	return p, m
}

// colours returns the number of pixels by colour.
func colours(m image.Image) map[color.Color]int {
	found := make(map[color.Color]int)
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			found[m.At(x, y)]++
		}
	}
	return found
}

func TestLiveVegaLite(t *testing.T) {
	e := newEngine(t, nil)
	one, _ := draw(t, e, bars(map[string]any{"title": "売上の推移", "width": 200, "height": 100}))
	r := bars(map[string]any{"title": []string{"売上の", "推移"}, "width": 200, "height": 100})
	r.Scale = 2
	_, _ = draw(t, e, r)
	r = bars(map[string]any{"title": map[string]any{"text": "売上の推移"}, "width": 200, "height": 100})
	r.Scale = 2
	two, m := draw(t, e, r)
	if one.Title != "売上の推移" || two.Title != one.Title || len(one.Blocked) != 0 {
		t.Errorf("titles %q and %q, blocked %q", one.Title, two.Title, one.Blocked)
	}
	if one.Width <= 200 || two.Width != 2*one.Width || two.Height != 2*one.Height {
		t.Errorf("%d by %d at 1, %d by %d at 2", one.Width, one.Height, two.Width, two.Height)
	}
	if blue := colours(m)[color.NRGBA{0x4c, 0x78, 0xa8, 255}] + colours(m)[color.RGBA{0x4c, 0x78, 0xa8, 255}]; blue < 1000 {
		t.Errorf("%d pixels of bars", blue)
	}
	title := func(text string) []byte {
		p, _ := draw(t, e, bars(map[string]any{"title": text}))
		return p.PNG
	}
	// A font without the characters draws the same box for each.
	if bytes.Equal(title("日本語"), title("語本日")) || bytes.Equal(title("日日日"), title("\ue000\ue000\ue000")) {
		t.Error("the characters of the title are not drawn")
	}
}

func TestLiveSizes(t *testing.T) {
	e := newEngine(t, nil)
	const box = `<svg xmlns="http://www.w3.org/2000/svg" `
	for name, c := range map[string]struct {
		r             render.Request
		space         image.Point
		scale         float64
		width, height int // 0: any
	}{
		"a chart's container":           {bars(map[string]any{"width": "container"}), image.Pt(640, 0), 1, 640, 0},
		"without a space":               {bars(map[string]any{"width": "container", "height": "container"}), image.Point{}, 2, 800, 600},
		"a container in both":           {bars(map[string]any{"width": "container", "height": "container"}), image.Pt(500, 350), 1, 500, 350},
		"its own size":                  {figure(vegaType, `{"width":100,"height":50,"padding":10,"marks":[]}`), image.Pt(640, 480), 1, 120, 70},
		"Vega-Lite of another age":      {render.Request{MIME: "application/vnd.vegalite.v2+json", Data: bars(nil).Data}, image.Point{}, 1, 0, 0},
		"of a time to come":             {render.Request{MIME: "application/vnd.vegalite.v99+json", Data: bars(nil).Data}, image.Point{}, 1, 0, 0},
		"SVG in points":                 {figure(svgType, box+`width="72pt" height="36pt"/>`), image.Pt(500, 500), 1.5, 144, 72},
		"SVG in the space":              {figure(svgType, box+`viewBox="0 0 10 20"/>`), image.Pt(100, 0), 2, 200, 400},
		"SVG of its viewBox":            {figure(svgType, box+`viewBox="0 0 10 20" width="100%"/>`), image.Point{}, 4, 40, 80},
		"SVG with one side":             {figure(svgType, box+`viewBox="0 0 10 20" width="30"/>`), image.Point{}, 1, 30, 60},
		"SVG of no size":                {figure(svgType, box+`/>`), image.Point{}, 1, 300, 150},
		"SVG without namespace":         {figure(svgType, `<svg width="10" height="10"><use xlink:href="#a"/></svg>`), image.Point{}, 1, 10, 10},
		"as large as can be":            {figure(svgType, box+`width="4096" height="10"/>`), image.Point{}, 2, 8192, 20},
		"too long for its scale":        {figure(svgType, box+`width="8000" height="40"/>`), image.Point{}, 4, 8191, 40},
		"too long at all":               {figure(svgType, box+`width="20000" height="200"/>`), image.Point{}, 1, 8191, 81},
		"too large for its scale":       {figure(svgType, box+`width="4000" height="4000"/>`), image.Point{}, 2, 5792, 5792},
		"a size elsewhere says nothing": {figure(svgType, box+`width="10" height="10" style="width:20000px" data-x=' width="' data-y='" height="9999"'/>`), image.Point{}, 1, 10, 10},
	} {
		c.r.Width, c.r.Height, c.r.Scale = c.space.X, c.space.Y, c.scale
		p, err := e.Draw(t.Context(), c.r)
		if err != nil || c.width != 0 && p.Width != c.width || c.height != 0 && p.Height != c.height || p.Width == 0 {
			t.Errorf("%s: %d by %d, want %d by %d, %v", name, p.Width, p.Height, c.width, c.height, err)
		}
	}
}

func TestLiveVega(t *testing.T) {
	e := newEngine(t, nil)
	p, m := draw(t, e, figure(vegaType, `{"$schema": "https://vega.github.io/schema/vega/v5.json", "width": 200, "height": 100, "background": "white",
		"title": {"text": ["Über", "uns"]}, "data": [{"name": "t", "values": [{"x": 20}, {"x": 120}]}],
		"marks": [{"type": "rect", "from": {"data": "t"}, "encode": {"enter": {"x": {"field": "x"}, "width": {"value": 50}, "y": {"value": 0}, "y2": {"value": 100}, "fill": {"value": "#f00"}}}}]}`))
	red := 0
	for c, n := range colours(m) {
		if r, g, b, _ := c.RGBA(); r == 0xffff && g == 0 && b == 0 {
			red += n
		}
	}
	if p.Title != "Über uns" || red < 9000 || red > 10500 {
		t.Errorf("title %q, %d red pixels", p.Title, red)
	}
	// A data: URL needs no network.
	r := bars(map[string]any{"data": map[string]any{"url": "data:text/csv,a,b%0AA,28%0AB,55%0AC,43"}})
	inline, _ := draw(t, e, r)
	plain, _ := draw(t, e, bars(nil))
	if !bytes.Equal(inline.PNG, plain.PNG) || len(inline.Blocked) != 0 {
		t.Errorf("the data of a data: address draw another picture; blocked %q", inline.Blocked)
	}
}

// TestLiveSVG draws clips, masks, filters and styles.
func TestLiveSVG(t *testing.T) {
	e := newEngine(t, nil)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="400" height="100">
<title>Four &amp; more</title><style>.s { fill: #0000ff } rect + rect.t { fill: #00ff00 }</style>
<defs><clipPath id="c"><circle cx="50" cy="50" r="30"/></clipPath>
<mask id="m"><rect x="100" width="50" height="100" fill="white"/></mask>
<filter id="f" x="0" y="0" width="1" height="1"><feFlood flood-color="#ff00ff"/></filter></defs>
<rect width="400" height="100" fill="white"/>
<rect width="100" height="100" fill="#ff0000" clip-path="url(#c)"/>
<rect x="100" width="100" height="100" fill="#ff0000" mask="url(#m)"/>
<rect x="200" width="100" height="100" fill="#ff0000" filter="url(#f)"/>
<rect x="300" width="50" height="100" class="s"/><rect x="350" width="50" height="100" class="t"/>
</svg>`
	p, m := draw(t, e, figure(svgType, svg))
	if p.Title != "Four & more" {
		t.Errorf("title %q", p.Title)
	}
	for at, want := range map[image.Point]string{
		{5, 5}: "ffffff", {50, 50}: "ff0000", // clipped
		{120, 50}: "ff0000", {180, 50}: "ffffff", // masked
		{250, 50}: "ff00ff",                      // filtered
		{320, 50}: "0000ff", {380, 50}: "00ff00", // styled
	} {
		if got := hex(m, at); got != want {
			t.Errorf("at %v: %s, want %s", at, got, want)
		}
	}
}

func hex(m image.Image, at image.Point) string {
	r, g, b, _ := m.At(at.X, at.Y).RGBA()
	return fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)
}

func TestLiveRefused(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Data = 1 << 20 })
	for name, c := range map[string]struct {
		r    render.Request
		want string
	}{
		"another type":       {figure("text/html", `<p>`), `not "text/html"`},
		"too much data":      {figure(svgType, strings.Repeat(" ", 2<<20)), "2 MB, and at most 1 MB"},
		"not JSON":           {figure(liteType, `{"mark":`), "not JSON"},
		"not an object":      {figure(vegaType, `[]`), "not a JSON object"},
		"deep":               {figure(vegaType, strings.Repeat(`{"marks":[`, 50_000)+strings.Repeat("]}", 50_000)), "nested too deeply"},
		"not Vega-Lite":      {figure(liteType, `{"nix":1}`), "Vega-Lite says: Invalid specification"},
		"a wrong expression": {figure(vegaType, `{"signals":[{"name":"a","update":"b+("}],"marks":[]}`), "Vega says: Expression parse error: b+("},
		"a fault on the way": {figure(vegaType, `{"width":9,"height":9,"data":[{"name":"t","transform":[{"type":"sequence","start":0,"stop":3e9}]}],"marks":[]}`), "Vega says: RangeError: Invalid array length"},
		"not SVG":            {figure(svgType, `<html/>`), "not valid SVG: its root element is html"},
		"not XML":            {figure(svgType, `<svg`), "not valid SVG: unclosed token"},
		"of elements":        {figure(svgType, strings.Repeat("<g>", 600)), "not valid SVG"},
		"too large":          {figure(svgType, `<svg width="100000" height="10"/>`), "100000 by 10 pixels"},
		"entities":           {figure(svgType, `<!DOCTYPE svg [<!ENTITY a "`+strings.Repeat("x", 99)+`">`+entities("abcdefghi")+`]><svg><text>&i;</text></svg>`), "not valid SVG"},
	} {
		p, err := e.Draw(t.Context(), c.r)
		if refused, ok := errors.AsType[*render.RefusedError](err); !ok || !strings.Contains(refused.Reason, c.want) || len([]rune(refused.Reason)) > 300 {
			t.Errorf("%s: %d bytes, %v, want %q", name, len(p.PNG), err, c.want)
		}
	}
	draw(t, e, bars(nil))
}

// entities returns entity declarations, each of which refers twenty times to the previous one.
func entities(names string) (all string) {
	for i := 1; i < len(names); i++ {
		all += `<!ENTITY ` + names[i:i+1] + ` "` + strings.Repeat("&"+names[i-1:i]+";", 20) + `">`
	}
	return all
}

func TestLiveManyAtOnce(t *testing.T) {
	e := newEngine(t, nil)
	var drawing sync.WaitGroup
	for i := range 8 {
		drawing.Go(func() {
			title := fmt.Sprint("Figure ", i)
			if p, err := e.Draw(t.Context(), bars(map[string]any{"title": title})); err != nil || p.Title != title {
				t.Errorf("%q, %v", p.Title, err)
			}
		})
	}
	drawing.Wait()
}

func BenchmarkCold(b *testing.B) {
	for b.Loop() {
		e := newEngine(b, nil)
		draw(b, e, bars(nil))
		require.NoError(b, e.Close())
	}
}

func BenchmarkWarm(b *testing.B) {
	e := newEngine(b, nil)
	points := make([]map[string]any, 5000)
	for i := range points {
		points[i] = map[string]any{"a": i, "b": i * i % 97}
	}
	quantity := func(name string) map[string]any { return map[string]any{"field": name, "type": "quantitative"} }
	for name, r := range map[string]render.Request{
		"bars": bars(nil),
		"5000 points": bars(map[string]any{
			"data": map[string]any{"values": points}, "mark": "point",
			"encoding": map[string]any{"x": quantity("a"), "y": quantity("b")},
		}),
		"svg": figure(svgType, `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><circle r="99" cx="99" cy="99"/><text y="50">Hello 日本</text></svg>`),
	} {
		r.Scale = 2
		draw(b, e, r)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				draw(b, e, r)
			}
		})
	}
}

// TestLiveVectors: a chart as SVG or PDF is as large as its space, and its text is text.
func TestLiveVectors(t *testing.T) {
	e := newEngine(t, nil)
	r := bars(map[string]any{"title": "Sales", "width": 288, "height": 192, "padding": 0})
	for _, width := range []int{0, 480} {
		r.Width, r.Format = width, "svg"
		svg, err := e.Draw(t.Context(), r)
		require.NoError(t, err)
		if !strings.Contains(string(svg.Data), ">Sales</text>") || svg.PNG != nil {
			t.Errorf("the SVG: %.300s", svg.Data)
		}
		if want := float64(width) / 96; width > 0 && math.Abs(svg.Inches[0]-want) > 0.01 {
			t.Errorf("%g inches wide, want %g", svg.Inches[0], want)
		}
		r.Format = "pdf"
		pdf, err := e.Draw(t.Context(), r)
		require.NoError(t, err)
		page := regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`).FindSubmatch(pdf.Data)
		if page == nil {
			t.Fatalf("no page in %.200q", pdf.Data)
		}
		wide, err := strconv.ParseFloat(string(page[1]), 64)
		if err != nil || math.Abs(wide-pdf.Inches[0]*72) > 1 {
			t.Errorf("the page is %g points wide, the picture %g inches", wide, pdf.Inches[0])
		}
	}
}

// TestLiveTextWithoutItsFont checks that text is drawn although none of its fonts exists.
func TestLiveTextWithoutItsFont(t *testing.T) {
	e := newEngine(t, nil)
	ink := func(t *testing.T, r render.Request) (n int) {
		t.Helper()
		_, m := draw(t, e, r)
		for c, count := range colours(m) {
			if red, _, _, alpha := c.RGBA(); red < 0x8000 && alpha > 0x8000 {
				n += count
			}
		}
		return n
	}
	for name, c := range map[string]struct{ style, attribute string }{
		"no font":             {},
		"an unknown one":      {attribute: `font-family="No Such Font"`},
		"one of the system's": {attribute: `font-family="system-ui"`},
		"in a style":          {attribute: `style="font-family:'No Such Font'; fill:#000"`},
		"a font":              {attribute: `style="font: bold 30px No Such Font"`},
		"in a style sheet":    {style: `text { font-family: "No Such Font", Another !important }`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{"Hello", "日本語"} {
				if n := ink(t, figure(svgType, `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><style>`+c.style+
					`</style><text x="9" y="40" font-size="30" `+c.attribute+`>`+text+`</text></svg>`)); n < 100 {
					t.Errorf("%s: %d dark pixels", text, n)
				}
			}
		})
	}
	t.Run("a chart", func(t *testing.T) {
		chart := func(title string) render.Request {
			return bars(map[string]any{"title": title, "config": map[string]any{"font": "No Such Font"}})
		}
		if with, without := ink(t, chart("日本語の題名")), ink(t, chart("")); with < without+100 {
			t.Errorf("%d dark pixels with a title, %d without", with, without)
		}
	})
}
