package prompts

import (
	"bytes"
	"encoding/binary"
)

// webp reads the EXIF chunk of a WebP. cut reports whether the file is truncated.
func (c *carrier) webp() (cut bool, err error) {
	head, err := c.at(4, 4)
	if err != nil {
		return false, err
	}
	end := int64(binary.LittleEndian.Uint32(head)) + 8
	offset := int64(12)
	for range maxChunks {
		if offset >= min(end, c.size) {
			break
		}
		head, err := c.at(offset, 8)
		if err != nil {
			return false, err
		}
		if len(head) < 8 {
			break
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		if string(head[:4]) == "EXIF" {
			data, err := c.body(offset+8, n)
			if err != nil {
				return false, err
			}
			c.exif(bytes.TrimPrefix(data, []byte("Exif\x00\x00")))
		}
		offset += 8 + n + n&1
	}
	return end > c.size+1, nil // some programs omit the last byte of padding
}
