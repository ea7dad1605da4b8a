package prompts

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// EXIF tags that contain texts.
const (
	exifDescription = 0x010e
	exifMake        = 0x010f // ComfyUI writes "workflow:{…}" here
	exifModel       = 0x0110 // and "prompt:{…}" here
	exifSoftware    = 0x0131
	exifPointer     = 0x8769 // to the directory with UserComment
	exifComment     = 0x9286
	exifXPComment   = 0x9c9c // Windows: UTF-16
)

// maxEntries is the maximum number of entries that are read from a directory.
const maxEntries = 512

// exif reads the texts in an EXIF block, which is a TIFF without a picture.
func (c *carrier) exif(b []byte) {
	if len(b) < 8 {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(b[:4]) {
	case "II*\x00":
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return
	}
	t := tiff{b, order}
	below := uint32(0)
	t.directory(order.Uint32(b[4:]), func(tag uint16, value []byte) {
		if tag == exifPointer && len(value) >= 4 {
			below = order.Uint32(value)
			return
		}
		c.exifText(tag, value, order)
	})
	if below != 0 {
		t.directory(below, func(tag uint16, value []byte) { c.exifText(tag, value, order) })
	}
}

func (c *carrier) exifText(tag uint16, value []byte, order binary.ByteOrder) {
	plain := func() string { return latin1(bytes.TrimRight(value, "\x00 ")) }
	switch tag {
	case exifComment:
		c.put("UserComment", userComment(value, order))
	case exifXPComment:
		c.put("XPComment", strings.TrimRight(wide(value, binary.LittleEndian), "\x00"))
	case exifDescription:
		c.put("ImageDescription", plain())
	case exifSoftware:
		c.put("Software", plain())
	case exifMake, exifModel:
		if key, text, ok := strings.Cut(plain(), ":"); ok {
			if key = strings.ToLower(strings.TrimSpace(key)); key == "prompt" || key == "workflow" {
				c.put(key, text)
			}
		}
	}
}

// A tiff is a TIFF file and its byte order.
type tiff struct {
	b     []byte
	order binary.ByteOrder
}

// sizes contains the size of a value in bytes by type, and 0 for unknown types.
var sizes = [...]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8}

// directory calls f for each entry of the directory at an offset.
func (t tiff) directory(at uint32, f func(tag uint16, value []byte)) {
	rest, ok := t.from(uint64(at), 2)
	if !ok {
		return
	}
	n := int(t.order.Uint16(rest))
	rest = rest[2:]
	for range min(n, maxEntries) {
		if len(rest) < 12 {
			return
		}
		tag, kind, count := t.order.Uint16(rest), t.order.Uint16(rest[2:]), t.order.Uint32(rest[4:])
		if int(kind) < len(sizes) {
			length := sizes[kind] * uint64(count)
			if length <= 4 {
				f(tag, rest[8:8+length])
			} else if value, ok := t.from(uint64(t.order.Uint32(rest[8:])), length); ok {
				f(tag, value[:length])
			}
		}
		rest = rest[12:]
	}
}

// from returns the data from an offset on. It returns false if that is less than n bytes.
func (t tiff) from(at, n uint64) ([]byte, bool) {
	size := uint64(len(t.b))
	if at > size || n > size-at {
		return nil, false
	}
	return t.b[at:], true
}

// userComment decodes a text that is preceded by the name of its character set in eight
// bytes.
func userComment(b []byte, order binary.ByteOrder) string {
	if len(b) < 8 {
		return ""
	}
	set, text := string(b[:8]), b[8:]
	if strings.HasPrefix(set, "UNICODE") {
		// Some programs use the file's byte order, others always big-endian. The right one
		// yields more ASCII characters.
		s, other := wide(text, order), wide(text, binary.BigEndian)
		if order == binary.BigEndian {
			other = wide(text, binary.LittleEndian)
		}
		if usual(other) > usual(s) {
			s = other
		}
		return strings.TrimRight(s, "\x00 ")
	}
	return latin1(bytes.TrimRight(text, "\x00 "))
}

func wide(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}

// usual returns the number of printable ASCII characters.
func usual(s string) (n int) {
	for i := range len(s) {
		if s[i] >= ' ' && s[i] < 0x7f {
			n++
		}
	}
	return n
}
