package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A line is one message of the client.
type line struct {
	raw []byte // nil if it is too long
	// For a line that is too long.
	id     json.RawMessage
	method string
	size   int
}

// byteOrderMark is what some programs on Windows write first.
var byteOrderMark = []byte("\xef\xbb\xbf")

// readLines sends each line of in to lines, until the end of in. It reads a line of more
// than maxLine bytes to its end without keeping it.
func readLines(ctx context.Context, in io.Reader, lines chan<- line) error {
	r := bufio.NewReaderSize(in, 64<<10)
	if head, err := r.Peek(len(byteOrderMark)); err == nil && bytes.Equal(head, byteOrderMark) {
		_, _ = r.Discard(len(byteOrderMark)) // they are buffered
	}
	for {
		l, err := readLine(r)
		if l.size > 0 {
			select {
			case lines <- l:
			case <-ctx.Done():
				return nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return fmt.Errorf("bridge: reading the client's messages: %w", err)
		}
	}
}

// readLine reads one line. A blank line has size 0.
func readLine(r *bufio.Reader) (line, error) {
	var l line
	var s skim
	for {
		part, err := r.ReadSlice('\n')
		l.size += len(part)
		if l.size <= maxLine+1 { // including the newline
			l.raw = append(l.raw, part...)
		} else {
			s.read(l.raw)
			s.read(part)
			l.raw = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if l.size <= maxLine+1 {
			l.raw = bytes.TrimSpace(l.raw)
			l.size = len(l.raw)
		} else {
			l.id, l.method = s.id, s.method
		}
		return l, err
	}
}

// A skim finds id and method at the top level of a JSON-RPC message that arrives in
// parts, without keeping the message.
type skim struct {
	id     json.RawMessage
	method string

	depth             int
	inString, escaped bool
	key               string
	token             []byte // scalar at the top level: a key or a value
}

// maxToken is how many bytes of a key or value a skim keeps.
const maxToken = 1024

func (s *skim) read(part []byte) {
	for _, b := range part {
		s.next(b)
	}
}

func (s *skim) next(b byte) {
	if s.inString {
		s.keep(b)
		switch {
		case s.escaped:
			s.escaped = false
		case b == '\\':
			s.escaped = true
		case b == '"':
			s.inString = false
		}
		return
	}
	switch b {
	case ' ', '\t', '\r', '\n':
	case '{', '[':
		s.depth++
		s.token = s.token[:0]
	case ':':
		if s.depth == 1 {
			s.key = unquoted(s.token)
			s.token = s.token[:0]
		}
	case ',':
		s.value()
	case '}', ']':
		s.value()
		s.depth--
	default:
		s.inString = b == '"'
		s.keep(b)
	}
}

// keep adds b to the token at the top level.
func (s *skim) keep(b byte) {
	if s.depth == 1 && len(s.token) < maxToken {
		s.token = append(s.token, b)
	}
}

// value ends a member.
func (s *skim) value() {
	if s.depth != 1 {
		return
	}
	switch s.key {
	case "id":
		if json.Valid(s.token) {
			s.id = bytes.Clone(s.token)
		}
	case "method":
		s.method = unquoted(s.token)
	}
	s.key, s.token = "", s.token[:0]
}

// unquoted returns the text of a JSON string, or "".
func unquoted(token []byte) string {
	var text string
	if json.Unmarshal(token, &text) != nil {
		return ""
	}
	return text
}
