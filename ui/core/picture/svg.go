package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"easel/ui/core/picture/vector"
)

// svgHead is how far into a file, in bytes, the svg element may begin: matplotlib
// puts a declaration, a doctype and comments before it, editors more.
const svgHead = 64 << 10

// isSVG tells whether data is XML whose root element is svg.
func isSVG(data []byte) bool {
	if !looksLikeXML(data) {
		return false
	}
	_, ok := svgRoot(data)
	return ok
}

func looksLikeXML(data []byte) bool {
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(data, []byte("<"))
}

// svgRoot finds the root element, if that is svg.
func svgRoot(data []byte) (xml.StartElement, bool) {
	d := xml.NewDecoder(bytes.NewReader(data[:min(len(data), svgHead)]))
	d.Strict = false
	for {
		// RawToken expands nothing and checks no nesting: what comes is what it costs.
		t, err := d.RawToken()
		if err != nil {
			return xml.StartElement{}, false
		}
		if e, ok := t.(xml.StartElement); ok {
			return e, strings.EqualFold(e.Name.Local, "svg")
		}
	}
}

// svgSize reads width and height, or else the viewBox, in pixels at 96 dpi; 0 if
// they are missing, relative or absurd.
func svgSize(data []byte) (w, h int) {
	root, _ := svgRoot(data)
	var width, height, boxW, boxH float64
	for _, a := range root.Attr {
		switch a.Name.Local {
		case "width":
			width = svgLength(a.Value)
		case "height":
			height = svgLength(a.Value)
		case "viewBox":
			f := strings.FieldsFunc(a.Value, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
			if len(f) == 4 {
				boxW, boxH = svgLength(f[2]), svgLength(f[3])
			}
		}
	}
	if width <= 0 || height <= 0 {
		width, height = boxW, boxH
	}
	w, h = int(math.Round(width)), int(math.Round(height))
	if w <= 0 || h <= 0 || w > MaxEdge || h > MaxEdge {
		return 0, 0
	}
	return w, h
}

// Vector draws an SVG with its text, its longer side edge pixels: where the kernel
// sent no picture beside it. See package vector for what it cannot draw.
func Vector(data []byte, edge int) (*image.RGBA, error) {
	if kind(data) != SVG {
		return nil, ErrFormat
	}
	w, h := svgSize(data)
	if w == 0 {
		return nil, fmt.Errorf("%w: SVG of no size", ErrNoRaster)
	}
	m, err := vector.Draw(data, w, h, edge)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRaster, err)
	}
	return m, nil
}

// svgUnits are CSS pixels in a unit.
var svgUnits = map[string]float64{
	"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
}

// svgLength reads a length in pixels; 0 if it is relative or no length.
func svgLength(s string) float64 {
	s = strings.TrimSpace(s)
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz%")
	unit, known := svgUnits[s[len(number):]]
	f, err := strconv.ParseFloat(number, 64)
	if !known || err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 || f > 1e9 {
		return 0
	}
	return f * unit
}
