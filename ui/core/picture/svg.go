package picture

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// svgHead is the number of bytes at the start of a file within which the svg element must
// begin. Matplotlib writes a declaration, a doctype and comments before it, and editors
// write more.
const svgHead = 64 << 10

// isSVG reports whether data is XML whose root element is svg.
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

// svgRoot returns the root element. It returns false if that is not svg.
func svgRoot(data []byte) (xml.StartElement, bool) {
	d := xml.NewDecoder(bytes.NewReader(data[:min(len(data), svgHead)]))
	d.Strict = false
	for {
		// RawToken expands no entities and keeps no stack, so its cost is bounded.
		t, err := d.RawToken()
		if err != nil {
			return xml.StartElement{}, false
		}
		if e, ok := t.(xml.StartElement); ok {
			return e, strings.EqualFold(e.Name.Local, "svg")
		}
	}
}

// svgSize returns the width and height, or else the size of the viewBox, in pixels at
// 96 dpi. It returns 0 if they are missing, relative or larger than MaxEdge.
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

// svgUnits maps units of length to CSS pixels.
var svgUnits = map[string]float64{
	"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
}

// svgLength returns a length in CSS pixels, or 0 if it is relative, negative or invalid.
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
