package pycode

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// buffer stands for a file in memory in what names may mean.
const buffer = "\x01"

// fold returns the text that an expression gives, if the cell and those before it tell.
func (r *riskReader) fold(tokens []token) (string, bool) {
	if r.folding++; r.folding > mostInner {
		r.folding--
		return "", false
	}
	defer func() { r.folding-- }()
	for len(tokens) > 2 && tokens[0].is("(") && past(tokens, 0) == len(tokens)-1 {
		tokens = tokens[1 : len(tokens)-1]
	}
	if len(tokens) == 0 {
		return "", false
	}
	for _, operator := range []string{"+", "/"} {
		parts := splitAt(tokens, operator)
		if len(parts) < 2 {
			continue
		}
		var all []string
		for _, p := range parts {
			said, ok := r.fold(p)
			if !ok {
				return "", false
			}
			all = append(all, said)
		}
		if operator == "+" {
			return strings.Join(all, ""), true
		}
		return joined(all), true
	}
	if tokens[0].kind == text {
		return r.foldTexts(tokens)
	}
	if len(tokens) == 1 && tokens[0].kind == name {
		values := r.known.values[plainName(tokens[0].word)]
		if len(values) == 1 && values[0] != unknown && values[0] != buffer {
			return values[0], true
		}
		return "", false
	}
	return r.foldCall(tokens)
}

// foldTexts returns the value of adjacent string literals.
func (r *riskReader) foldTexts(tokens []token) (string, bool) {
	var b strings.Builder
	for _, t := range tokens {
		switch {
		case t.kind != text:
			return "", false
		case t.plain:
			b.WriteString(t.word)
		case len(t.fields) == 0:
			return "", false
		default:
			rest := t.word
			for _, field := range t.fields {
				before, after, ok := strings.Cut(rest, "{"+field+"}")
				said, known := r.fold(statementOf(field))
				if !ok || !known || strings.ContainsAny(before, `{}\`) {
					return "", false
				}
				b.WriteString(before + said)
				rest = after
			}
			if strings.ContainsAny(rest, `{}\`) {
				return "", false
			}
			b.WriteString(rest)
		}
	}
	return b.String(), true
}

// statementOf returns the tokens of an expression.
func statementOf(code string) []token {
	out := scan("(" + code + "\n)").out
	if len(out) != 1 {
		return nil
	}
	return out[0].tokens
}

// foldCall returns the path that a call makes of literal ones.
func (r *riskReader) foldCall(tokens []token) (string, bool) {
	end := len(tokens) - 1
	open := end + tokens[end].match // of the last call
	if !tokens[end].is(")") || open < 1 || open >= end {
		return "", false
	}
	dotted, from := chain(tokens, open-1)
	switch args := arguments(tokens, open); {
	case len(args) > 0:
	case from == 0 && slices.ContainsFunc(r.fullNames(dotted), func(full string) bool {
		return full == "pathlib.Path.cwd" || full == "os.getcwd"
	}):
		return ".", !r.known.moved
	case open > 2 && tokens[open-2].is(".") && (tokens[open-1].is("resolve") || tokens[open-1].is("absolute")): // Path("out").resolve()
		return r.fold(tokens[:open-2])
	}
	if from != 0 || !slices.ContainsFunc(r.fullNames(dotted), func(full string) bool {
		return full == "os.path.join" || full == "pathlib.Path" || full == "pathlib.PurePath" || full == "str" || full == "os.fspath"
	}) {
		return "", false
	}
	var all []string
	for _, a := range arguments(tokens, open) {
		said, ok := r.fold(a)
		if !ok {
			return "", false
		}
		all = append(all, said)
	}
	return joined(all), true
}

// guess is like fold, with unknown for what is not known.
func (r *riskReader) guess(tokens []token) string {
	if r.folding++; r.folding > mostInner {
		r.folding--
		return unknown
	}
	defer func() { r.folding-- }()
	if said, ok := r.fold(tokens); ok {
		return said
	}
	for len(tokens) > 2 && tokens[0].is("(") && past(tokens, 0) == len(tokens)-1 {
		tokens = tokens[1 : len(tokens)-1]
	}
	for _, operator := range []string{"+", "/"} {
		if parts := splitAt(tokens, operator); len(parts) > 1 {
			var all []string
			for _, p := range parts {
				all = append(all, r.guess(p))
			}
			return strings.Join(all, strings.Trim(operator, "+"))
		}
	}
	if len(tokens) == 1 && tokens[0].kind == text && len(tokens[0].fields) > 0 {
		said := tokens[0].word
		for _, f := range tokens[0].fields {
			field := regexp.MustCompile(`\{` + regexp.QuoteMeta(f) + `(?::[^{}]*)?\}`) // a format adds no folder
			if at := field.FindStringIndex(said); at != nil {
				said = said[:at[0]] + r.guess(statementOf(f)) + said[at[1]:]
			}
		}
		if strings.ContainsAny(said, "{}") {
			return unknown
		}
		return said
	}
	if len(tokens) == 1 && tokens[0].kind == name {
		if e := r.known.paths[plainName(tokens[0].word)]; e != "" {
			return e
		}
	}
	if open := slices.IndexFunc(tokens, func(t token) bool { return t.is("(") }); open > 0 && past(tokens, open) == len(tokens)-1 {
		if dotted, from := chain(tokens, open-1); from == 0 && slices.Contains(r.fullNames(dotted), "os.path.join") {
			var all []string
			for _, a := range arguments(tokens, open) {
				all = append(all, r.guess(a))
			}
			return strings.Join(all, "/")
		}
	}
	return unknown
}

// joined joins parts of a path as Python does.
func joined(parts []string) string {
	whole := ""
	for _, p := range parts {
		if absolute(p) {
			whole = p
			continue
		}
		whole = path.Join(whole, p)
	}
	return whole
}

// splitAt splits tokens at an operator outside of brackets.
func splitAt(tokens []token, operator string) (parts [][]token) {
	from := 0
	for i := 0; i < len(tokens); i++ {
		if tokens[i].is(operator) {
			parts = append(parts, tokens[from:i])
			from = i + 1
		}
		i = past(tokens, i)
	}
	return append(parts, tokens[from:])
}

// fullNames returns what a dotted name may be, in full.
func (r *riskReader) fullNames(dotted []string) (full []string) {
	root := plainName(dotted[0])
	rest := ""
	if len(dotted) > 1 {
		rest = "." + plainName(strings.Join(dotted[1:], "."))
	}
	meanings := r.known.meanings[root]
	for _, m := range meanings {
		full = append(full, m+rest)
	}
	if len(meanings) == 0 || r.known.assigned[root] {
		full = append(full, root+rest)
	}
	return full
}

// pathOf returns the argument that names a file: the one with an index, or one by its name. all says that
// it may be missing because arguments are unpacked.
func pathOf(args [][]token, index int) (argument []token, given bool) {
	for i, a := range args {
		switch {
		case a[0].is("*"):
			return a, true
		case isNamed(a) && slices.Contains(pathKeys, a[0].word):
			return a[2:], true
		case !isNamed(a) && i == index:
			return a, true
		}
	}
	return nil, false
}

// isBuffer reports whether an expression is a file in memory.
func (r *riskReader) isBuffer(tokens []token) bool {
	if len(tokens) == 3 && tokens[0].is("sys") && (tokens[2].is("stdout") || tokens[2].is("stderr")) {
		return true
	}
	if len(tokens) == 1 && tokens[0].kind == name {
		values := r.known.values[plainName(tokens[0].word)]
		return len(values) == 1 && values[0] == buffer
	}
	return inMemory(tokens)
}

// inMemory reports whether an expression makes a file in memory, or a writer that was looked at where it was made.
func inMemory(tokens []token) bool {
	open := slices.IndexFunc(tokens, func(t token) bool { return t.is("(") })
	return open > 0 && past(tokens, open) == len(tokens)-1 &&
		slices.ContainsFunc([]string{"BytesIO", "StringIO", "ExcelWriter", "PdfPages"}, tokens[open-1].is)
}
