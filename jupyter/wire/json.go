package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errSyntax means that the input is not JSON.
var errSyntax = errors.New("malformed JSON")

// members calls f with each member of the JSON object data, in order. The values are
// slices of data, not copies, and nothing is scanned twice. encoding/json would read a
// picture of 40 MB three times to find its end. members checks brackets and strings;
// whoever decodes a value checks the rest. null has no members.
func members(data []byte, f func(key string, value json.RawMessage) error) error {
	i := skipSpace(data, 0)
	if bytes.HasPrefix(data[i:], []byte("null")) && skipSpace(data, i+4) == len(data) {
		return nil
	}
	if i == len(data) || data[i] != '{' {
		return fmt.Errorf("%w: not an object", errSyntax)
	}
	i = skipSpace(data, i+1)
	for first := true; i < len(data); first = false {
		if data[i] == '}' {
			if skipSpace(data, i+1) != len(data) {
				return fmt.Errorf("%w: more behind the object", errSyntax)
			}
			return nil
		}
		if !first {
			if data[i] != ',' {
				return fmt.Errorf("%w: no comma at %d", errSyntax, i)
			}
			i = skipSpace(data, i+1)
		}
		keyEnd := skipString(data, i)
		if keyEnd < 0 {
			return fmt.Errorf("%w: no key at %d", errSyntax, i)
		}
		key, err := Text(data[i:keyEnd])
		if err != nil {
			return err
		}
		i = skipSpace(data, keyEnd)
		if i == len(data) || data[i] != ':' {
			return fmt.Errorf("%w: no colon at %d", errSyntax, i)
		}
		i = skipSpace(data, i+1)
		end := skipValue(data, i)
		if end < 0 {
			return fmt.Errorf("%w: no value at %d", errSyntax, i)
		}
		if err := f(key, json.RawMessage(data[i:end:end])); err != nil {
			return err
		}
		i = skipSpace(data, end)
	}
	return fmt.Errorf("%w: it ends too early", errSyntax)
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the end of the string that begins at i, or -1 if there is none.
func skipString(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	i++
	for {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		// The quote ends the string if an even number of backslashes precedes it.
		slashes := 0
		for j := i + n - 1; j >= i && data[j] == '\\'; j-- {
			slashes++
		}
		i += n + 1
		if slashes%2 == 0 {
			return i
		}
	}
}

// skipValue returns the end of the value that begins at i, or -1 if there is none.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		return skipNested(data, i)
	}
	n := bytes.IndexAny(data[i:], ",]}:\"[{ \n\t\r")
	switch {
	case n < 0:
		return len(data)
	case n == 0:
		return -1
	}
	return i + n
}

// skipNested returns the end of the object or array that begins at i, or -1 if it has
// none.
func skipNested(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		case '"':
			if i = skipString(data, i); i < 0 {
				return -1
			}
			continue
		}
		i++
	}
	return -1
}

// Text decodes a JSON string, or an array of strings, which is how notebooks store the
// lines of a long text.
func Text(raw json.RawMessage) (string, error) {
	if n := len(raw); n >= 2 && raw[0] == '"' && raw[n-1] == '"' && plain(raw[1:n-1]) {
		return string(raw[1 : n-1]), nil
	}
	var s string
	if len(raw) > 0 && raw[0] == '[' {
		var lines []string
		if err := json.Unmarshal(raw, &lines); err != nil {
			return "", err
		}
		return strings.Join(lines, ""), nil
	}
	err := json.Unmarshal(raw, &s)
	return s, err
}

// plain reports whether the inside of a JSON string contains no escapes.
func plain(inside []byte) bool {
	for _, c := range inside {
		if c < 0x20 || c == '\\' || c == '"' || c >= 0x80 {
			return false
		}
	}
	return true
}

// Base64 decodes the base64 in a JSON string, for example a picture. It allocates only
// the result.
func Base64(raw json.RawMessage) ([]byte, error) {
	n := len(raw)
	if n < 2 || raw[0] != '"' || raw[n-1] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		s, err := Text(raw) // some kernels insert newlines, which are escaped
		if err != nil {
			return nil, err
		}
		return decodeBase64([]byte(s))
	}
	return decodeBase64(raw[1 : n-1])
}

func decodeBase64(text []byte) ([]byte, error) {
	text = bytes.TrimRight(text, "=\r\n \t")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, err := base64.RawStdEncoding.Decode(out, text)
	if err != nil {
		return nil, err
	}
	return out[:n], nil
}
