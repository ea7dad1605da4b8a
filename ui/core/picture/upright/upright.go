// Package upright turns pictures as their EXIF orientation says. A camera stores what its
// sensor saw, and how it was held; browsers turn the picture when they show it.
//
// # Goroutines
//
// There is no state; every function may be called on any goroutine.
package upright

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"io"

	"github.com/bep/imagemeta"
)

// An Orientation is how a picture has to be turned, as EXIF numbers it. Every other value
// than those below means that it is upright.
type Orientation uint8

// The orientations, by what makes the picture upright.
const (
	Normal     Orientation = iota + 1
	Mirror                 // left becomes right
	Half                   // turn by 180°
	Flip                   // top becomes bottom
	Transpose              // mirror at the diagonal from the top left
	Right                  // turn by 90° clockwise
	Transverse             // mirror at the diagonal from the top right
	Left                   // turn by 90° counterclockwise
)

// formats are the types of files that can have an orientation.
var formats = map[string]imagemeta.ImageFormat{
	"image/jpeg": imagemeta.JPEG, "image/png": imagemeta.PNG, "image/webp": imagemeta.WebP, "image/tiff": imagemeta.TIFF,
}

// Limits of what is read of a file, which may be hostile.
const (
	mostTags = 500
	mostTag  = 1_000 // bytes
)

// Of returns the orientation of a file of this MIME type. A file that cannot be read, or says
// nothing, is upright.
func Of(file io.ReadSeeker, mime string) Orientation {
	format, ok := formats[mime]
	if !ok {
		return Normal
	}
	if format == imagemeta.WebP { // imagemeta does not find it after a chunk of odd length
		block := webpEXIF(file)
		if block == nil {
			return Normal
		}
		file, format = bytes.NewReader(block), imagemeta.TIFF
	}
	found := Normal
	_, _ = imagemeta.Decode(imagemeta.Options{ // what was found before an error counts
		R: file, ImageFormat: format, Sources: imagemeta.EXIF, LimitNumTags: mostTags, LimitTagSize: mostTag,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool { return t.Tag == "Orientation" && t.Namespace == "IFD0" },
		HandleTag: func(t imagemeta.TagInfo) error {
			if n, ok := t.Value.(uint16); ok && n >= uint16(Normal) && n <= uint16(Left) {
				found = Orientation(n)
			}
			return imagemeta.ErrStopWalking
		},
	})
	return found
}

// mostEXIF is the maximum size in bytes of the EXIF block of a WebP.
const mostEXIF = 1 << 20

// webpEXIF returns the EXIF block of a WebP, or nil.
func webpEXIF(file io.ReadSeeker) []byte {
	var head [12]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return nil
	}
	for {
		if _, err := io.ReadFull(file, head[:8]); err != nil {
			return nil
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		if string(head[:4]) != "EXIF" {
			if _, err := file.Seek(size+size%2, io.SeekCurrent); err != nil {
				return nil
			}
			continue
		}
		block, err := io.ReadAll(io.LimitReader(file, min(size, mostEXIF)))
		if err != nil {
			return nil
		}
		return bytes.TrimPrefix(block, []byte("Exif\x00\x00"))
	}
}

// sideways reports whether width and height change places.
func (o Orientation) sideways() bool { return o >= Transpose && o <= Left }

// Size returns the size of the upright picture.
func (o Orientation) Size(w, h int) (int, int) {
	if o.sideways() {
		return h, w
	}
	return w, h
}

// Turn returns the upright picture, whose bounds begin at 0, 0 if it was turned.
func (o Orientation) Turn(im image.Image) image.Image {
	if o <= Normal || o > Left {
		return im
	}
	b := im.Bounds()
	w, h := o.Size(b.Dx(), b.Dy())
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	row := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	x0, y0 := o.place(0, 0, b.Dx(), b.Dy())
	x1, y1 := o.place(1, 0, b.Dx(), b.Dy())
	step := (y1-y0)*out.Stride + 4*(x1-x0) // from a pixel to the one that was right of it
	for y := range b.Dy() {
		draw.Draw(row, row.Rect, im, b.Min.Add(image.Pt(0, y)), draw.Src)
		at := out.PixOffset(o.place(0, y, b.Dx(), b.Dy()))
		for x := range b.Dx() {
			copy(out.Pix[at:at+4], row.Pix[4*x:])
			at += step
		}
	}
	return out
}

// place returns where the pixel x, y of a picture of w by h pixels is in the upright one.
func (o Orientation) place(x, y, w, h int) (int, int) {
	switch o {
	case Mirror:
		return w - 1 - x, y
	case Half:
		return w - 1 - x, h - 1 - y
	case Flip:
		return x, h - 1 - y
	case Transpose:
		return y, x
	case Right:
		return h - 1 - y, x
	case Transverse:
		return h - 1 - y, w - 1 - x
	case Left:
		return y, w - 1 - x
	default:
		return x, y
	}
}
