package system

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"unicode"
)

// plainWord matches what every shell takes as it is.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// ShellQuote returns text as one word of a command that the user is told to run, for the usual shells of this
// system. A folder that was downloaded may have a name that a shell would run in double quotes. Characters
// that cannot be seen are written by their numbers, which bash and zsh understand.
func ShellQuote(text string) string {
	if runtime.GOOS == "windows" {
		switch {
		case strings.ContainsAny(text, "$`"): // PowerShell runs what is in double quotes
			return "'" + strings.ReplaceAll(text, "'", "''") + "'"
		case plainWord.MatchString(strings.ReplaceAll(text, `\`, "/")):
			return text
		}
		return `"` + text + `"` // no name has one
	}
	switch {
	case plainWord.MatchString(text):
		return text
	case !strings.ContainsFunc(text, invisible):
		return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, r := range text {
		switch {
		case r == '\'', r == '\\':
			b.WriteString(`\` + string(r))
		case r < unicode.MaxASCII && invisible(r):
			fmt.Fprintf(&b, `\%03o`, r)
		case invisible(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}

func invisible(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }
