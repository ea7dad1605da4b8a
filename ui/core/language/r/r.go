// Package r has the code that Easel runs in kernels of the language R.
//
// # Goroutines
//
// It has no state, and its functions may be called from any goroutine.
package r

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.R
var files embed.FS

// source are the files one after the other: they only define functions. name says which version they are.
var source, name = func() (string, string) {
	var all strings.Builder
	entries, _ := files.ReadDir(".") // embedded
	for _, e := range entries {
		text, _ := files.ReadFile(e.Name())
		all.Write(text)
	}
	text := ascii(all.String())
	sum := sha256.Sum256([]byte(text))
	return text, "easel_" + hex.EncodeToString(sum[:4])
}()

// ascii writes the other characters of R's strings as escapes. R reads no long text with them in every locale.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r > '~' {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func escape(r rune) string { return `\U{` + strconv.FormatInt(int64(r), 16) + `}` }

// functions are those that Code calls.
var functions = []string{"variables", "dataframe", "table", "keep", "has", "draw"}

// Code returns R code that calls a function of this package's files and has its answer in a page of the reply; "" if there is no
// such function. The functions are in an environment that IRkernel has for its own use, so that the user's environment and
// search path stay as they are. If they are not there, load defines them, and otherwise the answer says so. args are
// texts, numbers, bools and lists of texts.
func Code(function string, load bool, args ...any) string {
	if !slices.Contains(functions, function) {
		return ""
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = literal(a)
	}
	defined := ""
	if load {
		defined = quote(source)
	}
	const form = "# %s\nbase::eval(base::quote((function(at, defined, what, args) {\n%s})(%s, %s, %s, list(%s))), " +
		"base::new.env(parent = base::baseenv()))"
	return fmt.Sprintf(form,
		Mark, call, quote(name), cmp.Or(defined, "NULL"), quote(function), strings.Join(list, ", "))
}

// call runs in the user's kernel, where the arguments of Code's function are known.
//
// It finds the names of package base, whatever the user calls the same.
//
//go:embed call.r
var call string

// Mark is in the first line of all of Easel's own code. IRkernel shows silent code to its other clients.
const Mark = "Easel reads this kernel; nothing of yours is changed"

func literal(a any) string {
	switch a := a.(type) {
	case string:
		return quote(a)
	case bool:
		return strings.ToUpper(strconv.FormatBool(a))
	case []string:
		list := make([]string, len(a))
		for i, s := range a {
			list[i] = quote(s)
		}
		return "list(" + strings.Join(list, ", ") + ")"
	default: // a number
		raw, _ := json.Marshal(a)
		return string(raw)
	}
}

// quote returns s as a string literal of R, which knows the escapes of JSON but not those of UTF-16, and no zero bytes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == 0:
		case r < ' ' || r > '~':
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
