// Package language is what Easel knows of the languages of kernels. A new one is a folder with the code that Easel runs
// in its kernels, as r is, and a value here; see docs/adr/0053-a-language-is-a-value.md.
//
// # Goroutines
//
// It has no state, and its functions may be called from any goroutine.
package language

import (
	"cmp"
	"strings"

	"easel/ui/core/language/r"
	"easel/ui/core/pycode"
	"easel/ui/core/rcode"
)

// A Language is what Easel knows of a language. Without a field, its kernels only run code: output, errors and plots
// need none of them.
type Language struct {
	Name string // as people write it, for example "R"

	// Code returns code that calls a function of Easel's own in a kernel, or "" if there is no such function. The code hands the
	// answer over as JSON, in a page of the reply: {"unloaded": true} if the kernel does not have the functions, which load
	// defines, or {"error": "why"}. Nil: kernels of this language answer nothing; Python's are asked by package inspect.
	Code func(function string, load bool, args ...any) string

	// Titles returns the titles of the first figures that code draws, as far as they are certain without running it.
	Titles func(code string) []string

	// Missing returns the package that an error says is missing, or "".
	Missing func(message string) string
	// Where says which line of code failed, if the error itself does not say it; "" if that is not certain.
	Where func(code, message, traceback string) string
	// Quits means that code can ask to end the kernel, and the kernel leaves that to its client.
	Quits bool
	// Install returns the code that installs a package for a kernel.
	Install func(pkg string) string
}

// Can reports whether kernels of the language have a function of Easel's own.
func (l Language) Can(function string) bool { return l.Code != nil && l.Code(function, false) != "" }

// Asks reports whether code is Easel's own, with which it reads a kernel.
func Asks(code string) bool { return strings.HasPrefix(code, "# "+r.Mark+"\n") }

// languages are those that Easel knows, by the names that kernels report, in lower case.
var languages = map[string]Language{
	"python": {Name: "Python", Titles: pycode.Titles},
	"r": {
		Name: "R", Code: r.Code, Titles: rcode.Titles, Missing: rcode.Missing, Install: rcode.Install, Where: rcode.Where,
		Quits: true,
	},
}

// Guess guesses the language of a kernelspec from its name; "" if its name does not say it.
func Guess(kernel string) string {
	kernel = strings.ToLower(kernel)
	for _, l := range []string{"python", "julia", "bash"} {
		if strings.HasPrefix(kernel, l) {
			return l
		}
	}
	if kernel == "ir" || strings.HasPrefix(kernel, "ir-") || strings.HasPrefix(kernel, "ir_") || kernel == "xr" {
		return "R"
	}
	return ""
}

// Of returns the language that a kernel or a kernelspec reports. One that Easel does not know has only a name. No name means
// Python, as for a kernel that has not said its language yet.
func Of(name string) Language {
	if known, ok := languages[strings.ToLower(cmp.Or(name, "python"))]; ok {
		return known
	}
	return Language{Name: strings.ToUpper(name[:1]) + name[1:]}
}
