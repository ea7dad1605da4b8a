package activity

import (
	"regexp"
	"strconv"
	"strings"

	"easel/ui/window/i18n"
)

// The forms of a variable's size as get_variables returns it; see [catalog.Variable].
var (
	tableSize  = regexp.MustCompile(`(\d+) rows × (\d+) cols`)
	itemsSize  = regexp.MustCompile(`(\d+) items?`)
	bytesSize  = regexp.MustCompile(`(\d+) bytes`)
	pixelsSize = regexp.MustCompile(`(\d+)×(\d+) px`)
	shapeSize  = regexp.MustCompile(`^\(\d+(, \d+)*,?\)$`)
	andMore    = regexp.MustCompile(`^and (\d+) more$`)
	held       = regexp.MustCompile(`^(.*? \([^(),]+, )(.+)\)$`) // "name (type, size)"
)

// sizeText translates a size, which get_variables returns in English.
func sizeText(tr *i18n.Catalog, size string) string {
	one := func(form *regexp.Regexp) []string {
		if m := form.FindStringSubmatch(size); m != nil && m[0] == size {
			return m[1:]
		}
		return nil
	}
	if n := one(tableSize); n != nil {
		return tr.T("variables.shape", grouped(n[0]), grouped(n[1]))
	}
	if n := one(itemsSize); n != nil {
		if n[0] == "1" && tr.Has("variables.items.one") {
			return tr.T("variables.items.one")
		}
		return tr.T("variables.items", grouped(n[0]))
	}
	if n := one(bytesSize); n != nil {
		if bytes, err := strconv.ParseInt(n[0], 10, 64); err == nil {
			return i18n.Bytes(bytes)
		}
	}
	if n := one(pixelsSize); n != nil {
		return grouped(n[0]) + " × " + grouped(n[1]) + " px"
	}
	if shapeSize.MatchString(size) {
		dims := strings.Split(strings.Trim(size, "(,)"), ", ")
		for i := range dims {
			dims[i] = grouped(dims[i])
		}
		return strings.Join(dims, " × ")
	}
	return size
}

// VariableText translates the description of a variable of an ended session, for
// example "df (DataFrame, 1000 rows × 5 cols)", or the text that says how many more
// variables there were.
func VariableText(tr *i18n.Catalog, text string) string {
	if m := andMore.FindStringSubmatch(text); m != nil {
		return tr.T("banner.and_more", grouped(m[1]))
	}
	m := held.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return m[1] + sizeText(tr, m[2]) + ")"
}

// grouped returns a number with its digits in groups of three, as in both languages.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
