// Package picture reads and scales images in pure Go. It detects their type and size, and
// makes previews for models and thumbnails.
//
// Images may be hostile. Every function reads the header first, and refuses an image that
// would take more memory than [MaxDecoded] before it decodes pixels.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use. Decoding and
// scaling the largest images takes seconds; callers must limit how many run at a time.
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
	"io"

	"easel/ui/core/picture/upright"
	"easel/ui/core/picture/webp"
)

// The MIME types that Sniff detects.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	SVG  = "image/svg+xml"
)

const (
	// MaxPixels is the maximum number of pixels of an image.
	MaxPixels = 100_000_000
	// MaxEdge is the maximum width and height in pixels, which is that of JPEG.
	MaxEdge = 65_535
	// MaxDecoded is the maximum size, in bytes, of a decoded image.
	MaxDecoded = 320 << 20
)

// Errors of this package. They are wrapped; use errors.Is.
var (
	ErrFormat   = errors.New("not an image of a known kind")
	ErrDamaged  = errors.New("damaged image")
	ErrTooLarge = errors.New("image too large")
	ErrNoRaster = errors.New("image has no pixels")
)

// Sniff returns an image's MIME type and its size in pixels, which is that of the upright
// image. It reads headers, never pixels. The size of an SVG is its width and height, or else
// that of its viewBox, or 0 if it has neither. With ErrTooLarge and ErrDamaged, Sniff still
// returns the type, and the size if it is known.
func Sniff(data []byte) (mime string, w, h int, err error) {
	return SniffFile(data, bytes.NewReader(data))
}

// SniffFile is Sniff for a file of which only the first bytes, head, are in memory. The
// orientation may be at its end.
func SniffFile(head []byte, file io.ReadSeeker) (mime string, w, h int, err error) {
	data := head
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
	w, h = upright.Of(file, mime).Size(c.Width, c.Height)
	return mime, w, h, check(c, mime, len(data))
}

// kind returns an image's MIME type according to its first bytes, or "" if it is unknown.
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
		c, err = webp.DecodeConfig(data)
	default:
		return c, ErrFormat
	}
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return c, nil
}

// check refuses images that are too large to decode, and those whose data is too short to
// be complete.
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

// leastBytes returns the minimum size of the data for an image of w by h pixels, however
// plain it is. With less data, the header is false, and the decoder would allocate memory
// for pixels that do not exist.
func leastBytes(w, h int64, mime string) int64 {
	const small = 1 << 20 // smaller images are not checked
	switch mime {
	case PNG: // deflate compresses at most 1032:1; a pixel has at least one bit
		return ((w+7)/8*h - small) / 1032
	case GIF: // one code stands for at most 4096 pixels
		return (w*h - small) / 4096
	case JPEG: // a block of 8×8 pixels takes at least one bit
		return (w*h - small) / (64 * 8)
	default: // WebP has no limit; this one keeps small files from allocating over 64 MB
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

// Decode decodes an image and turns it upright. Of an animation, it returns the first frame
// on the whole canvas. The error is ErrFormat, ErrDamaged, ErrTooLarge, or, for SVG,
// ErrNoRaster.
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
	im, err := decode(data, mime, c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return im, nil
}

// decode decodes an image whose header has been checked.
func decode(data []byte, mime string, c image.Config) (im image.Image, err error) {
	r := bytes.NewReader(data)
	switch mime {
	case PNG:
		im, err = png.Decode(r)
	case JPEG:
		im, err = jpeg.Decode(r)
	case GIF:
		im, err = gif.Decode(r)
	case WebP:
		im, err = webp.Decode(data)
	}
	if err != nil {
		return nil, err
	}
	return upright.Of(bytes.NewReader(data), mime).Turn(onCanvas(im, c.Width, c.Height)), nil
}

// onCanvas places a frame that covers only a part of its canvas, as an animation's may, on a
// transparent canvas of w by h pixels.
func onCanvas(im image.Image, w, h int) image.Image {
	canvas := image.Rect(0, 0, w, h)
	if im.Bounds() == canvas {
		return im
	}
	out := image.NewRGBA(canvas)
	copyInto(out, im)
	return out
}
