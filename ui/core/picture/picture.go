// Package picture reads and scales images in pure Go: what an image is, a picture
// of it that a model can take, and a thumbnail.
//
// What it is given may be hostile: every function looks at the header first, and
// refuses what would cost more memory than [MaxDecoded] before it decodes a pixel.
//
// # Goroutines
//
// There is no state; every function may be called on any goroutine. Decoding and
// scaling take up to seconds for the largest images: the caller bounds how many
// run at once.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"
)

// The kinds of image that Sniff knows.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	SVG  = "image/svg+xml"
)

const (
	// MaxPixels is the most pixels an image may have.
	MaxPixels = 100_000_000
	// MaxEdge is the most pixels an edge may have: what JPEG can hold.
	MaxEdge = 65_535
	// MaxDecoded is the most memory, in bytes, that a decoded image may take.
	MaxDecoded = 320 << 20
)

// Errors of this package, for errors.Is.
var (
	ErrFormat   = errors.New("not an image of a known kind")
	ErrDamaged  = errors.New("damaged image")
	ErrTooLarge = errors.New("image too large")
	ErrNoRaster = errors.New("image has no pixels")
)

// Sniff tells an image's kind and size in pixels from its bytes alone. It reads
// headers, never pixels. The size of an SVG is what its width and height, or else
// its viewBox, say, and 0 if they say nothing. With ErrTooLarge and ErrDamaged the
// kind is still told, and the size as far as it is known.
func Sniff(data []byte) (mime string, w, h int, err error) {
	mime = kind(data)
	switch mime {
	case "":
		return "", 0, 0, ErrFormat
	case SVG:
		w, h = svgSize(data)
		return SVG, w, h, nil
	}
	c, err := config(data, mime)
	if err != nil {
		return mime, 0, 0, err
	}
	return mime, c.Width, c.Height, check(c, mime, len(data))
}

// kind tells an image's MIME type from its first bytes; empty if unknown.
func kind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return GIF
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return WebP
	case isSVG(data):
		return SVG
	default:
		return ""
	}
}

func config(data []byte, mime string) (c image.Config, err error) {
	r := bytes.NewReader(data)
	switch mime {
	case PNG:
		c, err = png.DecodeConfig(r)
	case JPEG:
		c, err = jpeg.DecodeConfig(r)
	case GIF:
		c, err = gif.DecodeConfig(r)
	case WebP:
		c, err = webp.DecodeConfig(r)
	default:
		return c, ErrFormat
	}
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return c, nil
}

// check refuses what decoding would cost too much, or cannot succeed.
func check(c image.Config, mime string, size int) error {
	w, h := int64(c.Width), int64(c.Height)
	if w <= 0 || h <= 0 {
		return fmt.Errorf("%w: %d×%d pixels", ErrDamaged, w, h)
	}
	if w > MaxEdge || h > MaxEdge || w*h > MaxPixels {
		return fmt.Errorf("%w: %d×%d pixels", ErrTooLarge, w, h)
	}
	decoded := w * h * bytesPerPixel(c.ColorModel)
	if decoded > MaxDecoded {
		return fmt.Errorf("%w: %d×%d pixels take %d MB", ErrTooLarge, w, h, decoded>>20)
	}
	if least := leastBytes(w, h, mime); int64(size) < least {
		return fmt.Errorf("%w: %d bytes cannot hold %d×%d pixels", ErrDamaged, size, w, h)
	}
	return nil
}

// leastBytes is what so many pixels take at least, however plain they are. A header
// that promises more lies, and the decoder would allocate for pixels that never come.
func leastBytes(w, h int64, mime string) int64 {
	const small = 1 << 20 // pixels that may cost what they like
	switch mime {
	case PNG: // deflate shrinks at most 1032 times; a pixel has one bit or more
		return ((w+7)/8*h - small) / 1032
	case GIF: // a code of at most 12 bits stands for at most 4096 pixels
		return (w*h - small) / 4096
	case JPEG: // a block of 8×8 pixels takes a bit or more
		return (w*h - small) / (64 * 8)
	default: // WebP has no bound: then at least not more than 64 MB for nothing
		return (w*h - 16*small) / 2000
	}
}

func bytesPerPixel(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}

// Decode decodes an image; of an animated one, the first frame on the whole canvas.
// The errors are ErrFormat, ErrDamaged, ErrTooLarge, and ErrNoRaster for SVG.
func Decode(data []byte) (image.Image, error) {
	mime := kind(data)
	switch mime {
	case "":
		return nil, ErrFormat
	case SVG:
		return nil, fmt.Errorf("%w: SVG", ErrNoRaster)
	}
	c, err := config(data, mime)
	if err != nil {
		return nil, err
	}
	if err := check(c, mime, len(data)); err != nil {
		return nil, err
	}
	var (
		im image.Image
		r  = bytes.NewReader(data)
	)
	switch mime {
	case PNG:
		im, err = png.Decode(r)
	case JPEG:
		im, err = jpeg.Decode(r)
	case GIF:
		im, err = gif.Decode(r)
	case WebP:
		im, err = webp.Decode(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return onCanvas(im, c.Width, c.Height), nil
}

// onCanvas puts a frame that covers only a part of its canvas, as a GIF's may, in
// its place.
func onCanvas(im image.Image, w, h int) image.Image {
	canvas := image.Rect(0, 0, w, h)
	if im.Bounds() == canvas {
		return im
	}
	out := image.NewRGBA(canvas)
	copyInto(out, im)
	return out
}
