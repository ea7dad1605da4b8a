package prompts

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
	"unicode/utf16"

	"easel/internal/require"
)

func plainPNG(t testing.TB) []byte {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, 8, 6))
	im.Set(3, 3, color.NRGBA{200, 10, 10, 255})
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, im))
	return b.Bytes()
}

func chunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	return binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
}

// with returns a PNG with chunks after the header.
func with(t testing.TB, chunks ...[]byte) []byte {
	t.Helper()
	p := plainPNG(t)
	out := bytes.Clone(p[:33])
	for _, c := range chunks {
		out = append(out, c...)
	}
	return append(out, p[33:]...)
}

func textChunk(keyword, text string) []byte { return chunk("tEXt", []byte(keyword+"\x00"+text)) }

func deflate(t testing.TB, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.Bytes()
}

// exifBlock returns a TIFF with UserComment in the Exif directory.
func exifBlock(order binary.AppendByteOrder, comment []byte) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	entry := func(tag, kind uint16, count, value uint32) {
		b = order.AppendUint16(order.AppendUint16(b, tag), kind)
		b = order.AppendUint32(order.AppendUint32(b, count), value)
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	entry(exifPointer, 4, 1, 26)
	b = order.AppendUint32(b, 0)
	b = order.AppendUint16(b, 1)
	entry(exifComment, 7, uint32(len(comment)), 44)
	b = order.AppendUint32(b, 0)
	return append(b, comment...)
}

// unicodeComment returns sd as a UserComment.
func unicodeComment(order binary.AppendByteOrder) []byte {
	b := []byte("UNICODE\x00")
	for _, u := range utf16.Encode([]rune(sd)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

func jpegWith(t testing.TB, marker byte, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)), nil))
	out := []byte{0xff, 0xd8, 0xff, marker}
	out = binary.BigEndian.AppendUint16(out, uint16(len(data)+2))
	return append(append(out, data...), b.Bytes()[2:]...)
}

func webpWith(exif []byte) []byte {
	body := []byte("WEBPVP8L\x0e\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	body = append(body, "EXIF"...)
	body = binary.LittleEndian.AppendUint32(body, uint32(len(exif)))
	body = append(body, exif...)
	if len(exif)%2 == 1 {
		body = append(body, 0)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func read(t testing.TB, data []byte) Info {
	t.Helper()
	info, err := Read(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return info
}
