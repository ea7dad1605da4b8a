package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Briefer is an output that has a shorter form for models. MCP gives that in place
// of the output; REST gives the output.
type Briefer interface {
	// Brief is the output without what the model already has or cannot use. It
	// marshals to a JSON object. inlined are the URIs of the pictures that the result
	// carries.
	Brief(inlined []string) any
}

// Shorten keeps the head and the tail of a text of more than limit bytes, and says
// between them how much is left out.
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

// Marshal is v as JSON for a model, which reads <, > and & as they are.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
