package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"sync"

	"golang.org/x/image/draw"

	"easel/ui/core/picture/upright"
)

// Preview returns a version of an image that models accept: PNG or JPEG, with a long edge
// of at most maxEdge pixels and at most maxBytes bytes (0: no limit). A PNG or JPEG that
// fits and is upright is returned unchanged. It is decoded nevertheless, because one picture
// that models cannot read makes every later request of a conversation fail. Any other image
// is turned upright, scaled down, never up, and encoded as PNG.
// If that does not fit, or if it was a JPEG, it is encoded as JPEG on white, with
// decreasing quality and then size. The second argument is the declared type, which is
// ignored. The error is one of Decode's.
func Preview(data []byte, _ string, maxEdge, maxBytes int) (out []byte, outMIME string, w, h int, err error) {
	mime, w, h, err := Sniff(data)
	if err != nil {
		return nil, "", 0, 0, err
	}
	im, err := Decode(data)
	if err != nil {
		return nil, "", 0, 0, err
	}
	if (mime == PNG || mime == JPEG) && fits(max(w, h), maxEdge) && fits(len(data), maxBytes) && isUpright(data, mime) {
		return data, mime, w, h, nil
	}
	if drawn := drawnFrame(data); drawn != nil {
		im = drawn
	}
	if maxEdge <= 0 {
		maxEdge = max(w, h)
	}
	scaled := shrink(im, maxEdge, draw.CatmullRom)
	// BestSpeed makes plots 10% larger in half the time.
	for _, level := range []png.CompressionLevel{png.BestSpeed, png.DefaultCompression} {
		if mime == JPEG {
			break
		}
		if out, err = encodePNG(scaled, level); err != nil {
			return nil, "", 0, 0, err
		}
		if fits(len(out), maxBytes) {
			return out, PNG, scaled.Rect.Dx(), scaled.Rect.Dy(), nil
		}
		if len(out) > 2*maxBytes {
			break // DefaultCompression does not halve the size
		}
	}
	return squeeze(scaled, maxBytes)
}

// isUpright reports whether nothing has to turn the image when it is shown.
func isUpright(data []byte, mime string) bool {
	return upright.Of(bytes.NewReader(data), mime) == upright.Normal
}

// fits reports whether n is within a limit. 0 means no limit.
func fits(n, limit int) bool { return limit <= 0 || n <= limit }

// smallest is the long edge, in pixels, at which squeeze stops scaling down.
const smallest = 16

// squeeze encodes an image as a JPEG of at most maxBytes bytes, or returns ErrTooLarge.
func squeeze(im *image.RGBA, maxBytes int) ([]byte, string, int, int, error) {
	flat := onWhite(im)
	for {
		w, h := flat.Rect.Dx(), flat.Rect.Dy()
		for _, quality := range []int{90, 75, 60} {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, flat, &jpeg.Options{Quality: quality}); err != nil {
				return nil, "", 0, 0, fmt.Errorf("encode: %w", err)
			}
			if fits(b.Len(), maxBytes) {
				return b.Bytes(), JPEG, w, h, nil
			}
		}
		if max(w, h) <= smallest {
			return nil, "", 0, 0, fmt.Errorf("%w for %d bytes", ErrTooLarge, maxBytes)
		}
		flat = shrink(flat, max(w, h)*3/4, draw.ApproxBiLinear)
	}
}

// Thumb decodes an image and scales it down, never up, so that its long edge is at most
// edge pixels. An animation is its [Poster]. The errors are
// those of [Decode].
func Thumb(data []byte, edge int) (*image.RGBA, error) {
	im, err := Poster(data)
	if err != nil {
		return nil, err
	}
	return Shrink(im, edge), nil
}

// Shrink scales an image down, never up, so that its long edge is at most edge
// pixels.
func Shrink(im image.Image, edge int) *image.RGBA {
	b := im.Bounds()
	w, h := within(b.Dx(), b.Dy(), edge)
	if w == b.Dx() && h == b.Dy() {
		return toRGBA(im)
	}
	return Area(im, w, h)
}

// EncodeThumb encodes a thumbnail as PNG, for speed rather than size.
func EncodeThumb(im image.Image) ([]byte, error) { return encodePNG(im, png.BestSpeed) }

// An encoderPool keeps the buffers of PNG encoders, which are a megabyte each.
type encoderPool struct{ sync.Pool }

// Get implements png.EncoderBufferPool.
func (p *encoderPool) Get() *png.EncoderBuffer {
	b, _ := p.Pool.Get().(*png.EncoderBuffer)
	return b // nil: the encoder makes one
}

// Put implements png.EncoderBufferPool.
func (p *encoderPool) Put(b *png.EncoderBuffer) { p.Pool.Put(b) }

var encoders encoderPool

func encodePNG(im image.Image, level png.CompressionLevel) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: level, BufferPool: &encoders}
	if err := e.Encode(&b, im); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b.Bytes(), nil
}

func shrink(im image.Image, edge int, by draw.Interpolator) *image.RGBA {
	src := im.Bounds()
	w, h := within(src.Dx(), src.Dy(), edge)
	if w == src.Dx() && h == src.Dy() {
		return toRGBA(im)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	by.Scale(out, out.Rect, im, src, draw.Src, nil)
	return out
}

// within scales w×h down to fit into a square of edge pixels. It keeps the aspect ratio
// and returns at least 1×1. If edge is 0, there is no limit.
func within(w, h, edge int) (int, int) {
	long := max(w, h)
	if long <= edge || edge <= 0 {
		return w, h
	}
	scale := func(n int) int { return max(1, (n*edge+long/2)/long) }
	return scale(w), scale(h)
}

func toRGBA(im image.Image) *image.RGBA {
	if r, ok := im.(*image.RGBA); ok && r.Rect.Min == (image.Point{}) {
		return r
	}
	b := im.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, im, b.Min, draw.Src)
	return out
}

func copyInto(dst *image.RGBA, im image.Image) {
	draw.Draw(dst, im.Bounds(), im, im.Bounds().Min, draw.Src)
}

func onWhite(im *image.RGBA) *image.RGBA {
	if im.Opaque() {
		return im
	}
	out := image.NewRGBA(im.Rect)
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, im, im.Rect.Min, draw.Over)
	return out
}
