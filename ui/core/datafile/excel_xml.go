package datafile

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Limits of the XML that is decoded. Excel's cells have at most 32,767 characters.
const (
	maxToken  = 1 << 20 // bytes of a tag or a text
	maxParsed = 16 << 20
	maxDepth  = 100 // elements within each other
	maxTag    = 256 // bytes of a tag that are kept when it is not decoded
)

var errLongValue = fmt.Errorf("it has a value of more than %d MB, which Excel does not allow; read it with code in a session", maxToken>>20)

// A tagScanner finds the tags of an XML document. It is several times faster than a decoder and
// keeps nothing, so that it reads what is counted, not shown. Comments and CDATA, which Excel
// does not write, may confuse it.
type tagScanner struct {
	*bufio.Reader
	parsed int    // bytes that were decoded
	tag    []byte // between < and >; cut
	name   string // without the namespace
	ends   bool   // it is an end tag
	empty  bool   // the element has no content
	text   bool   // there is a text before the tag
}

// next goes to the next tag.
func (s *tagScanner) next() error {
	text, err := s.to('<', nil)
	if err != nil {
		return err
	}
	s.tag = s.tag[:0]
	n, err := s.to('>', &s.tag)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	s.text, s.ends = text > 0, bytes.HasPrefix(s.tag, []byte("/"))
	s.empty = n <= maxTag && bytes.HasSuffix(s.tag, []byte("/"))
	name := bytes.TrimPrefix(s.tag, []byte("/"))
	if end := bytes.IndexAny(name, " \t\r\n/"); end >= 0 {
		name = name[:end]
	}
	s.name = known(name[bytes.IndexByte(name, ':')+1:])
	return err
}

// known returns the names that matter, without allocating them.
func known(name []byte) string {
	switch string(name) {
	case "row":
		return "row"
	case "c":
		return "c"
	case "v", "t":
		return "v"
	case "f":
		return "f"
	case "si":
		return "si"
	case "mergeCell":
		return "mergeCell"
	}
	return ""
}

// to reads up to a delimiter, returns the number of bytes before it, and keeps the first ones.
func (s *tagScanner) to(delimiter byte, keep *[]byte) (n int, err error) {
	for {
		part, err := s.ReadSlice(delimiter)
		if err == nil {
			part = part[:len(part)-1]
		}
		n += len(part)
		if keep != nil {
			*keep = append(*keep, part[:min(len(part), max(0, maxTag-len(*keep)))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}

// attr returns an attribute of the tag. Its value must need no decoding.
func (s *tagScanner) attr(name string) []byte {
	for rest := s.tag; ; {
		i := bytes.Index(rest, []byte(name+"="))
		if i < 0 {
			return nil
		}
		before := i > 0 && bytes.IndexByte([]byte(" \t\r\n"), rest[i-1]) >= 0
		rest = rest[i+len(name)+1:]
		if before && len(rest) > 1 {
			if end := bytes.IndexByte(rest[1:], rest[0]); end >= 0 {
				return rest[1 : 1+end]
			}
		}
	}
}

// decode returns a decoder for the element whose start tag was found.
func (s *tagScanner) decode() *elementDecoder {
	name := s.tag
	if end := bytes.IndexAny(name, " \t\r\n/"); end >= 0 {
		name = name[:end]
	}
	d := &elementDecoder{from: s, start: []byte("<" + string(name) + ">")}
	d.Decoder = xml.NewDecoder(d)
	return d
}

// An elementDecoder decodes one element, and reads no byte beyond it.
type elementDecoder struct {
	*xml.Decoder

	from  *tagScanner
	start []byte // of the element; what is not decoded yet
	size  int    // bytes of the token
	depth int
}

// Read is not called; see ReadByte.
func (d *elementDecoder) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// ReadByte makes the decoder read without a buffer.
func (d *elementDecoder) ReadByte() (byte, error) {
	if len(d.start) > 0 {
		b := d.start[0]
		d.start = d.start[1:]
		return b, nil
	}
	d.size++
	d.from.parsed++
	switch {
	case d.size > maxToken:
		return 0, errLongValue
	case d.from.parsed > maxParsed:
		return 0, errTooLarge
	}
	return d.from.ReadByte()
}

func (d *elementDecoder) token() (xml.Token, error) {
	d.size = 0
	t, err := d.Token()
	switch t.(type) {
	case xml.StartElement:
		d.depth++
	case xml.EndElement:
		d.depth--
	}
	if d.depth > maxDepth {
		return nil, errors.New("its elements are nested too deep")
	}
	return t, err
}

// content returns the beginning of the text in the element that has begun, of up to limit bytes.
// It leaves phonetic guides out.
func (d *elementDecoder) content(element string, limit int) (string, error) {
	var text strings.Builder
	guides, outside := 0, d.depth-1 // within guides
	for d.depth > outside {
		t, err := d.token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			element = t.Name.Local
			if element == "rPh" || guides > 0 {
				guides++
			}
		case xml.EndElement:
			element, guides = "", max(0, guides-1)
		case xml.CharData:
			if guides == 0 && (element == "t" || element == "v" || element == "f") && text.Len() <= limit {
				text.Write(t[:min(len(t), limit+1-text.Len())])
			}
		}
	}
	if text.Len() > limit {
		return strings.ToValidUTF8(text.String()[:limit], "") + "…", nil
	}
	return text.String(), nil
}

// escape matches a character that XML cannot contain, as Excel writes it.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escape.ReplaceAllStringFunc(s, func(code string) string {
		n, err := strconv.ParseUint(code[2:6], 16, 16)
		if err != nil {
			return code // not reached
		}
		return string(rune(n))
	})
}
