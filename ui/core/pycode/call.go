package pycode

import (
	"slices"
	"strings"
)

// A call is a call of a function by its name.
type call struct {
	path     []string // names that lead to the function, for example plt and title
	receiver string   // source text before the last name and its dot; "" if there is none
	args     [][]token
	end      int // index of the closing bracket
	from     int // index of the first token, which may be the receiver's
}

func (c call) root() string { return c.path[0] }
func (c call) last() string { return c.path[len(c.path)-1] }

// method reports whether the function is an attribute of something.
func (c call) method() bool { return c.receiver != "" }

// calls returns the calls in a statement, in the order of their execution.
func calls(tokens []token) []call {
	var found []call
	for i, t := range tokens {
		end := partner(tokens, i)
		if !t.is("(") || end < 0 || i == 0 || tokens[i-1].kind != name || slices.Contains(keywords, tokens[i-1].word) {
			continue
		}
		path, from := chain(tokens, i-1)
		if from > 0 && (tokens[from-1].is("def") || tokens[from-1].is("class")) {
			continue
		}
		c := call{path: path, args: arguments(tokens, i), end: end, from: from}
		if from < i-1 {
			c.receiver = written(tokens[from : i-2])
		}
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b call) int { return a.end - b.end })
	return found
}

// keywords lists words that may precede a bracket without a call.
var keywords = []string{
	"and", "as", "assert", "await", "del", "elif", "else", "except", "for", "from", "if", "import", "in", "is",
	"lambda", "not", "or", "raise", "return", "while", "with", "yield",
}

// chain returns the names of an attribute, such as a.b[0].c, whose last name is at index i,
// and the index where it begins. If it begins with an expression, the first name is "".
func chain(tokens []token, i int) (path []string, from int) {
	path, from = []string{tokens[i].word}, i
	for from >= 2 && tokens[from-1].is(".") && len(path) < mostChain {
		k := from - 2
		for k >= 0 && (tokens[k].is(")") || tokens[k].is("]")) && partner(tokens, k) >= 0 {
			k = partner(tokens, k) - 1
		}
		if k < 0 || tokens[k].kind != name || slices.Contains(keywords, tokens[k].word) {
			return append([]string{""}, path...), k + 1
		}
		path, from = append([]string{tokens[k].word}, path...), k
	}
	return path, from
}

// written returns the source text of tokens without spaces.
func written(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.word)
	}
	return b.String()
}

// arguments returns the arguments in the bracket at index open.
func arguments(tokens []token, open int) (args [][]token) {
	end := partner(tokens, open)
	from := open + 1
	for i := from; i <= end; i++ {
		switch {
		case i == end || tokens[i].is(","):
			if from < i {
				args = append(args, tokens[from:i])
			}
			from = i + 1
		default:
			i = past(tokens, i)
		}
	}
	return args
}

// positional returns the first argument if it is positional, or nil.
func (c call) positional() []token {
	if len(c.args) == 0 || isNamed(c.args[0]) {
		return nil
	}
	return c.args[0]
}

// named returns the value of a keyword argument, or nil if there is none.
func (c call) named(key string) []token {
	for _, a := range c.args {
		if isNamed(a) && a[0].word == key {
			return a[2:]
		}
	}
	return nil
}

func isNamed(arg []token) bool { return len(arg) > 2 && arg[0].kind == name && arg[1].is("=") }

// literal returns the text of tokens, with white space collapsed. ok is false if they are not
// only string literals.
func literal(tokens []token) (said string, ok bool) {
	if n := len(tokens); n > 2 && tokens[0].is("(") && tokens[n-1].is(")") {
		tokens = tokens[1 : n-1]
	}
	for _, t := range tokens {
		if t.kind != text || !t.plain {
			return "", false
		}
		said += t.word
	}
	return strings.Join(strings.Fields(said), " "), len(tokens) > 0
}
