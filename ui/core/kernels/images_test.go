package kernels_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/coretest"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// drawn returns a random picture of a size, encoded by encode and in base64.
func drawn(t *testing.T, w, h int, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	_, _ = rand.Read(m.Pix) // never fails
	var b bytes.Buffer
	require.NoError(t, encode(&b, m))
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func pngOf(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }

// webp is a picture of one pixel. Go has no encoder for WebP.
const webp = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA="

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>`

func TestEveryFormOfAnImage(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	aPNG := drawn(t, 30, 20, pngOf)
	aJPEG := drawn(t, 30, 20, func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) })
	aGIF := drawn(t, 30, 20, func(b *bytes.Buffer, m image.Image) error {
		p := image.NewPaletted(m.Bounds(), color.Palette{color.White, color.Black})
		p.Pix[0] = m.(*image.Gray).Pix[0] % 2
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{p, p, p}, Delay: []int{5, 5, 5}})
	})
	large := drawn(t, 6000, 5000, func(b *bytes.Buffer, m image.Image) error {
		return (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(b, m)
	})
	for name, c := range map[string]struct {
		forms         map[string]any
		mime          string
		width, height int
		kept          int // the number of stored forms
	}{
		"PNG":              {map[string]any{"image/png": aPNG, "text/plain": "<Figure size 640x480>"}, "image/png", 30, 20, 1},
		"PNG in two lines": {map[string]any{"image/png": aPNG[:40] + "\n" + aPNG[40:] + "\n"}, "image/png", 30, 20, 1},
		"JPEG":             {map[string]any{"image/jpeg": aJPEG}, "image/jpeg", 30, 20, 1},
		"an animated GIF":  {map[string]any{"image/gif": aGIF}, "image/gif", 30, 20, 1},
		"WebP":             {map[string]any{"image/webp": webp}, "image/webp", 1, 1, 1},
		"SVG alone":        {map[string]any{"image/svg+xml": svg}, "image/svg+xml", 30, 20, 1},
		"SVG as lines":     {map[string]any{"image/svg+xml": []string{svg[:20], svg[20:]}}, "image/svg+xml", 30, 20, 1},
		"several forms": {
			map[string]any{"image/svg+xml": svg, "image/jpeg": aJPEG, "image/png": aPNG, "text/html": "<b>x</b>"},
			"image/png", 30, 20, 3,
		},
		"30 MB": {map[string]any{"image/png": large}, "image/png", 6000, 5000, 1},
		"a broken PNG beside a good JPEG": {
			map[string]any{"image/png": "%%%", "image/jpeg": aJPEG}, "image/jpeg", 30, 20, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			k.OnExecute(func(x *jupytertest.Execution) { x.Usual(func() { x.Display(c.forms, "") }) })
			v := d.run(s, "draw()")
			if len(v.Images) != 1 || len(v.Truncated) != 0 {
				t.Fatalf("got %d images, %+v", len(v.Images), v.Truncated)
			}
			i := v.Images[0]
			data, kept, err := d.lib.Images.Read(t.Context(), i.ImageID)
			if err != nil || i.MIMEType != c.mime || i.Width != c.width || i.Height != c.height || len(kept.Forms) != c.kept {
				t.Errorf("got %s %d×%d, %d forms, %v", i.MIMEType, i.Width, i.Height, len(kept.Forms), err)
			}
			if text, ok := c.forms[c.mime].(string); ok && c.mime != "image/svg+xml" {
				want, _ := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
				if !bytes.Equal(data, want) {
					t.Errorf("%d bytes are not the %d that were sent", len(data), len(want))
				}
			}
		})
	}
	t.Run("as the last expression", func(t *testing.T) {
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Send("iopub", "execute_result", map[string]any{
					"execution_count": 1, "metadata": map[string]any{},
					"data": map[string]any{"image/png": aPNG, "text/plain": "<PIL.Image>"},
				})
			})
		})
		if v := d.run(s, "figure"); len(v.Images) != 1 || v.Text != "<PIL.Image>" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("several in one execution, in their order", func(t *testing.T) {
		widths := []int{}
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				for n := range 50 {
					x.Display(map[string]any{"image/png": drawn(t, 10+n, 5, pngOf)}, "")
				}
				x.Display(map[string]any{"image/png": aPNG}, "")
				x.Display(map[string]any{"image/png": aPNG}, "") // the same bytes, so not a second image
			})
		})
		v := d.run(s, "for …")
		for _, i := range v.Images {
			widths = append(widths, i.Width)
		}
		if len(widths) != 51 || widths[0] != 10 || widths[49] != 59 {
			t.Errorf("got %v", widths)
		}
	})
}

func TestUpdatesAndClearedOutputs(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	show := func(x *jupytertest.Execution, width int, update bool, id string) {
		forms := map[string]any{"image/png": drawn(t, width, 5, pngOf)}
		if update {
			x.Update(forms, id)
		} else {
			x.Display(forms, id)
		}
	}
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() {
			switch x.Code {
			case "first":
				show(x, 10, false, "fig")
				show(x, 11, true, "fig")
			case "later":
				show(x, 12, true, "fig")
				show(x, 13, true, "nobody's")
			case "cleared":
				x.Stream("stdout", "gone")
				show(x, 20, false, "")
				x.Clear(true)
				show(x, 21, false, "")
				x.Clear(false)
				x.Stream("stdout", "stays")
				show(x, 22, false, "")
			}
		})
	})
	widths := func(images []catalog.Image) string {
		var ws []int
		for _, i := range images {
			ws = append(ws, i.Width)
		}
		return fmt.Sprint(ws)
	}
	first := d.start(s, "first")
	if v := d.wait(first); widths(v.Images) != "[11]" || v.Images[0].Replaces == "" {
		t.Errorf("first: %+v", v.Images)
	}
	later := d.run(s, "later")
	if widths(later.Images) != "[12]" {
		t.Errorf("later: %+v", later.Images)
	}
	if v := d.wait(first); widths(v.Images) != "[12]" {
		t.Errorf("the first one shows %s", widths(v.Images))
	}
	if v := d.run(s, "cleared"); widths(v.Images) != "[22]" || v.Stdout != "stays" {
		t.Errorf("cleared: %s %q", widths(v.Images), v.Stdout)
	} else if chain := d.chain(v.Images[0]); chain != "[22 21 20]" {
		t.Errorf("former versions: %s", chain)
	}
	if chain := d.chain(later.Images[0]); chain != "[12 11 10]" {
		t.Errorf("former versions: %s", chain)
	}
	t.Run("also when the user has deleted the former version", func(t *testing.T) {
		coretest.Mark(t, d.lib.Annotations, func(m *library.Marks) error { m.Trashed = true; return nil }, later.Images[0].ImageID)
		if n, err := d.lib.Images.PurgeTrash(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 1 {
			t.Fatalf("purged %d, %v", n, err)
		}
		if v := d.run(s, "later"); widths(v.Images) != "[12]" {
			t.Errorf("got %+v, %+v", v.Images, v.Truncated)
		}
	})
	t.Run("of a display from before Easel came", func(t *testing.T) {
		other := openFixture(t, d.url, d.token, 10)
		if _, err := other.Connect(t.Context(), kernels.RunningKernel{KernelID: s.KernelID}); err != nil {
			t.Fatal(err)
		}
		o, err := d.client.Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(t, err)
		defer o.Close()
		if _, err := o.Execute(d.context(), jupyter.ExecuteRequest{Code: "later"}); err != nil {
			t.Fatal(err)
		}
		if v := other.awaitEnded("later", catalog.StatusOK); widths(v.Images) != "[12 13]" {
			t.Errorf("got %s", widths(v.Images))
		}
	})
}

// chain returns the widths of an image and its former versions.
func (d *fixture) chain(i catalog.Image) string {
	d.t.Helper()
	ws := []int{i.Width}
	for i.Replaces != "" {
		former, err := d.lib.Images.Image(d.context(), i.Replaces)
		require.NoError(d.t, err)
		i = former.Image
		ws = append(ws, i.Width)
	}
	return fmt.Sprint(ws)
}
