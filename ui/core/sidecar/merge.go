package sidecar

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The namespaces of XMP.
const (
	nsXMP = "http://ns.adobe.com/xap/1.0/"
	nsDC  = "http://purl.org/dc/elements/1.1/"
	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
)

// errForm is the error for a sidecar whose stars or tags have a form in which nothing can be added.
var errForm = errors.New("its stars or tags have an unknown form")

// merge returns a sidecar of another program with our stars and tags. Everything else is what it was, byte by
// byte. Stars and tags that we do not have stay: they may be the other program's.
func merge(was []byte, rating int, tags []string) ([]byte, error) {
	d, err := parse(was)
	if err != nil {
		return nil, err
	}
	tags = slices.DeleteFunc(slices.Sorted(slices.Values(tags)), func(t string) bool { return slices.Contains(d.tags, t) })
	var edits []edit
	if rating > 0 {
		edits = append(edits, d.rate(rating)...)
	}
	if len(tags) > 0 {
		edits = append(edits, d.tag(tags)...)
	}
	now := apply(was, edits)
	if check, err := parse(now); err != nil || rating > 0 && check.rating != rating || !contain(check.tags, d.tags, tags) {
		return nil, errors.Join(errForm, err)
	}
	return now, nil
}

func contain(all []string, parts ...[]string) bool {
	return !slices.ContainsFunc(slices.Concat(parts...), func(t string) bool { return !slices.Contains(all, t) })
}

// An edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

// apply makes edits, which do not overlap. Those of the same place are made in order.
func apply(was []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(was[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(was[at:])
	return b.Bytes()
}

// An element is where an element is in a file.
type element struct {
	name       string // with its prefix
	from, body int    // its tag, and what follows that
	end, to    int    // its end tag, and what follows that; the same as body if it has none
}

// closed reports whether the element is a single tag, which ends with "/>".
func (e element) closed() bool { return e.end == e.to }

// prefix returns the prefix of the element's name, with the colon.
func (e element) prefix() string { return e.name[:strings.IndexByte(e.name, ':')+1] }

// put returns an edit that adds a text at the end of the element, and how a line in it begins.
func (e element) put(text, indent string) edit {
	if e.closed() {
		return edit{e.body - len("/>"), e.body, ">" + text + indent + "</" + e.name + ">"}
	}
	return edit{e.end, e.end, text}
}

// A document is what we need to know of a sidecar.
type document struct {
	text   []byte
	about  element // the first description of the picture
	spaces map[string]string
	rating int
	tags   []string

	rateds  [][2]int  // where the values of stars are
	bare    []element // stars without any value
	bag     *element  // of the tags
	last    *element  // the last of them
	newline string
}

// parse reads a sidecar.
func parse(text []byte) (*document, error) {
	p := parser{document: document{text: text, spaces: make(map[string]string), newline: "\n"}, dec: xml.NewDecoder(bytes.NewReader(text))}
	if bytes.Contains(text, []byte("\r\n")) {
		p.newline = "\r\n"
	}
	for {
		from := int(p.dec.InputOffset())
		token, err := p.dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		to := int(p.dec.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			p.open = append(p.open, openElement{t.Name, element{name: rawName(text[from+1 : to]), from: from, body: to}, ""})
			err = p.start(t, from, to)
		case xml.CharData:
			if len(p.open) > 0 {
				p.open[len(p.open)-1].text += string(t)
			}
		case xml.EndElement:
			last := p.open[len(p.open)-1]
			last.end, last.to = from, to
			p.close(last)
			p.open = p.open[:len(p.open)-1]
		}
		if err != nil {
			return nil, err
		}
	}
	if p.about.name == "" {
		return nil, errForm
	}
	return &p.document, nil
}

// An openElement is an element whose end has not been read.
type openElement struct {
	xml.Name
	element
	text string
}

// A parser reads a document.
type parser struct {
	document
	dec  *xml.Decoder
	open []openElement
}

var (
	rdfNode  = xml.Name{Space: nsRDF, Local: "RDF"}
	aboutTag = xml.Name{Space: nsRDF, Local: "Description"}
	ratedTag = xml.Name{Space: nsXMP, Local: "Rating"}
	tagsTag  = xml.Name{Space: nsDC, Local: "subject"}
	bagTag   = xml.Name{Space: nsRDF, Local: "Bag"}
	itemTag  = xml.Name{Space: nsRDF, Local: "li"}
)

// within reports whether the open elements are what the picture's description has, and these in it.
func (p *parser) within(names ...xml.Name) bool {
	n := len(p.open) - len(names)
	if n < 2 || n > 3 || p.open[n-1].Name != aboutTag || p.open[n-2].Name != rdfNode {
		return false
	}
	for i, name := range names {
		if p.open[n+i].Name != name {
			return false
		}
	}
	return true
}

// start reads the tag at which an element begins.
func (p *parser) start(t xml.StartElement, from, to int) error {
	ofRDF := func(a xml.Attr) bool { return a.Name.Space == nsRDF }
	if p.within(tagsTag) && (p.bag != nil || slices.ContainsFunc(t.Attr, ofRDF)) {
		return errForm // tags twice, or as something other than a list
	}
	if !p.within() {
		return nil
	}
	values, err := attributes(p.text[from:to])
	if err != nil || len(values) != len(t.Attr) {
		return errors.Join(errForm, err)
	}
	first := p.about.name == ""
	for i, a := range t.Attr {
		switch a.Name {
		case tagsTag:
			return errForm
		case ratedTag:
			p.rating, _ = strconv.Atoi(strings.TrimSpace(a.Value))
			p.rateds = append(p.rateds, [2]int{from + values[i][0], from + values[i][1]})
		}
	}
	if first {
		p.about = p.open[len(p.open)-1].element
		for _, attr := range p.scope() {
			p.spaces[attr[0]] = attr[1]
		}
	}
	return nil
}

// scope returns the prefixes that hold in the innermost open element, and their namespaces.
func (p *parser) scope() (all [][2]string) {
	for _, o := range p.open {
		d := xml.NewDecoder(bytes.NewReader(p.text[o.from:o.body]))
		if t, err := d.RawToken(); err == nil {
			start, _ := t.(xml.StartElement)
			for _, a := range start.Attr {
				if a.Name.Space == "xmlns" {
					all = append(all, [2]string{a.Name.Local, a.Value})
				}
			}
		}
	}
	return all
}

// close reads the end of an element, the innermost of those that are open.
func (p *parser) close(e openElement) {
	switch {
	case p.within():
		if e.from == p.about.from {
			p.about = e.element
		}
	case p.within(ratedTag):
		p.rating, _ = strconv.Atoi(strings.TrimSpace(e.text))
		if e.closed() {
			p.bare = append(p.bare, e.element)
		} else {
			p.rateds = append(p.rateds, [2]int{e.body, e.end})
		}
	case p.within(tagsTag, bagTag):
		p.bag = &e.element
	case p.within(tagsTag, bagTag, itemTag):
		p.tags = append(p.tags, e.text)
		p.last = &e.element
	}
}

// rate returns the edits that write stars.
func (d *document) rate(rating int) (edits []edit) {
	value := strconv.Itoa(rating)
	for _, r := range d.rateds {
		edits = append(edits, edit{r[0], r[1], value})
	}
	for _, e := range d.bare {
		edits = append(edits, e.put(value, ""))
	}
	if len(edits) > 0 {
		return edits
	}
	prefix, declare := d.prefix("xmp", nsXMP)
	at := d.about.body - 1
	if d.about.closed() {
		at--
	}
	for at > 0 && strings.IndexByte(" \t\r\n", d.text[at-1]) >= 0 {
		at--
	}
	return []edit{{at, at, declare + fmt.Sprintf(` %s:Rating="%d"`, prefix, rating)}}
}

// tag returns the edits that add tags.
func (d *document) tag(tags []string) []edit {
	if d.bag != nil {
		if d.last == nil {
			return []edit{d.bag.put(items(d.bag.prefix(), "", tags), "")}
		}
		return []edit{{d.last.to, d.last.to, items(d.bag.prefix(), d.space(d.last.from), tags)}}
	}
	prefix, declare := d.prefix("dc", nsDC)
	rdf, in := d.about.prefix(), d.space(d.about.from)
	if in == "" {
		in = d.newline
	}
	subject := in + " <" + prefix + ":subject" + declare + ">" + in + "  <" + rdf + "Bag>" +
		items(rdf, in+"   ", tags) +
		in + "  </" + rdf + "Bag>" + in + " </" + prefix + ":subject>"
	if d.about.closed() {
		return []edit{d.about.put(subject, in)}
	}
	return []edit{{d.about.body, d.about.body, subject}}
}

// items returns tags as the items of a list, each after a space.
func items(rdf, space string, tags []string) string {
	var b bytes.Buffer
	for _, t := range tags {
		b.WriteString(space + "<" + rdf + "li>")
		_ = xml.EscapeText(&b, []byte(t)) // a buffer does not fail
		b.WriteString("</" + rdf + "li>")
	}
	return b.String()
}

// space returns the white space before a place.
func (d *document) space(at int) string {
	before := d.text[:at]
	return string(before[len(bytes.TrimRight(before, " \t\r\n")):])
}

// prefix returns the prefix of a namespace in the picture's description, and what declares it, if nothing does.
func (d *document) prefix(usual, space string) (prefix, declare string) {
	for _, p := range slices.Sorted(maps.Keys(d.spaces)) {
		if d.spaces[p] == space {
			return p, ""
		}
	}
	prefix = usual
	for n := 1; d.spaces[prefix] != ""; n++ {
		prefix = usual + strconv.Itoa(n)
	}
	return prefix, fmt.Sprintf(` xmlns:%s="%s"`, prefix, space)
}

// rawName returns the name with which a tag begins.
func rawName(tag []byte) string {
	if i := bytes.IndexAny(tag, " \t\r\n/>"); i >= 0 {
		tag = tag[:i]
	}
	return string(tag)
}

// attributes returns where the values of the attributes of a tag are in it, in order.
func attributes(tag []byte) (values [][2]int, err error) {
	for at := 0; ; {
		equals := bytes.IndexByte(tag[at:], '=')
		if equals < 0 {
			return values, nil
		}
		at += equals + 1
		for at < len(tag) && strings.IndexByte(" \t\r\n", tag[at]) >= 0 {
			at++
		}
		if at >= len(tag) || tag[at] != '"' && tag[at] != '\'' {
			return nil, errForm
		}
		length := bytes.IndexByte(tag[at+1:], tag[at])
		if length < 0 {
			return nil, errForm
		}
		values = append(values, [2]int{at + 1, at + 1 + length})
		at += length + 2
	}
}
