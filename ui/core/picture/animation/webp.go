package animation

import (
	"encoding/binary"
	"fmt"
	"image"
	"time"

	"easel/ui/core/picture/webp"
)

const (
	webpFeatureBytes = 10 // VP8X
	webpFrameBytes   = 16 // ANMF, before the frame's own chunks
)

// eachWebPChunk passes the chunks of a WebP file or frame to yield until that returns false.
// It ignores an incomplete chunk.
func eachWebPChunk(data []byte, yield func(name string, body []byte) bool) {
	for len(data) >= 8 {
		n := binary.LittleEndian.Uint32(data[4:])
		if int64(n) > int64(len(data)-8) || !yield(string(data[:4]), data[8:8+int(n)]) {
			return
		}
		data = data[min(8+int(n)+int(n&1), len(data)):]
	}
}

// promisingWebP reports whether a WebP is marked as animated.
func promisingWebP(head []byte) bool {
	const animated = 1 << 1
	return len(head) > 20 && string(head[12:16]) == "VP8X" && head[20]&animated != 0
}

// scanWebP finds the frames of a WebP.
func scanWebP(data []byte) (s scan, err error) {
	s.plays = 1
	if !promisingWebP(data) {
		return s, ErrStill
	}
	eachWebPChunk(data[12:], func(name string, body []byte) bool {
		switch {
		case name == "VP8X" && len(body) == webpFeatureBytes:
			s.size = image.Pt(uint24(body[4:])+1, uint24(body[7:])+1)
		case name == "ANIM" && len(body) >= 6:
			s.plays = int(binary.LittleEndian.Uint16(body[4:]))
		case name == "ANMF":
			var f frame
			if f, err = webpFrame(body, s.size); err == nil {
				return s.add(f)
			}
			return false
		}
		return true
	})
	return s, err
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func webpFrame(body []byte, size image.Point) (frame, error) {
	if len(body) < webpFrameBytes {
		return frame{}, ErrDamaged
	}
	w, h := uint24(body[6:])+1, uint24(body[9:])+1
	f := frame{at: image.Rect(0, 0, w, h).Add(image.Pt(2*uint24(body), 2*uint24(body[3:]))), over: body[15]&2 == 0}
	if !f.at.In(image.Rectangle{Max: size}) {
		return frame{}, fmt.Errorf("%w: a frame reaches beyond the picture", ErrDamaged)
	}
	f.delay = time.Duration(uint24(body[12:])) * time.Millisecond
	if body[15]&1 != 0 {
		f.dispose = erase
	}
	data := body[webpFrameBytes:]
	f.decode = func() (image.Image, error) {
		alone := webpAlone(f.at.Size(), data)
		c, err := webp.DecodeConfig(alone)
		if err != nil {
			return nil, err
		}
		if c.Width != w || c.Height != h { // checked before anything of that size is allocated
			return nil, fmt.Errorf("the data has %d×%d pixels, want %d×%d", c.Width, c.Height, w, h)
		}
		return webp.Decode(alone)
	}
	return f, nil
}

// webpAlone returns a WebP file of one frame.
func webpAlone(size image.Point, data []byte) []byte {
	var alpha, pixels []byte // complete chunks
	eachWebPChunk(data, func(name string, body []byte) bool {
		switch name {
		case "ALPH":
			alpha = appendWebPChunk(nil, name, body)
		case "VP8 ", "VP8L":
			pixels = appendWebPChunk(nil, name, body)
		}
		return pixels == nil
	})
	var chunks []byte
	if alpha != nil {
		const hasAlpha = 1 << 4
		features := []byte{
			hasAlpha, 0, 0, 0,
			byte(size.X - 1), byte((size.X - 1) >> 8), byte((size.X - 1) >> 16),
			byte(size.Y - 1), byte((size.Y - 1) >> 8), byte((size.Y - 1) >> 16),
		}
		chunks = append(appendWebPChunk(nil, "VP8X", features), alpha...)
	}
	return appendWebPChunk(nil, "RIFF", append(append([]byte("WEBP"), chunks...), pixels...))
}

func appendWebPChunk(out []byte, name string, body []byte) []byte {
	out = append(out, name...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	out = append(out, body...)
	if len(body)%2 == 1 {
		out = append(out, 0)
	}
	return out
}
