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

// Keyword is the keyword of the text chunk in which Easel embeds a Provenance.
const Keyword = "Easel"

// readable is the size, in bytes, up to which a text is not compressed, for programs that
// cannot read compressed texts.
const readable = 64 << 10

// Embed returns a copy of a PNG with p in a text chunk, and the title as its Description if
// it has none. It replaces an earlier Easel chunk, and leaves all other chunks unchanged.
// The error is ErrFormat if data is not a complete PNG.
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

// A pngChunk is a chunk of a PNG.
type pngChunk struct {
	kind  string
	whole []byte // including length, kind and checksum
}

// text reports whether the chunk is a text with this keyword.
func (c pngChunk) text(keyword string) bool {
	switch c.kind {
	case "tEXt", "zTXt", "iTXt":
		return bytes.HasPrefix(c.whole[8:], append([]byte(keyword), 0))
	default:
		return false
	}
}

// pngChunks returns the chunks of a PNG up to IEND. It ignores data after that.
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
	return nil, fmt.Errorf("%w: it is incomplete", ErrFormat)
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
