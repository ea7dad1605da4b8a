package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Shorten keeps the head and the tail of a text of more than limit bytes, and states
// between them how much was left out.
func Shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit-limit/3, len(s)-limit/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s\n… %d bytes left out …\n%s", s[:head], tail-head, s[tail:]), "\ufffd")
}

// Marshal encodes v as JSON for a model, without escaping <, > and &.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
