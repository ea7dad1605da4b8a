package catalog

import (
	"fmt"
	"image"
	"strings"
)

// A Region is a rectangle that the user drew on a picture.
type Region struct {
	X         int          `json:"x" jsonschema:"left edge in pixels of the picture"`
	Y         int          `json:"y" jsonschema:"top edge in pixels of the picture"`
	Width     int          `json:"width" jsonschema:"width in pixels"`
	Height    int          `json:"height" jsonschema:"height in pixels"`
	Fractions [4]float64   `json:"fractions" jsonschema:"left, top, right and bottom edge as fractions of the picture"`
	Axes      []RegionAxes `json:"axes,omitempty" jsonschema:"what of each matplotlib axes is in it; absent if the picture has no coordinates"`
	Text      string       `json:"text" jsonschema:"the same in words"`
	Crop      string       `json:"crop,omitempty" jsonschema:"URI of this part of the picture"`
}

// RegionAxes are the part of a region in one axes of a matplotlib figure.
type RegionAxes struct {
	Axes       int          `json:"axes" jsonschema:"number in fig.axes, from 1; insets follow"`
	Kind       string       `json:"kind,omitempty" jsonschema:"colorbar, inset, twin or secondary"`
	Of         int          `json:"of,omitempty" jsonschema:"the axes to which these belong"`
	Title      string       `json:"title,omitempty" jsonschema:"title of the axes"`
	Projection string       `json:"projection,omitempty" jsonschema:"why there are no coordinates, for example polar"`
	X          *RegionRange `json:"x,omitempty" jsonschema:"range of x"`
	Y          *RegionRange `json:"y,omitempty" jsonschema:"range of y"`
}

// A RegionRange is a range of data on one axis.
type RegionRange struct {
	Label string   `json:"label,omitempty" jsonschema:"label of the axis"`
	Scale string   `json:"scale,omitempty" jsonschema:"log, symlog, asinh, logit, date or category; absent: linear"`
	From  any      `json:"from" jsonschema:"smallest value; a date in ISO 8601"`
	To    any      `json:"to" jsonschema:"largest value"`
	Names []string `json:"names,omitempty" jsonschema:"named positions in the range, such as categories"`
}

// Rect returns the region's rectangle in pixels.
func (r Region) Rect() image.Rectangle {
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
}

// cropMark precedes the rectangle in the URI of a part of a picture, which is a media fragment.
const cropMark = "#xywh="

// CropURI returns the URI of a part of a picture. image is the URI or ID of the picture.
func CropURI(image string, r image.Rectangle) string {
	return fmt.Sprintf("%s%s%d,%d,%d,%d", image, cropMark, r.Min.X, r.Min.Y, r.Dx(), r.Dy())
}

// CutCrop splits the URI of a part of a picture. ok is false if it names no part; then whole is
// the whole URI.
func CutCrop(uri string) (whole string, r image.Rectangle, ok bool) {
	whole, part, found := strings.Cut(uri, cropMark)
	var x, y, w, h int
	if !found {
		return uri, r, false
	}
	if n, err := fmt.Sscanf(part, "%d,%d,%d,%d", &x, &y, &w, &h); n != 4 || err != nil || x < 0 || y < 0 || w <= 0 || h <= 0 ||
		max(x, y, w, h) > 1<<20 {
		return uri, r, false
	}
	return whole, image.Rect(x, y, x+w, y+h), true
}
