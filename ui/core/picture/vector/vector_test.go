package vector

import (
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"
)

// dark returns the number of dark pixels in a part of a picture.
func dark(m *image.RGBA, r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.RGBAAt(x, y).G < 100 {
				n++
			}
		}
	}
	return n
}

func svg(body string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100" viewBox="0 0 200 100">` + body + `</svg>`)
}

func drawn(t *testing.T, body string) *image.RGBA {
	t.Helper()
	m, err := Draw(svg(body), 200, 100, 400)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rect != image.Rect(0, 0, 400, 200) {
		t.Fatalf("drawn as %v, want 400×200", m.Rect)
	}
	return m
}

func TestTextIsDrawnWhereItStands(t *testing.T) {
	whole := image.Rect(0, 0, 400, 200)
	for name, c := range map[string]struct {
		body string
		in   image.Rectangle // contains all of it
	}{
		"plain":             {`<text x="10" y="50" font-size="20">Label</text>`, image.Rect(16, 66, 130, 112)},
		"Japanese":          {`<text x="10" y="50" font-size="20">日本語</text>`, image.Rect(16, 60, 144, 112)},
		"centred":           {`<text x="100" y="50" font-size="20" text-anchor="middle">Label</text>`, image.Rect(140, 66, 260, 112)},
		"at its end":        {`<text x="100" y="50" style="font-size:20px; text-anchor:end">Label</text>`, image.Rect(80, 66, 202, 112)},
		"turned":            {`<g transform="translate(50 90) rotate(-90)"><text font-size="20">Label</text></g>`, image.Rect(66, 60, 112, 184)},
		"by a tspan":        {`<text x="1" y="1" font-size="20"><tspan x="100" y="90">Label</tspan></text>`, image.Rect(196, 146, 320, 192)},
		"of a group's size": {`<g font-size="20" fill="#300"><text x="10" y="50">Label</text></g>`, image.Rect(16, 66, 130, 112)},
	} {
		m := drawn(t, c.body)
		all, inside := dark(m, whole), dark(m, c.in)
		if inside < 60 || inside != all {
			t.Errorf("%s: %d dark pixels, %d of them in %v", name, all, inside, c.in)
		}
	}
}

func TestShapesAreDrawnAsMatplotlibAndGraphvizWriteThem(t *testing.T) {
	at := func(m *image.RGBA, x, y int) color.RGBA { return m.RGBAAt(x, y) }
	m := drawn(t, `<defs><g id="dot"><path d="M0,0 L10,0 L10,10 L0,10 Z"/></g></defs>
		<use xlink:href="#dot" x="20" y="30" fill="#008000"/>
		<g transform="translate(100 50) scale(2)"><use xlink:href="#dot" style="fill:#0000ff"/></g>
		<polygon fill="lightblue" stroke="transparent" points="150,10 190,10 190,40 150,40"/>
		<path d="M0,95 L200,95" stroke="#ff0000" stroke-width="4" fill="none"/>`)
	for name, c := range map[string]struct {
		x, y int
		want color.RGBA
	}{
		"a reference with a place":      {50, 70, color.RGBA{0, 128, 0, 255}},
		"a reference within transforms": {220, 120, color.RGBA{0, 0, 255, 255}},
		"a shape without an edge":       {340, 50, color.RGBA{0xAD, 0xD8, 0xE6, 255}},
		"a line as thick as it is":      {200, 187, color.RGBA{255, 0, 0, 255}},
		"the ground":                    {5, 5, color.RGBA{255, 255, 255, 255}},
	} {
		if got := at(m, c.x, c.y); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestWhatIsHiddenOrADefinitionShowsNoText(t *testing.T) {
	m := drawn(t, `<defs><text x="10" y="50">a</text></defs><title>b</title><text x="10" y="50" display="none">c</text>
		<text x="10" y="50" fill="none">d</text>`)
	if n := dark(m, m.Rect); n != 0 {
		t.Errorf("%d dark pixels, want none", n)
	}
}

func TestAHostileSVGIsRefused(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString(`<g id="a0"><path d="M0,0 L1,1"/></g>`)
	for i := 1; i < 12; i++ {
		bomb.WriteString(`<g id="a` + string(rune('a'+i)) + `">` + strings.Repeat(`<use xlink:href="#a`+prev(i)+`"/>`, 10) + `</g>`)
	}
	for name, body := range map[string]string{
		"refers to itself":    `<g id="x"><use xlink:href="#x"/></g>`,
		"grows by references": bomb.String(),
		"is cut":              `<g><path d="M0,0`,
		"is deep":             strings.Repeat("<g>", 5000),
	} {
		if _, err := Draw(svg(body), 200, 100, 400); !errors.Is(err, ErrUnreadable) {
			t.Errorf("one that %s: %v, want that it is unreadable", name, err)
		}
	}
	if _, err := Draw(make([]byte, maxBytes+1), 10, 10, 10); !errors.Is(err, ErrUnreadable) {
		t.Errorf("a large one: %v", err)
	}
}

func prev(i int) string {
	if i == 1 {
		return "0"
	}
	return string(rune('a' + i - 1))
}
