package animation

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"time"
)

// The bytes that begin a GIF's blocks.
const (
	gifExtension = 0x21
	gifImage     = 0x2C
	gifTrailer   = 0x3B

	gifControl     = 0xF9 // label of the extension that applies to the next image
	gifApplication = 0xFF
)

const (
	gifScreenBytes     = 7 // the logical screen descriptor
	gifDescriptorBytes = 9 // an image's, after the byte that begins it
)

// A gifScanner reads the blocks of a GIF.
type gifScanner struct {
	data   []byte
	at     int
	global []byte // the header and the global colour table
	scan
	control []byte // of the next image; nil if there is none
}

// scanGIF finds the images of a GIF. Like browsers, it ignores everything after a damaged
// block.
func scanGIF(data []byte) (scan, error) {
	g := &gifScanner{data: data, at: 6}
	g.plays = 1
	screen, ok := g.take(gifScreenBytes)
	if !ok {
		return g.scan, ErrDamaged
	}
	g.size = image.Pt(int(binary.LittleEndian.Uint16(screen)), int(binary.LittleEndian.Uint16(screen[2:])))
	if _, ok := g.take(tableBytes(screen[4])); !ok {
		return g.scan, ErrDamaged
	}
	g.global = data[:g.at]
	for g.block() {
	}
	return g.scan, nil
}

func (g *gifScanner) take(n int) ([]byte, bool) {
	if n < 0 || len(g.data)-g.at < n {
		return nil, false
	}
	b := g.data[g.at : g.at+n]
	g.at += n
	return b, true
}

// tableBytes returns the size of the colour table that a descriptor's flags announce.
func tableBytes(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// block reads one block and reports whether another may follow.
func (g *gifScanner) block() bool {
	first, ok := g.take(1)
	if !ok {
		return false
	}
	switch first[0] {
	case gifExtension:
		return g.extension()
	case gifImage:
		return g.image()
	default: // the trailer, or damage
		return false
	}
}

// chain reads sub-blocks up to the empty one and returns the first.
func (g *gifScanner) chain() (first []byte, ok bool) {
	for n := 0; ; n++ {
		size, ok := g.take(1)
		if !ok {
			return nil, false
		}
		if size[0] == 0 {
			return first, true
		}
		b, ok := g.take(int(size[0]))
		if !ok {
			return nil, false
		}
		if n == 0 {
			first = b
		}
	}
}

func (g *gifScanner) extension() bool {
	label, ok := g.take(1)
	if !ok {
		return false
	}
	start := g.at
	first, ok := g.chain()
	if !ok {
		return false
	}
	switch {
	case label[0] == gifControl && len(first) == 4:
		g.control = first
	case label[0] == gifApplication && (string(first) == "NETSCAPE2.0" || string(first) == "ANIMEXTS1.0"):
		// The block after the name has 3 bytes: 1, and how often the animation is repeated.
		if b := g.data[start+1+len(first) : g.at]; len(b) >= 4 && b[0] >= 3 && b[1]&7 == 1 {
			g.plays = 0
			if n := int(binary.LittleEndian.Uint16(b[2:])); n > 0 {
				g.plays = n + 1
			}
		}
	}
	return true
}

func (g *gifScanner) image() bool {
	descriptor, ok := g.take(gifDescriptorBytes)
	if !ok {
		return false
	}
	start := g.at
	if _, ok := g.take(tableBytes(descriptor[8]) + 1); !ok { // and the size of the first codes
		return false
	}
	if _, ok := g.chain(); !ok {
		return false
	}
	field := func(i int) int { return int(binary.LittleEndian.Uint16(descriptor[2*i:])) }
	at := image.Rect(0, 0, field(2), field(3)).Add(image.Pt(field(0), field(1)))
	f := frame{at: at}
	control := g.control
	if g.control = nil; control != nil {
		f.delay = time.Duration(binary.LittleEndian.Uint16(control[1:])) * 10 * time.Millisecond
		f.over = control[0]&1 != 0
		switch control[0] >> 2 & 7 {
		case 2:
			f.dispose = erase
		case 3, 4: // some old programs wrote 4
			f.dispose = restore
		}
	}
	body := g.data[start:g.at]
	f.decode = func() (*image.Paletted, error) {
		m, err := gif.Decode(bytes.NewReader(g.alone(descriptor, control, body)))
		p, _ := m.(*image.Paletted) // as all that gif decodes
		return p, err
	}
	return g.add(f)
}

// alone returns a GIF of one image that fills the screen.
func (g *gifScanner) alone(descriptor, control, body []byte) []byte {
	out := make([]byte, 0, len(g.global)+len(body)+32)
	out = append(out, g.global...)
	copy(out[6:], descriptor[4:8]) // the screen's size is the image's
	if control != nil {
		out = append(out, gifExtension, gifControl, 4)
		out = append(out, control...)
		out = append(out, 0)
	}
	out = append(out, gifImage, 0, 0, 0, 0)
	out = append(out, descriptor[4:]...)
	out = append(out, body...)
	return append(out, gifTrailer)
}
