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

// Turn returns the upright picture, whose bounds begin at 0, 0. The pixels of im may be reused.
func (o Orientation) Turn(im image.Image) image.Image {
	if o <= Normal || o > Left {
		return im
	}
	b := im.Bounds()
	w, h := o.Size(b.Dx(), b.Dy())
	to := image.Rect(0, 0, w, h)
	turned := func(pix []byte, stride, size int) ([]byte, int) {
		return o.plane(plane{pix, stride, b.Dx(), b.Dy(), size})
	}
	switch im := im.(type) {
	case *image.RGBA:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 4)
		return &image.RGBA{Pix: pix, Stride: stride, Rect: to}
	case *image.NRGBA:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 4)
		return &image.NRGBA{Pix: pix, Stride: stride, Rect: to}
	case *image.RGBA64:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 8)
		return &image.RGBA64{Pix: pix, Stride: stride, Rect: to}
	case *image.NRGBA64:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 8)
		return &image.NRGBA64{Pix: pix, Stride: stride, Rect: to}
	case *image.Gray:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 1)
		return &image.Gray{Pix: pix, Stride: stride, Rect: to}
	case *image.Gray16:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 2)
		return &image.Gray16{Pix: pix, Stride: stride, Rect: to}
	case *image.CMYK:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 4)
		return &image.CMYK{Pix: pix, Stride: stride, Rect: to}
	case *image.Paletted:
		pix, stride := turned(im.Pix[im.PixOffset(b.Min.X, b.Min.Y):], im.Stride, 1)
		return &image.Paletted{Pix: pix, Stride: stride, Rect: to, Palette: im.Palette}
	case *image.YCbCr:
		if m := o.turnYCbCr(im, to); m != nil {
			return m
		}
	}
	return o.turnAny(im, to)
}

// turnAny turns a picture of any type, pixel by pixel.
func (o Orientation) turnAny(im image.Image, to image.Rectangle) image.Image {
	b := im.Bounds()
	out := image.NewRGBA(to)
	for y := range b.Dy() {
		for x := range b.Dx() {
			tx, ty := o.place(x, y, b.Dx(), b.Dy())
			out.Set(tx, ty, im.At(b.Min.X+x, b.Min.Y+y))
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

// A plane is w by h pixels of size bytes each.
type plane struct {
	pix                []byte
	stride, w, h, size int
}

// plane returns the turned pixels and their stride.
func (o Orientation) plane(p plane) (pix []byte, stride int) {
	w, h := o.Size(p.w, p.h)
	stride = w * p.size
	pix = make([]byte, stride*h)
	x0, y0 := o.place(0, 0, p.w, p.h)
	x1, y1 := o.place(1, 0, p.w, p.h)
	step := (y1-y0)*stride + (x1-x0)*p.size // from a pixel to the one that was right of it
	for y := range p.h {
		x, ty := o.place(0, y, p.w, p.h)
		at := ty*stride + x*p.size
		line := p.pix[y*p.stride:]
		for x := range p.w {
			copy(pix[at:at+p.size], line[x*p.size:(x+1)*p.size])
			at += step
		}
	}
	return pix, stride
}

// sidewaysRatio maps the subsampling of a picture to that of the picture turned by 90°.
var sidewaysRatio = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
}

// turnYCbCr turns a picture without converting its colours, which would take up to three times
// the memory. It releases each plane of m after it has been turned. It returns nil if the
// chroma samples would not lie as Go requires.
func (o Orientation) turnYCbCr(m *image.YCbCr, to image.Rectangle) image.Image {
	ratio, ok := m.SubsampleRatio, true
	if o.sideways() {
		ratio, ok = sidewaysRatio[m.SubsampleRatio]
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	across, down := samples(m.SubsampleRatio)
	if !ok || m.Rect.Min != (image.Point{}) || w%across != 0 || h%down != 0 {
		return nil
	}
	out := &image.YCbCr{SubsampleRatio: ratio, Rect: to}
	out.Y, out.YStride = o.plane(plane{m.Y, m.YStride, w, h, 1})
	m.Y = nil
	out.Cb, out.CStride = o.plane(plane{m.Cb, m.CStride, w / across, h / down, 1})
	m.Cb = nil
	out.Cr, _ = o.plane(plane{m.Cr, m.CStride, w / across, h / down, 1})
	m.Cr = nil
	return out
}

// samples returns how many pixels share a chroma sample, across and down.
func samples(r image.YCbCrSubsampleRatio) (across, down int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	default:
		return 1, 1
	}
}
