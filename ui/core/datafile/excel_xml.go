package datafile

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Limits of the XML that is copied. Excel's cells have at most 32,767 characters.
const (
	maxToken = 1 << 20 // bytes of a tag or an element
	maxDepth = 100     // elements within each other
	maxTag   = 256     // bytes of a tag that are kept
)

var errLongValue = fmt.Errorf("it has a value of more than %d MB, which Excel does not allow; read it with code in a session", maxToken>>20)

// A tagScanner finds the tags of an XML document. It is several times faster than a decoder and
// keeps only the elements that are copied.
type tagScanner struct {
	*bufio.Reader
	tag   []byte // between < and >; cut
	size  int    // of the whole tag
	name  string // without the namespace
	ends  bool   // it is an end tag
	empty bool   // the element has no content

	valued bool // a value or a formula was found
	value  bool // the tag begins one

	copying bool
	raw     []byte // what is copied
	end     []byte // of what was read
}

// next goes to the next tag. It takes CDATA for text, and leaves comments out.
func (s *tagScanner) next() error {
	for {
		text, err := s.to('<', nil)
		if err != nil {
			return err
		}
		s.valued = s.valued || s.value && text > 0
		s.tag = s.tag[:0]
		if s.size, err = s.to('>', &s.tag); err != nil {
			return err
		}
		until := ""
		switch {
		case bytes.HasPrefix(s.tag, []byte("![CDATA[")):
			until, s.valued = "]]", s.valued || s.value
		case bytes.HasPrefix(s.tag, []byte("!--")):
			until = "--"
		case !bytes.HasPrefix(s.tag, []byte("!")) && !bytes.HasPrefix(s.tag, []byte("?")):
			s.found()
			return nil
		}
		for size := s.size; until != "" && string(s.end) != until; {
			n, err := s.to('>', nil)
			if size += n + 1; err == nil && size > maxToken {
				err = errLongValue
			}
			if err != nil {
				return err
			}
		}
	}
}

// found looks at a tag.
func (s *tagScanner) found() {
	s.ends = bytes.HasPrefix(s.tag, []byte("/"))
	s.empty = string(s.end[max(0, len(s.end)-1):]) == "/"
	name := bytes.TrimPrefix(s.tag, []byte("/"))
	if end := bytes.IndexAny(name, " \t\r\n/"); end >= 0 {
		name = name[:end]
	}
	s.name = known(name[bytes.IndexByte(name, ':')+1:])
	s.value = (s.name == "v" || s.name == "t") && !s.ends
	s.valued = s.valued || s.name == "f"
}

// known returns the names that matter, without allocating them.
func known(name []byte) string {
	for _, s := range []string{"row", "c", "v", "t", "f", "is", "si", "mergeCell"} {
		if string(name) == s {
			return s
		}
	}
	return ""
}

// to reads up to a delimiter, returns the number of bytes before it, and keeps the first ones.
func (s *tagScanner) to(delimiter byte, keep *[]byte) (n int, err error) {
	s.end = s.end[:0]
	for {
		part, err := s.ReadSlice(delimiter)
		if s.copying {
			s.raw = append(s.raw, part...)
		}
		if err == nil {
			part = part[:len(part)-1]
		}
		n += len(part)
		s.end = append(s.end, part[max(0, len(part)-2):]...)
		s.end = s.end[max(0, len(s.end)-2):]
		if keep != nil {
			*keep = append(*keep, part[:min(len(part), max(0, maxTag-len(*keep)))]...)
		}
		switch {
		case len(s.raw) > maxToken, delimiter == '>' && n > maxToken:
			return n, errLongValue
		case delimiter == '>' && errors.Is(err, io.EOF):
			return n, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, err
		}
	}
}

// content returns what is in the element that has begun, as it is in the document.
func (s *tagScanner) content() ([]byte, error) {
	s.copying, s.raw = !s.empty, s.raw[:0]
	defer func() { s.copying, s.raw = false, s.raw[:0] }()
	for depth := 1; s.copying && depth > 0; {
		if err := s.next(); err != nil {
			return nil, err
		}
		switch {
		case s.ends:
			depth--
		case !s.empty:
			depth++
		}
		if depth > maxDepth {
			return nil, errors.New("its elements are nested too deep")
		}
	}
	return s.raw[:max(0, len(s.raw)-s.size-len("<>"))], nil
}

// attr returns an attribute of the tag. Its value must need no decoding.
func (s *tagScanner) attr(name string) string {
	for _, blank := range []string{" ", "\n", "\t", "\r"} {
		if _, rest, ok := bytes.Cut(s.tag, []byte(blank+name+"=")); ok && len(rest) > 1 {
			value, _, _ := bytes.Cut(rest[1:], rest[:1])
			return string(value)
		}
	}
	return ""
}

// decode decodes the element that has begun.
func (s *tagScanner) decode(name string, to any) error {
	raw, err := s.content()
	if err != nil {
		return err
	}
	return xml.Unmarshal(fmt.Appendf(nil, "<%s>%s</%s>", name, raw, name), to)
}
