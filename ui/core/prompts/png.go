package prompts

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// png reads the text chunks of a PNG. cut reports whether the file is truncated.
func (c *carrier) png() (cut bool, err error) {
	offset := int64(len(pngSignature))
	for range maxChunks {
		head, err := c.at(offset, 8)
		if err != nil || len(head) < 8 {
			return true, err
		}
		n, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		if kind == "IEND" {
			return false, nil
		}
		switch kind {
		case "tEXt", "zTXt", "iTXt", "eXIf":
			data, err := c.body(offset+8, n)
			if err != nil {
				return false, err
			}
			c.pngText(kind, data)
		}
		offset += 12 + n
	}
	return false, nil
}

func (c *carrier) pngText(kind string, data []byte) {
	if kind == "eXIf" {
		c.exif(data)
		return
	}
	word, rest, ok := bytes.Cut(data, []byte{0})
	if !ok || len(word) == 0 || len(word) > 79 {
		return
	}
	keyword := latin1(word)
	switch kind {
	case "tEXt":
		c.put(keyword, latin1(rest))
	case "zTXt":
		if len(rest) > 1 && rest[0] == 0 {
			c.put(keyword, latin1(c.inflate(rest[1:])))
		}
	case "iTXt":
		c.put(keyword, c.international(rest))
	}
}

// international decodes an iTXt chunk after its keyword: compression flag and method,
// language, translated keyword, text.
func (c *carrier) international(rest []byte) string {
	if len(rest) < 2 {
		return ""
	}
	compressed := rest[0] == 1
	_, rest, _ = bytes.Cut(rest[2:], []byte{0})
	_, text, ok := bytes.Cut(rest, []byte{0})
	if !ok {
		return ""
	}
	if compressed {
		text = c.inflate(text)
	}
	return string(text)
}

// inflate decompresses data. It returns nil if the result exceeds the budget.
func (c *carrier) inflate(data []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	defer z.Close() //nolint:errcheck // a reader of memory
	// Ignore errors, to return as much as possible of a truncated text.
	out, _ := io.ReadAll(io.LimitReader(z, int64(c.budget)+1))
	if len(out) > c.budget {
		c.budget = 0 // it is a bomb; do not read another
		return nil
	}
	return out
}

// latin1 decodes a text of PNG or EXIF. By the standards it is Latin-1, but many programs
// write UTF-8.
func latin1(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}
