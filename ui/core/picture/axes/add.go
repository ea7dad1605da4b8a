package axes

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image/png"
	"math"
	"slices"
)

// DrawnAxes are axes that an engine has drawn.
type DrawnAxes struct {
	N     int        `json:"n"`
	Title string     `json:"title,omitempty"`
	Box   [4]float64 `json:"box"` // as [Axes].Box
	X     *DrawnAxis `json:"x,omitempty"`
	Y     *DrawnAxis `json:"y,omitempty"`
}

// A DrawnAxis is an axis with its limits, as [Axis] has them.
type DrawnAxis struct {
	Lim   [2]float64 `json:"lim"`
	Scale Scale      `json:"scale,omitempty"`
}

func (a *DrawnAxis) finite() bool {
	return a == nil || !slices.ContainsFunc(a.Lim[:], func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Add returns a PNG with a description of its axes, as a kernel would have added it. A PNG that is none, or a
// description that is too long, is returned as it is.
func Add(data []byte, all []DrawnAxes) []byte {
	const iend = 12 // bytes of the last chunk
	size, err := png.DecodeConfig(bytes.NewReader(data))
	all = slices.DeleteFunc(slices.Clone(all), func(a DrawnAxes) bool { return !a.X.finite() || !a.Y.finite() })
	if err != nil || len(all) == 0 || len(data) < len(pngSignature)+iend {
		return data
	}
	text, err := json.Marshal(map[string]any{"v": 1, "size": [2]int{size.Width, size.Height}, "axes": all[:min(len(all), mostAxes)]})
	if err != nil || len(text) > mostText {
		return data
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(text) // a buffer cannot fail
	_ = z.Close()
	body := append([]byte("iTXt"+Keyword+"\x00\x01\x00\x00\x00"), packed.Bytes()...)
	if len(body)-4 > mostChunk {
		return data
	}
	end := len(data) - iend
	out := slices.Grow(slices.Clone(data[:end]), len(body)+8+iend)
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)-4))
	out = append(out, body...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	return append(out, data[end:]...)
}
