package difference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostKeys is the largest number of keys in a Result.
const mostKeys = 8

// Data compares the data of two figures of one MIME type, without what is random in it: the
// names that libraries give to the parts of a page. JSON is compared by value, everything
// else as text. The verdict is Identical or Different.
func Data(mime string, stored, fresh []byte) Result {
	same := Result{Verdict: Identical}
	if bytes.Equal(stored, fresh) {
		return same
	}
	if a, ok := parse(stored); ok && strings.HasSuffix(mime, "json") {
		if b, ok := parse(fresh); ok {
			if keys := differingKeys(a, b); len(keys) > 0 {
				return Result{Verdict: Different, Keys: keys}
			}
			return same
		}
	}
	if plainText(mime, stored) == plainText(mime, fresh) {
		return same
	}
	return Result{Verdict: Different}
}

func parse(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

var (
	// randomName matches UUIDs and hexadecimal hashes.
	randomName = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32,}`)
	// svgName matches the random names of markers and clips in an SVG by matplotlib.
	svgName = regexp.MustCompile(`\b[mpCh][0-9a-f]{10}\b`)
	svgNote = regexp.MustCompile(`(?s)<metadata>.*?</metadata>`)
	spaces  = regexp.MustCompile(`\s+`)
)

// plainText is a text with its random names numbered in order of appearance.
func plainText(mime string, data []byte) string {
	text := string(data)
	n := numbers{}
	if strings.Contains(mime, "svg") {
		text = svgName.ReplaceAllStringFunc(svgNote.ReplaceAllString(text, ""), n.of)
	}
	return spaces.ReplaceAllString(randomName.ReplaceAllStringFunc(text, n.of), " ")
}

// numbers numbers names in order of appearance.
type numbers map[string]int

func (n numbers) of(name string) string {
	if n[name] == 0 {
		n[name] = len(n) + 1
	}
	return "#" + strconv.Itoa(n[name])
}

// differingKeys returns what differs in two values of JSON.
func differingKeys(a, b any) []string {
	c := comparison{a: numbers{}, b: numbers{}}
	c.values("", a, b)
	return c.keys
}

type comparison struct {
	a, b numbers // of the random names on each side
	keys []string
}

func (c *comparison) differ(path string) {
	if path = cmp.Or(path, "(all)"); len(c.keys) < mostKeys && !slices.Contains(c.keys, path) {
		c.keys = append(c.keys, path)
	}
}

// ignored reports whether a key holds nothing but a random name.
func ignored(key string) bool { return key == "uid" || key == "uuid" || key == "docid" }

func (c *comparison) values(path string, a, b any) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			c.objects(path, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			c.arrays(path, a, b)
			return
		}
	default:
		if c.scalars(a, b) {
			return
		}
	}
	c.differ(path)
}

func (c *comparison) objects(path string, a, b map[string]any) {
	one, other := keysOf(a), keysOf(b)
	for _, key := range slices.Sorted(maps.Keys(one)) {
		at := path + "." + key
		if path == "" {
			at = key
		}
		theirs, ok := other[key]
		if !ok {
			c.differ(at)
			continue
		}
		c.values(at, a[one[key]], b[theirs])
	}
	for _, key := range slices.Sorted(maps.Keys(other)) {
		if _, ok := one[key]; !ok {
			c.differ(strings.TrimPrefix(path+"."+key, "."))
		}
	}
}

// keysOf maps the keys of an object, without random names, to those in the data.
func keysOf(object map[string]any) map[string]string {
	keys := make(map[string]string, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if ignored(key) {
			continue
		}
		plain := randomName.ReplaceAllString(key, "#")
		for keys[plain] != "" {
			plain += "#"
		}
		keys[plain] = key
	}
	return keys
}

// arrays compares arrays. Of one without objects and arrays, it reports only the whole.
func (c *comparison) arrays(path string, a, b []any) {
	if len(a) != len(b) {
		c.differ(path)
		return
	}
	for i := range a {
		if scalar(a[i]) && scalar(b[i]) {
			if !c.scalars(a[i], b[i]) {
				c.differ(path)
			}
			continue
		}
		c.values(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])
	}
}

func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	default:
		return true
	}
}

// scalars reports whether two values that are neither arrays nor objects are equal. Numbers
// may differ by rounding.
func (c *comparison) scalars(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, err := a.Float64()
		y, err2 := b.Float64()
		return a == b || err == nil && err2 == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	case string:
		b, ok := b.(string)
		return ok && (a == b || randomName.ReplaceAllStringFunc(a, c.a.of) == randomName.ReplaceAllStringFunc(b, c.b.of))
	default:
		return a == b
	}
}
