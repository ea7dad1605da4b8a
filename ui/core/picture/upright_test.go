package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// quarters returns an image whose quarters are, from the top left, red, green, blue and white.
func quarters(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}} {
		at := image.Pt(i%2*w/2, i/2*h/2)
		draw.Draw(m, image.Rectangle{Min: at, Max: image.Pt(w, h)}, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return m
}

// seen returns the first letters of the colours of the quarters, as in quarters.
func seen(m image.Image) string {
	b := m.Bounds()
	var out strings.Builder
	for _, at := range []image.Point{{1, 1}, {3, 1}, {1, 3}, {3, 3}} {
		r, g, bl, _ := m.At(b.Min.X+b.Dx()*at.X/4, b.Min.Y+b.Dy()*at.Y/4).RGBA()
		switch high := func(v uint32) bool { return v > 0x8000 }; {
		case high(r) && high(g) && high(bl):
			out.WriteByte('W')
		case high(r):
			out.WriteByte('R')
		case high(g):
			out.WriteByte('G')
		default:
			out.WriteByte('B')
		}
	}
	return out.String()
}

// uprightQuarters lists what is seen of quarters that have each EXIF orientation, from 1, when they
// are shown upright (EXIF 2.3, 4.6.4 A; Pillow's ImageOps.exif_transpose).
var uprightQuarters = []string{"RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"}

// exif returns an EXIF block with an orientation, after another entry.
func exif(order binary.AppendByteOrder, orientation int) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint16(order.AppendUint32(b, 8), 2)
	entry := func(tag, kind uint16) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), 1)
	}
	entry(0x0100, 4) // width, of another picture
	b = order.AppendUint32(b, 4711)
	entry(0x0112, 3)
	b = order.AppendUint16(order.AppendUint16(b, uint16(orientation)), 0)
	return order.AppendUint32(b, 0)
}

func pngChunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	return binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
}

// oriented returns a picture of quarters in each format, with an orientation.
func oriented(t *testing.T, w, h, orientation int) map[string][]byte {
	t.Helper()
	little, big := exif(binary.LittleEndian, orientation), exif(binary.BigEndian, orientation)
	p, j := asPNG(t, quarters(w, h)), asJPEG(t, quarters(w, h))
	app1 := append([]byte("Exif\x00\x00"), big...)
	app1 = append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(app1)+2)), app1...)
	files := map[string][]byte{
		PNG:               slices.Concat(p[:33], pngChunk("eXIf", little), p[33:]),
		"PNG, at its end": slices.Concat(p[:len(p)-12], pngChunk("eXIf", big), p[len(p)-12:]),
		JPEG:              slices.Concat(j[:2], app1, j[2:]),
	}
	if w == 6 && h == 4 {
		files[WebP] = orientedWebP(t, little)
	}
	return files
}

// orientedWebP returns quarters of 6×4 pixels.
func orientedWebP(t *testing.T, exif []byte) []byte {
	t.Helper()
	plain, err := base64.StdEncoding.DecodeString("UklGRjIAAABXRUJQVlA4TCYAAAAvBcAAAB8gEEjeHzqN+RcQFPwf3fxHZA9ASEAk2U8rzYzof0TsAg==")
	require.NoError(t, err)
	chunk := func(kind string, data []byte) []byte {
		b := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))), data...)
		return append(b, make([]byte, len(data)%2)...)
	}
	features := chunk("VP8X", []byte{1 << 3, 0, 0, 0, 5, 0, 0, 3, 0, 0})
	odd := chunk("ICCP", []byte("odd"))
	return chunk("RIFF", slices.Concat([]byte("WEBP"), features, odd, plain[12:], chunk("EXIF", exif)))
}

func TestPhotosAreUprightEverywhere(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{6, 4}, {60, 40}, {61, 41}, {1800, 300}} {
		for n, want := range uprightQuarters {
			if size.X == 1800 && n != 5 { // takes long
				continue
			}
			w, h := size.X, size.Y
			if n >= 4 {
				w, h = h, w
			}
			for kind, data := range oriented(t, size.X, size.Y, n+1) {
				name := kind + ", " + fmt.Sprint(size, " ", n+1)
				if _, gotW, gotH, err := Sniff(data); err != nil || gotW != w || gotH != h {
					t.Errorf("%s: Sniff says %d×%d (%v), want %d×%d", name, gotW, gotH, err, w, h)
				}
				whole, err := Decode(data)
				if err != nil || whole.Bounds() != image.Rect(0, 0, w, h) || seen(whole) != want {
					t.Fatalf("%s: Decode shows %v (%v), want %s", name, whole, err, want)
				}
				thumb, err := Thumb(data, 20)
				if err != nil || seen(thumb) != want || thumb.Rect.Dx() > thumb.Rect.Dy() != (w > h) {
					t.Errorf("%s: Thumb shows %s of %v (%v), want %s", name, seen(thumb), thumb.Rect, err, want)
				}
				out, mime, gotW, gotH, err := Preview(data, "", 1568, 500_000)
				if _, sniffedW, sniffedH, _ := Sniff(out); err != nil || sniffedW != gotW || sniffedH != gotH {
					t.Errorf("%s: Preview returns %s of %d×%d, but says %d×%d (%v)", name, mime, sniffedW, sniffedH, gotW, gotH, err)
				}
				if turned, err := Decode(out); err != nil || seen(turned) != want || !isUpright(out, mime) {
					t.Errorf("%s: Preview shows %s (%v), want %s in pixels", name, seen(turned), err, want)
				}
				if size.X == 6 { // JPEG's colours are too coarse
					continue
				}
				part, err := Crop(data, image.Rect(w/2, 0, w, h/2)) // the quarter at the top right
				require.NoError(t, err)
				if m, err := Decode(part); err != nil || seen(m) != strings.Repeat(want[1:2], 4) {
					t.Errorf("%s: Crop shows %s (%v), want %c", name, seen(m), err, want[1])
				}
			}
		}
	}
}

func TestADamagedPictureIsNotPassedOn(t *testing.T) {
	t.Parallel()
	p, j := asPNG(t, noise(300, 200)), asJPEG(t, noise(300, 200))
	wrong := func(data []byte, at int) []byte {
		data = bytes.Clone(data)
		clear(data[at : at+60])
		return data
	}
	badSum := bytes.Clone(p)
	badSum[len(badSum)-1]++
	for name, data := range map[string][]byte{
		"half a PNG": p[:len(p)/2], "PNG with wrong bytes": wrong(p, 200), "PNG with a wrong checksum": badSum, "PNG without its end": p[:len(p)-12],
		"head of a PNG": p[:40], "half a JPEG": j[:len(j)/2], "head of a JPEG": j[:300], "start of a JPEG": j[:4], "JPEG without its end": j[:len(j)-2],
		"JPEG with wrong bytes": wrong(j, 200), "a bomb": bomb(9000, 9000), "a bomb that is small": bomb(900, 900),
	} {
		for _, edge := range []int{0, 100, 1568} {
			if out, mime, w, h, err := Preview(data, PNG, edge, 0); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %d bytes of %s, %d×%d, error %v", name, len(out), mime, w, h, err)
			}
		}
	}
	if out, mime, _, _, err := Preview(p, JPEG, 1568, 0); err != nil || mime != PNG || !bytes.Equal(out, p) {
		t.Errorf("a PNG named JPEG: %s (%v)", mime, err)
	}
}
