package vector

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fyne-io/oksvg"
)

// maxTokens limits the size of an SVG, before and after its references are expanded.
const maxTokens = 400_000

// plain rewrites an SVG for oksvg, which supports references (use) and transforms only in
// part. It replaces references by the elements that they refer to, and transforms by
// matrices. It omits text, which writeText draws.
func plain(data []byte) ([]byte, error) {
	tokens, err := scan(data)
	if err != nil {
		return nil, err
	}
	p := &plainer{named: make(map[string][]xml.Token)}
	p.index(tokens)
	p.out.WriteString(`<?xml version="1.0"?>`)
	if err := p.write(tokens, 0); err != nil {
		return nil, err
	}
	return p.out.Bytes(), nil
}

// scan returns the elements and the text of an SVG.
func scan(data []byte) (tokens []xml.Token, err error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for len(tokens) < maxTokens {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return tokens, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		switch t.(type) {
		case xml.StartElement, xml.EndElement, xml.CharData:
			tokens = append(tokens, xml.CopyToken(t))
		}
	}
	return nil, fmt.Errorf("%w: it is too large", ErrUnreadable)
}

type plainer struct {
	named   map[string][]xml.Token // elements by id
	out     bytes.Buffer
	written int
}

// index fills named.
func (p *plainer) index(tokens []xml.Token) {
	var open []int // indexes of the elements that are not yet closed
	for i, t := range tokens {
		switch t.(type) {
		case xml.StartElement:
			open = append(open, i)
		case xml.EndElement:
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if id := attr(tokens[from].(xml.StartElement), "id"); id != "" {
				p.named[id] = tokens[from : i+1]
			}
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// write writes tokens. depth is the depth of nested references.
func (p *plainer) write(tokens []xml.Token, depth int) error {
	text := 0 // depth of nested text elements
	for _, t := range tokens {
		if p.written++; p.written > maxTokens || depth > 12 {
			return fmt.Errorf("%w: it refers to itself, or to too many elements", ErrUnreadable)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "text" {
				text++
			}
			if text > 0 {
				continue
			}
			if err := p.element(t, depth); err != nil {
				return err
			}
		case xml.EndElement:
			switch {
			case t.Name.Local == "text":
				text--
			case text == 0 && t.Name.Local == "use":
				p.out.WriteString("</g>")
			case text == 0:
				p.out.WriteString("</" + t.Name.Local + ">")
			}
		case xml.CharData:
			if text == 0 && len(bytes.TrimSpace(t)) > 0 {
				_ = xml.EscapeText(&p.out, t) // to memory
			}
		}
	}
	return nil
}

// element writes a start tag. For a reference, it writes the start tag of a group, and the
// elements that the reference refers to.
func (p *plainer) element(t xml.StartElement, depth int) error {
	use := t.Name.Local == "use"
	name, move := t.Name.Local, ""
	if use {
		name = "g"
		x, _ := length(attr(t, "x"), 16)
		y, _ := length(attr(t, "y"), 16)
		move = fmt.Sprintf("translate(%g,%g)", x, y)
	}
	p.out.WriteString("<" + name)
	moved := false
	for _, a := range t.Attr {
		key, value := a.Name.Local, a.Value
		switch {
		case key == "transform":
			value, moved = matrix(value+move), true
		case key == "fill", key == "stroke":
			value = paint(value)
		case key == "style":
			value = paints(value)
		case use && (key == "href" || key == "x" || key == "y" || key == "id"), a.Name.Space == "xmlns", key == "xmlns":
			continue
		}
		p.attribute(key, value)
	}
	if use && !moved {
		p.attribute("transform", matrix(move))
	}
	if name == "svg" {
		p.attribute("xmlns", "http://www.w3.org/2000/svg")
	}
	p.out.WriteString(">")
	if use {
		return p.write(p.named[strings.TrimPrefix(attr(t, "href"), "#")], depth+1)
	}
	return nil
}

func (p *plainer) attribute(key, value string) {
	p.out.WriteString(" " + key + `="`)
	_ = xml.EscapeText(&p.out, []byte(value)) // to memory
	p.out.WriteString(`"`)
}

func matrix(transforms string) string {
	m := transform(transforms)
	return fmt.Sprintf("matrix(%g %g %g %g %g %g)", m.A, m.B, m.C, m.D, m.E, m.F)
}

// paint returns a colour, or black if oksvg cannot parse it. Otherwise oksvg would fail.
func paint(value string) string {
	v := strings.TrimSpace(value)
	switch {
	case v == "none", v == "inherit", v == "currentColor", strings.HasPrefix(v, "url("):
		return v
	case v == "transparent":
		return "none"
	}
	if _, err := oksvg.ParseSVGColor(v); err != nil {
		return "#000000"
	}
	return v
}

// paints applies paint to the colours in a style attribute.
func paints(style string) string {
	parts := strings.Split(style, ";")
	for i, part := range parts {
		k, v, ok := strings.Cut(part, ":")
		if key := strings.TrimSpace(k); ok && (key == "fill" || key == "stroke") {
			parts[i] = key + ":" + paint(v)
		}
	}
	return strings.Join(parts, ";")
}
