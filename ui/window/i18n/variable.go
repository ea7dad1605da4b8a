package i18n

import (
	"regexp"
	"strconv"
	"strings"
)

// The forms of a variable's size, as get_variables gives it; see [catalog.Variable].
var (
	tableSize  = regexp.MustCompile(`(\d+) rows × (\d+) cols`)
	itemsSize  = regexp.MustCompile(`(\d+) items?`)
	bytesSize  = regexp.MustCompile(`(\d+) bytes`)
	pixelsSize = regexp.MustCompile(`(\d+)×(\d+) px`)
	shapeSize  = regexp.MustCompile(`^\(\d+(, \d+)*,?\)$`)
	andMore    = regexp.MustCompile(`^and (\d+) more$`)
	held       = regexp.MustCompile(`^(.*? \([^(),]+, )(.+)\)$`) // "name (type, size)"
)

// VariableSize is a variable's size, which get_variables gives in English, in the words of
// the language.
func (c *Catalog) VariableSize(size string) string {
	one := func(form *regexp.Regexp) []string {
		if m := form.FindStringSubmatch(size); m != nil && m[0] == size {
			return m[1:]
		}
		return nil
	}
	if n := one(tableSize); n != nil {
		return c.T("variables.shape", Grouped(n[0]), Grouped(n[1]))
	}
	if n := one(itemsSize); n != nil {
		if n[0] == "1" && c.Has("variables.items.one") {
			return c.T("variables.items.one")
		}
		return c.T("variables.items", Grouped(n[0]))
	}
	if n := one(bytesSize); n != nil {
		if bytes, err := strconv.ParseInt(n[0], 10, 64); err == nil {
			return Bytes(bytes)
		}
	}
	if n := one(pixelsSize); n != nil {
		return Grouped(n[0]) + " × " + Grouped(n[1]) + " px"
	}
	if shapeSize.MatchString(size) {
		dims := strings.Split(strings.Trim(size, "(,)"), ", ")
		for i := range dims {
			dims[i] = Grouped(dims[i])
		}
		return strings.Join(dims, " × ")
	}
	return size
}

// HeldVariable is a variable that an ended session had, for example "df (DataFrame, 1000 rows
// × 5 cols)", or how many more it had, in the words of the language.
func (c *Catalog) HeldVariable(text string) string {
	if m := andMore.FindStringSubmatch(text); m != nil {
		return c.T("banner.and_more", Grouped(m[1]))
	}
	m := held.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return m[1] + c.VariableSize(m[2]) + ")"
}

// Grouped is a number with its digits in groups of three, as both languages write it.
func Grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
