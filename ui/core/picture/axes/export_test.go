package axes

import (
	"math"
	"strconv"
	"strings"
)

// Read reads the JSON of a picture of w by h pixels.
func Read(text []byte, w, h int) (Figure, bool) { return read(text, w, h) }

// String returns the rectangle, rounded to tenths of a pixel.
func (r Rect) String() string {
	tenth := func(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
	return strings.Join([]string{tenth(r.X0), tenth(r.Y0), tenth(r.X1), tenth(r.Y1)}, ",")
}
