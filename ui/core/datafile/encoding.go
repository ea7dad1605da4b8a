package datafile

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	xunicode "golang.org/x/text/encoding/unicode"
)

// Decode detects the encoding of a text, and returns the text in UTF-8 without a byte order
// mark, and the encoding's name. ok is false if data is not text. It recognizes Japanese
// encodings by their result, because a wrong encoding yields unusual characters.
func Decode(data []byte) (text, name string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		if rest := data[3:]; utf8.Valid(rest) {
			return string(rest), "utf-8", true
		}
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return utf16(data, xunicode.UseBOM, data[0] == 0xff)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		if little, looks := looksUTF16(data); looks {
			return utf16(data, xunicode.IgnoreBOM, little)
		}
		return "", "", false
	}
	if utf8.Valid(data) && !bytes.Contains(data, []byte("\x1b$")) {
		return string(data), "utf-8", printable(string(data))
	}
	best := -1
	for _, c := range []struct {
		name string
		enc  encoding.Encoding
	}{{"iso-2022-jp", japanese.ISO2022JP}, {"shift_jis", japanese.ShiftJIS}, {"euc-jp", japanese.EUCJP}} {
		if c.name == "iso-2022-jp" && bytes.IndexByte(data, 0x1b) < 0 {
			continue
		}
		s, err := c.enc.NewDecoder().Bytes(data)
		if err != nil || bytes.ContainsRune(s, utf8.RuneError) {
			continue
		}
		if score := japaneseness(string(s)); score > best {
			best, text, name = score, string(s), c.name
		}
	}
	if best > 0 {
		return text, name, printable(text)
	}
	s, err := charmap.Windows1252.NewDecoder().Bytes(data)
	if err != nil || !printable(string(s)) || !western(data) {
		return "", "", false
	}
	return string(s), "windows-1252", true
}

func utf16(data []byte, bom xunicode.BOMPolicy, little bool) (text, name string, ok bool) {
	endian, name := xunicode.BigEndian, "utf-16be"
	if little {
		endian, name = xunicode.LittleEndian, "utf-16le"
	}
	s, err := xunicode.UTF16(endian, bom).NewDecoder().Bytes(data)
	return string(s), name, err == nil && printable(string(s))
}

// looksUTF16 reports whether the first 4 KiB of data have zeros in the places where mostly
// Latin text in UTF-16 has them, and whether that is little-endian.
func looksUTF16(data []byte) (little, ok bool) {
	data = data[:min(len(data), 4096)&^1]
	if len(data) == 0 {
		return false, false
	}
	var even, odd int
	for i, b := range data {
		switch {
		case b != 0:
		case i%2 == 0:
			even++
		default:
			odd++
		}
	}
	pairs := len(data) / 2
	switch {
	case odd*10 > pairs*4 && even*20 < pairs:
		return true, true
	case even*10 > pairs*4 && odd*20 < pairs:
		return false, true
	}
	return false, false
}

// japaneseness scores how likely a text is Japanese. It adds points for the characters of
// Japanese text, and subtracts points for signs of a wrong encoding, such as half-width
// katakana and private-use characters.
func japaneseness(s string) int {
	score := 0
	for _, r := range s {
		switch {
		case r >= 0x3041 && r <= 0x30ff: // kana
			score += 3
		case r >= 0x3000 && r <= 0x303f, r >= 0xff01 && r <= 0xff5e: // punctuation, full-width Latin
			score += 2
		case unicode.Is(unicode.Han, r):
			score++
		case r >= 0xff61 && r <= 0xff9f:
			score--
		case unicode.Is(unicode.Co, r), r >= 0x80 && r <= 0x9f:
			score -= 5
		}
	}
	return score
}

// western reports whether at most a third of the bytes are not ASCII, as in Western European
// text. This test is needed because almost any bytes are valid Windows-1252.
func western(data []byte) bool {
	high := 0
	for _, b := range data {
		if b >= 0x80 {
			high++
		}
	}
	return high*3 <= len(data)
}

// printable reports whether s has no control characters that do not occur in text.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\v' && r != '\b' && r != 0x1b
	})
}
