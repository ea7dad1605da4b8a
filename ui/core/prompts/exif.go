package prompts

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Tags of EXIF that carry texts.
const (
	exifDescription = 0x010e
	exifMake        = 0x010f // ComfyUI keeps "workflow:{…}" here
	exifModel       = 0x0110 // and "prompt:{…}" here
	exifSoftware    = 0x0131
	exifPointer     = 0x8769 // to the directory with UserComment
	exifComment     = 0x9286
	exifXPComment   = 0x9c9c // Windows: UTF-16
)

// maxEntries is how many entries of a directory are looked at.
const maxEntries = 512

// exif reads the texts of an EXIF block, which is a TIFF without a picture.
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

// A tiff is the bytes of a TIFF and their order.
type tiff struct {
	b     []byte
	order binary.ByteOrder
}

// sizes are bytes of a value, by its type; 0 for unknown types.
var sizes = [...]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8}

// directory calls f with the entries of the directory at an offset.
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

// from is what lies at an offset, if that is at least n bytes.
func (t tiff) from(at, n uint64) ([]byte, bool) {
	size := uint64(len(t.b))
	if at > size || n > size-at {
		return nil, false
	}
	return t.b[at:], true
}

// userComment reads a text behind the eight letters that tell its character set.
func userComment(b []byte, order binary.ByteOrder) string {
	if len(b) < 8 {
		return ""
	}
	set, text := string(b[:8]), b[8:]
	if strings.HasPrefix(set, "UNICODE") {
		// Some write the file's byte order, some always the big one: the right one has
		// more of the usual letters.
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

// usual counts the letters of ASCII.
func usual(s string) (n int) {
	for i := range len(s) {
		if s[i] >= ' ' && s[i] < 0x7f {
			n++
		}
	}
	return n
}
