package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/render/page"
)

// noisy returns a PNG whose pixels differ for each seed and do not compress well.
func noisy(t testing.TB, w, h, seed int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	x := uint32(seed)*2654435761 + 1
	for y := range h {
		for c := range w {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			v := byte(255)
			if x%16 == 0 {
				v = byte(x >> 8)
			}
			m.Set(c, y, color.NRGBA{v, byte(c), byte(y), 255})
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func document(plots int) []byte {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>四半期 & Q3</title><style>@font-face { font-family: F; src: url(font) } body { font-family: F } @page { size: letter; margin: 40pt; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt F } @bottom-left { content: "下"; font: 8pt F } } article { break-after: page } img { width: 100% }</style></head><body>`)
	for i := range plots {
		fmt.Fprintf(&b, `<article><h2>図 %d 日本語</h2><img src="picture/%d" alt=""></article>`, i, i)
	}
	b.WriteString(`<img src="https://example.com/x.png" alt=""><img src="file:///etc/passwd" alt=""></body></html>`)
	return []byte(b.String())
}

func letter(plots int, picture func(i int) []byte) Print {
	return Print{Page: document(plots), File: func(name string) (page.Document, bool) {
		if name == "font" {
			data, err := os.ReadFile("../../../../assets/fonts/NotoSansCJKjp-Regular-subset.otf")
			return page.Document{Type: "font/otf", Body: data}, err == nil
		}
		var i int
		if _, err := fmt.Sscanf(name, "picture/%d", &i); err != nil {
			return page.Document{}, false
		}
		return page.Document{Type: "image/png", Body: picture(i)}, true
	}}
}

// A printed document, as pypdfium2 sees it.
type printed struct {
	Title    string
	Pages    []string // their text
	Sizes    [][2]float64
	Outline  []string
	Pictures []struct {
		Page   int
		Size   [2]int
		Pixels string // SHA-256 of RGB
	}
}

func lookAt(t *testing.T, pdf []byte) (saw printed) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pdf")
	require.NoError(t, os.WriteFile(path, pdf, 0o600))
	look := exec.CommandContext(t.Context(), jupytertest.Python(t), filepath.Join("testdata", "look_pdf.py"), path)
	look.Stderr = t.Output()
	said, err := look.Output()
	require.NoError(t, err)
	if err := json.Unmarshal(said, &saw); err != nil {
		t.Fatal(err, string(said))
	}
	return saw
}

func TestLivePrint(t *testing.T) {
	e := engine(t, nil)
	var b bytes.Buffer
	require.NoError(t, e.Print(t.Context(), letter(3, func(i int) []byte { return noisy(t, 400, 300, i) }), &b))
	saw := lookAt(t, b.Bytes())
	if saw.Title != "四半期 & Q3" || len(saw.Pages) < 3 || strings.Join(saw.Outline, "|") != "図 0 日本語|図 1 日本語|図 2 日本語" {
		t.Errorf("the document is %+v", saw)
	}
	if last := saw.Pages[len(saw.Pages)-1]; !strings.Contains(last, "下") || !strings.Contains(last, "4 / 4") || saw.Sizes[0] != [2]float64{612, 792} {
		t.Errorf("the last page has no footer: %q, or has another size than %v", last, saw.Sizes[0])
	}
	if len(saw.Pictures) != 3 || saw.Pictures[1].Page != 1 || saw.Pictures[1].Size != [2]int{400, 300} {
		t.Errorf("the pictures are %+v", saw.Pictures)
	}
}

func TestLivePrintIsCancelled(t *testing.T) {
	e := engine(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	p := letter(5, func(i int) []byte {
		if i == 2 {
			cancel()
		}
		return noisy(t, 40, 30, i)
	})
	var b bytes.Buffer
	if err := e.Print(ctx, p, &b); !errors.Is(err, context.Canceled) || b.Len() != 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}

func TestLivePrintToAFullDisk(t *testing.T) {
	e := engine(t, nil)
	full := errors.New("disk full")
	if err := e.Print(t.Context(), letter(1, func(i int) []byte { return noisy(t, 40, 30, i) }), failing{full}); !errors.Is(err, full) {
		t.Error(err)
	}
}

// failing is a Writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
