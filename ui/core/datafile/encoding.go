package datafile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	xunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// A DecodedText is a text and how it was encoded.
type DecodedText struct {
	Text     string // without a byte order mark
	Encoding string // as Python names it
	Guess    bool   // the encoding was recognised by what the text says in it, and may be another
	Or       string // the second guess; "" if nothing else is likely
	Errors   bool   // some bytes are not of the encoding, so that Python needs encoding_errors
	NULs     int    // NUL characters within the text that were left out
	CtrlZ    bool   // what follows a Ctrl-Z (the end of a file in DOS) was left out
	Padded   bool   // NUL characters at the end were left out
	Notes    []string
}

// Decode decodes a text. ok is false if data is not text.
func Decode(data []byte) (d DecodedText, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
		if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
			return DecodedText{Text: string(data), Encoding: "utf-8"}, true
		}
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		s, err := utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM).NewDecoder().Bytes(data)
		return DecodedText{Text: string(s), Encoding: "utf-32"}, err == nil && printable(string(s))
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		d, ok = utf16(data, xunicode.UseBOM, data[0] == 0xff)
		d.Encoding = "utf-16" // Python then leaves the mark out
		return d, ok
	}
	if nuls := bytes.Count(data, []byte{0}); nuls*4 > len(data) || nuls > 0 && !utf8.Valid(data) {
		if little, looks := looksUTF16(data); looks {
			return utf16(data, xunicode.IgnoreBOM, little)
		}
	}
	return withoutLeftovers(data)
}

// withoutLeftovers decodes a text in which programs left NULs, or the end of a file in DOS.
func withoutLeftovers(data []byte) (d DecodedText, ok bool) {
	rest := bytes.TrimRight(data, "\x00")
	padded := len(rest) < len(data)
	end := bytes.TrimRight(rest, "\x1a\r\n")
	if ctrlZ := bytes.IndexByte(rest[len(end):], '\x1a'); ctrlZ >= 0 {
		rest, d.CtrlZ = rest[:len(end)+ctrlZ], true
	}
	nuls := bytes.Count(rest, []byte{0})
	if nuls*4 > len(rest) || padded && len(rest) == 0 {
		return DecodedText{}, false
	}
	rest = bytes.ReplaceAll(rest, []byte{0}, nil)
	if (nuls > 0 || padded) && !utf8.Valid(rest) {
		return DecodedText{}, false // a text in an old encoding with NULs is rather no text
	}
	ctrlZ := d.CtrlZ
	if d, ok = eightBit(rest); !ok {
		return d, false
	}
	d.NULs, d.CtrlZ, d.Padded = nuls, ctrlZ, padded
	if nuls > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d NUL characters within the text were left out", nuls))
	}
	if padded {
		d.Notes = append(d.Notes, "NUL characters at the end of the file were left out")
	}
	if ctrlZ {
		d.Notes = append(d.Notes, "the Ctrl-Z at the end of the file (as DOS wrote it) was left out")
	}
	return d, true
}

// eightBit decodes a text without NULs.
func eightBit(data []byte) (DecodedText, bool) {
	if bytes.Contains(data, []byte("\x1b$")) {
		if s, err := japanese.ISO2022JP.NewDecoder().Bytes(data); err == nil && clean(string(s)) {
			return DecodedText{Text: string(s), Encoding: "iso2022_jp"}, true
		}
	}
	if utf8.Valid(data) {
		return DecodedText{Text: string(data), Encoding: "utf-8"}, printable(string(data))
	}
	if bad := badUTF8(data); bad > 0 {
		return DecodedText{
			Text: eachBad(data), Encoding: "utf-8", Errors: true,
			Notes: []string{fmt.Sprintf("%d characters are not UTF-8, the first at offset %d; each is shown as \ufffd", bad, firstBad(data))},
		}, printable(string(data))
	}
	d, ok := legacy(data)
	switch {
	case d.Guess && d.Or != "":
		d.Notes = append(d.Notes, fmt.Sprintf("the encoding %s is a guess; %s is possible, too. Check the text before you use it", d.Encoding, d.Or))
	case d.Guess:
		d.Notes = append(d.Notes, fmt.Sprintf("the encoding %s is a guess. Check the text before you use it", d.Encoding))
	}
	return d, ok
}

// eachBad returns text in which what is not UTF-8 is replaced, as Python replaces it: the beginning of a
// character once.
func eachBad(data []byte) string {
	var b strings.Builder
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			n = badLength(data[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// badLength returns the number of bytes at the beginning of data that are no character, but may begin one.
func badLength(data []byte) int {
	n := 1
	for n < len(data) && !utf8.FullRune(data[:n]) && !utf8.FullRune(data[:n+1]) {
		n++
	}
	return n
}

// badUTF8 returns the number of places that are not UTF-8 in a text that is UTF-8 otherwise, or
// 0 if it is something else.
func badUTF8(data []byte) int {
	const few = 10 // one in so many characters beyond ASCII
	bad, good := 0, 0
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
			n = badLength(data[i:])
		case n > 1:
			good++
		}
		i += n
	}
	if good < 2 || bad*few > good && (bad != 1 || good < 4) {
		return 0
	}
	return bad
}

func firstBad(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func utf16(data []byte, bom xunicode.BOMPolicy, little bool) (DecodedText, bool) {
	endian, name := xunicode.BigEndian, "utf-16-be"
	if little {
		endian, name = xunicode.LittleEndian, "utf-16-le"
	}
	s, err := xunicode.UTF16(endian, bom).NewDecoder().Bytes(data)
	return DecodedText{Text: string(s), Encoding: name}, err == nil && printable(string(s))
}

// looksUTF16 reports whether data is UTF-16 without a byte order mark, and whether it is
// little-endian: the ends of lines and ASCII characters have their zeros in the same places,
// and what is in between is text.
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
	little = odd > even
	if min(even, odd)*20 > max(even, odd) {
		return false, false
	}
	d, ok := utf16(data, xunicode.IgnoreBOM, little)
	return little, ok && clean(strings.TrimSuffix(d.Text, "\ufffd")) && max(even, odd)*40 > len(data)/2
}

// printable reports whether s has no control characters that do not occur in text.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\v' && r != '\b' && r != 0x1b
	})
}

// clean reports whether s is printable and has no character that is a sign of a wrong encoding.
func clean(s string) bool {
	return printable(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r == utf8.RuneError || r >= 0x7f && r <= 0x9f || r >= 0xe000 && r <= 0xf8ff
	})
}
