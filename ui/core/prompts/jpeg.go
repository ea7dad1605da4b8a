package prompts

import (
	"bytes"
	"encoding/binary"
)

// Markers of a JPEG.
const (
	jpegSOS  = 0xda // start of scan, before the picture itself
	jpegEOI  = 0xd9
	jpegAPP1 = 0xe1
	jpegCOM  = 0xfe
)

// jpegTail is the number of bytes that are searched at a time for the end marker, from the
// end of the file backwards. Cameras append data after the marker.
const jpegTail = 64 << 10

// jpegLast is the number of bytes that are searched first: most files have the marker at their end.
const jpegLast = 1 << 10

// jpegSearched is the number of bytes after which the search stops, because a video may
// follow the picture.
const jpegSearched = 64 << 20

// jpeg reads the EXIF block and the comment of a JPEG. cut reports whether the file is
// truncated.
func (c *carrier) jpeg() (cut bool, err error) {
	offset := int64(2)
	for range maxChunks {
		head, err := c.at(offset, 4)
		if err != nil || len(head) < 4 {
			return true, err
		}
		if head[0] != 0xff {
			return true, nil
		}
		marker := head[1]
		switch {
		case marker == 0xff: // padding
			offset++
			continue
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8: // no length
			offset += 2
			continue
		case marker == jpegEOI:
			return true, nil // without a picture
		case marker == jpegSOS:
			return c.jpegEnds(offset)
		}
		n := int64(binary.BigEndian.Uint16(head[2:]))
		if n < 2 {
			return true, nil
		}
		if marker == jpegAPP1 || marker == jpegCOM {
			data, err := c.body(offset+4, n-2)
			if err != nil {
				return false, err
			}
			if block, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00")); ok {
				c.exif(block)
			} else if marker == jpegCOM {
				c.put("Comment", latin1(bytes.TrimRight(data, "\x00")))
			}
		}
		offset += 2 + n
	}
	return false, nil
}

// jpegEnds searches for the end marker, from the end of the file back to the offset of the
// scan. cut reports that there is none.
func (c *carrier) jpegEnds(scan int64) (cut bool, err error) {
	from, to := max(scan, c.size-jpegLast), c.size
	for c.size-from < jpegSearched {
		tail, err := c.at(from, to-from)
		if err != nil {
			return false, err
		}
		if bytes.Contains(tail, []byte{0xff, jpegEOI}) {
			return false, nil
		}
		if from == scan {
			return true, nil
		}
		from, to = max(scan, from-jpegTail+1), from+1
	}
	return false, nil
}
