package animation

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"time"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

const (
	pngHeaderBytes  = 13 // IHDR
	pngControlBytes = 26 // fcTL
)

// eachPNGChunk passes the chunks of a PNG to yield until that returns false. It reports
// whether the file ended before.
func eachPNGChunk(data []byte, yield func(name string, body []byte) bool) (cut bool) {
	at := len(pngMagic)
	for {
		if len(data)-at < 12 {
			return true
		}
		n := binary.BigEndian.Uint32(data[at:])
		if int64(n) > int64(len(data)-at-12) {
			return true
		}
		name, body := string(data[at+4:at+8]), data[at+8:at+8+int(n)]
		at += 12 + int(n)
		if !yield(name, body) {
			return false
		}
	}
}

// promisingPNG reports whether a PNG is marked as animated, or head is too short to tell.
// The mark precedes the pixels.
func promisingPNG(head []byte) (found bool) {
	cut := eachPNGChunk(head, func(name string, _ []byte) bool {
		found = found || name == "acTL"
		return !found && name != "IDAT"
	})
	return found || cut && !bytes.Contains(head, []byte("IDAT"))
}

// A pngScanner collects the frames of an animated PNG.
type pngScanner struct {
	header []byte // IHDR
	shared []byte // the complete chunks that apply to every frame
	most   int    // the number of frames that the file announces
	next   *frame // the frame whose data follows
	parts  [][]byte
	scan
	err error
}

// scanPNG finds the frames of a PNG. The still picture, for programs that cannot play, is
// the first frame or none of the frames.
func scanPNG(data []byte) (scan, error) {
	p := &pngScanner{}
	eachPNGChunk(data, p.chunk)
	if p.err == nil && p.header == nil {
		p.err = ErrDamaged
	}
	return p.scan, p.err
}

// chunk processes a chunk and reports whether to continue.
func (p *pngScanner) chunk(name string, body []byte) bool {
	switch {
	case p.header == nil:
		return p.begin(name, body)
	case name == "acTL" && len(body) == 8:
		p.most, p.plays = int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:]))
	case (name == "PLTE" || name == "tRNS") && len(p.frames) == 0:
		p.shared = appendChunk(p.shared, name, body)
	case name == "IDAT" && p.most == 0:
		return false // a still picture: acTL precedes the pixels
	case name == "IDAT" && p.next != nil:
		p.parts = append(p.parts, body)
	case name == "fdAT" && p.next != nil && len(body) >= 4:
		p.parts = append(p.parts, body[4:]) // without the sequence number
	case name == "fcTL":
		return p.end() && p.control(body)
	case name == "IEND":
		p.end()
		return false
	}
	return true
}

func (p *pngScanner) begin(name string, body []byte) bool {
	if name != "IHDR" || len(body) != pngHeaderBytes {
		p.err = ErrDamaged
		return false
	}
	p.header = body
	w, h := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if w > MaxPixels || h > MaxPixels {
		p.err = ErrTooLarge
		return false
	}
	p.size = image.Pt(int(w), int(h))
	return true
}

// control starts a frame.
func (p *pngScanner) control(body []byte) bool {
	if len(body) != pngControlBytes {
		p.err = ErrDamaged
		return false
	}
	field := func(i int) int64 { return int64(binary.BigEndian.Uint32(body[4*i:])) }
	w, h, x, y := field(1), field(2), field(3), field(4)
	if w == 0 || h == 0 || x+w > int64(p.size.X) || y+h > int64(p.size.Y) {
		p.err = fmt.Errorf("%w: a frame reaches beyond the picture", ErrDamaged)
		return false
	}
	f := &frame{at: image.Rect(int(x), int(y), int(x+w), int(y+h)), over: body[25] == 1}
	numerator, denominator := binary.BigEndian.Uint16(body[20:]), binary.BigEndian.Uint16(body[22:])
	if denominator == 0 {
		denominator = 100
	}
	f.delay = time.Duration(numerator) * time.Second / time.Duration(denominator)
	switch body[24] {
	case 1:
		f.dispose = erase
	case 2:
		f.dispose = restore
	}
	if len(p.frames) == 0 && f.dispose == restore {
		f.dispose = erase
	}
	p.next, p.parts = f, nil
	return true
}

// end completes the current frame, if any, and reports whether to continue.
func (p *pngScanner) end() bool {
	if p.next == nil {
		return true
	}
	f, parts := *p.next, p.parts
	p.next, p.parts = nil, nil
	if len(parts) == 0 {
		return true // without data, it is not a frame
	}
	f.decode = func() (image.Image, error) { return png.Decode(bytes.NewReader(p.alone(f.at.Size(), parts))) }
	return p.add(f) && len(p.frames) < p.most
}

// alone returns a PNG of one frame.
func (p *pngScanner) alone(size image.Point, parts [][]byte) []byte {
	header := bytes.Clone(p.header)
	binary.BigEndian.PutUint32(header, uint32(size.X))
	binary.BigEndian.PutUint32(header[4:], uint32(size.Y))
	out := appendChunk([]byte(pngMagic), "IHDR", header)
	out = append(out, p.shared...)
	for _, b := range parts {
		out = appendChunk(out, "IDAT", b)
	}
	return appendChunk(out, "IEND", nil)
}

// appendChunk appends a chunk with its length and checksum.
func appendChunk(out []byte, name string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	start := len(out)
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}
