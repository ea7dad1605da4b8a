package prompts

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
)

// Keyword is the keyword of the text chunk that Easel embeds.
const Keyword = "Easel"

// readable is how long a text is at most that stands in the file as it is, for
// programs that know no compressed texts.
const readable = 64 << 10

// Embed gives a PNG with p in a text chunk, and the title as its Description where
// it has none. The picture is not touched: all other chunks are as they were, but
// for an earlier Easel chunk, which is replaced. The error is ErrFormat if data is
// no whole PNG.
func Embed(data []byte, p Provenance) ([]byte, error) {
	p.Version = 1
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	chunks, err := pngChunks(data)
	if err != nil {
		return nil, err
	}
	described := p.Title == ""
	for _, c := range chunks {
		described = described || c.text("Description")
	}
	var out bytes.Buffer
	out.Grow(len(data) + len(text) + 256)
	out.WriteString(pngSignature)
	for i, c := range chunks {
		if c.text(Keyword) {
			continue
		}
		out.Write(c.whole)
		if i > 0 {
			continue
		}
		writeText(&out, Keyword, string(text))
		if !described {
			writeText(&out, "Description", p.Title)
		}
	}
	return out.Bytes(), nil
}

// A pngChunk is a chunk with its length, kind and checksum.
type pngChunk struct {
	kind  string
	whole []byte
}

// text tells whether a chunk is a text with this keyword.
func (c pngChunk) text(keyword string) bool {
	switch c.kind {
	case "tEXt", "zTXt", "iTXt":
		return bytes.HasPrefix(c.whole[8:], append([]byte(keyword), 0))
	default:
		return false
	}
}

// pngChunks cuts a PNG into its chunks. What stands behind the last is left out.
func pngChunks(data []byte) (chunks []pngChunk, err error) {
	rest, ok := bytes.CutPrefix(data, []byte(pngSignature))
	if !ok {
		return nil, ErrFormat
	}
	for len(rest) >= 12 {
		n := int64(binary.BigEndian.Uint32(rest)) + 12
		if n > int64(len(rest)) {
			break
		}
		c := pngChunk{string(rest[4:8]), rest[:n]}
		chunks = append(chunks, c)
		rest = rest[n:]
		if c.kind == "IEND" && chunks[0].kind == "IHDR" {
			return chunks, nil
		}
	}
	return nil, fmt.Errorf("%w: it has no end", ErrFormat)
}

// writeText writes an iTXt chunk.
func writeText(out *bytes.Buffer, keyword, text string) {
	body := append([]byte("iTXt"+keyword), 0)
	text = strings.ReplaceAll(text, "\x00", " ")
	if len(text) > readable {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		_, _ = w.Write([]byte(text)) // to memory
		_ = w.Close()
		body = append(body, 1, 0, 0, 0)
		body = append(body, z.Bytes()...)
	} else {
		body = append(body, 0, 0, 0, 0)
		body = append(body, text...)
	}
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(body)-4))
	out.Write(head[:])
	out.Write(body)
	binary.BigEndian.PutUint32(head[:], crc32.ChecksumIEEE(body))
	out.Write(head[:])
}
