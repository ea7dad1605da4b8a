package pycode

import (
	"regexp"
	"strings"
	"unicode"
)

// notSubject matches comments that say nothing about the work: for the system or an editor, and code that is turned off.
var notSubject = regexp.MustCompile(`^!|-\*-|coding[:=]|^(type|noqa|pylint|ruff|fmt|mypy|isort):|^(import|from|def|print)\b|[=;{}]|\w\(|^https?://`)

// Subject returns what the comment at the beginning of code says that it is about; "" if the code
// begins with something else. The comments of R and Julia have the same form.
func Subject(code string) string {
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		comment, is := strings.CutPrefix(line, "#")
		switch {
		case line == "":
			continue
		case !is:
			return ""
		}
		comment = strings.TrimSpace(strings.TrimLeft(comment, "#%' ")) // of cells in scripts, and of roxygen
		letters := 0
		for _, r := range comment {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if letters > 2 && !notSubject.MatchString(comment) || letters > 0 && letters <= 2 && hasWide(comment) {
			return strings.TrimRight(strings.Trim(comment, "-=#* "), ".:。： ")
		}
	}
	return ""
}

// hasWide reports whether a text has characters of which one or two are a word, as in Japanese.
func hasWide(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}
