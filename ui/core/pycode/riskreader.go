package pycode

import (
	"slices"
	"strings"
	"unicode"
)

// read finds the risks of the cell, and what it makes known.
func (r *riskReader) read() {
	r.cell(r.code, 0)
	for _, p := range r.flat {
		r.imports(p)
	}
	for _, p := range r.flat {
		r.assignments(p)
	}
	magics := len(r.found)
	for range 6 { // functions may use those that are defined below them
		before := r.carried()
		r.found = r.found[:magics]
		for _, p := range r.flat {
			r.statement(p)
		}
		if r.carried() == before {
			return
		}
	}
}

func (r *riskReader) carried() (n int) {
	for _, m := range r.known.carriers {
		n += len(m)
	}
	return n
}

// unusualEnds are characters at which IPython ends a line and Python does not.
const unusualEnds = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029\x00"

// cell reads the code of a cell, or of its end, which begins after so many lines.
func (r *riskReader) cell(code string, lines int) {
	trimmed := strings.TrimLeft(code, " \t\n")
	if strings.HasPrefix(trimmed, "%%") {
		lines += strings.Count(code[:len(code)-len(trimmed)], "\n")
		head, body, _ := strings.Cut(trimmed, "\n")
		r.cellMagic(head, body, lines+1)
		return
	}
	s := scan(code)
	if s.odd || strings.ContainsAny(code, unusualEnds) {
		r.found = append(r.found, mention{Risk: Risk{RiskUnseen, lines + 1, "text that is not plain Python"}})
	}
	for _, m := range s.magics {
		r.lineMagic(m.text, lines+1+strings.Count(code[:m.at], "\n"))
	}
	r.automagic(s, trimmed, lines+1)
	decorated := false
	for _, st := range s.out {
		decorated = r.place(st, code, lines, decorated)
	}
	r.blocks = nil
}

// place notes a statement with the functions whose body it belongs to. It reports whether the statement is a decorator
// that may run the function that follows.
func (r *riskReader) place(st statement, code string, lines int, decorated bool) (decorates bool) {
	tokens := st.tokens
	if !st.joined {
		for len(r.blocks) > 0 && r.blocks[len(r.blocks)-1].column >= tokens[0].column {
			r.blocks = r.blocks[:len(r.blocks)-1]
		}
	}
	at := 0
	if tokens[0].is("async") {
		at = 1
	}
	p := placedStatement{tokens: tokens, source: code, lines: lines, deferred: r.deferring()}
	if at+1 >= len(tokens) || !tokens[at].is("def") && !tokens[at].is("class") {
		r.flat = append(r.flat, p)
		return tokens[0].is("@") && !harmlessDecorator(tokens)
	}
	colon := slices.IndexFunc(tokens, func(t token) bool { return t.is(":") })
	for colon >= 0 && slices.ContainsFunc(tokens[:colon], func(t token) bool { return t.is("(") || t.is("[") }) && inBrackets(tokens, colon) {
		next := slices.IndexFunc(tokens[colon+1:], func(t token) bool { return t.is(":") })
		if next < 0 {
			colon = -1
			break
		}
		colon += 1 + next
	}
	header, body := tokens, []token(nil)
	if colon >= 0 {
		header, body = tokens[:colon], tokens[colon+1:]
	}
	p.tokens = header
	r.flat = append(r.flat, p)
	outer := defBlock{}
	if len(r.blocks) > 0 {
		outer = r.blocks[len(r.blocks)-1]
	}
	b := defBlock{tokens[0].column, append(slices.Clone(outer.names), plainName(tokens[at+1].word)), outer.body || tokens[at].is("def") && !decorated}
	if st.joined || len(r.blocks) > 0 && tokens[0].column <= outer.column {
		b.column = max(b.column, outer.column+1)
	}
	r.blocks = append(r.blocks, b)
	if len(body) > 0 {
		p.tokens, p.deferred = body, r.deferring()
		r.flat = append(r.flat, p)
	}
	return false
}

// inBrackets reports whether the token at an index is in brackets.
func inBrackets(tokens []token, i int) bool {
	for k := range i {
		if tokens[k].match > 0 && k+tokens[k].match > i {
			return true
		}
	}
	return false
}

// deferring returns the names of the functions, and of their classes, whose body the next statement belongs to.
func (r *riskReader) deferring() []string {
	if len(r.blocks) == 0 || !r.blocks[len(r.blocks)-1].body {
		return nil
	}
	return r.blocks[len(r.blocks)-1].names
}

// harmlessDecorators do not run what they decorate.
var harmlessDecorators = set(`staticmethod classmethod property cached_property lru_cache cache wraps total_ordering dataclass njit jit vectorize guvectorize contextmanager
	abstractmethod setter getter deleter overload singledispatch no_grad inference_mode numba_jit fixture parametrize`)

func harmlessDecorator(tokens []token) bool {
	last := ""
	for _, t := range tokens[1:] {
		if t.is("(") {
			break
		}
		if t.kind == name {
			last = t.word
		}
	}
	return harmlessDecorators[last]
}

// assignments notes which names a statement gives a value.
func (r *riskReader) assignments(p placedStatement) {
	t := p.tokens
	if u := afterColon(t); u[0].is("import") || u[0].is("from") {
		return
	}
	if len(t) > 1 && (t[0].is("def") || t[0].is("class") || t[0].is("async") && len(t) > 2) {
		for i := 1; i < len(t); i++ { // its own name and those of its parameters
			if t[i].kind == name && (t[i-1].is("def") || t[i-1].is("class") || t[i-1].is("(") || t[i-1].is(",") || t[i-1].is("*")) {
				r.assign(t[i], unknown)
			}
		}
		return
	}
	r.known.moved = r.known.moved || slices.ContainsFunc(t, func(t token) bool { return t.is("chdir") || t.is("fchdir") })
	for _, target := range targets(t) {
		value := unknown
		if (&statementReader{riskReader: r}).opaque(target.value) || target.part && (&statementReader{riskReader: r}).opaque(t) {
			value = hiddenText
		}
		if target.simple && value == unknown {
			if said, ok := r.fold(target.value); ok {
				value = said
			} else if inMemory(target.value) {
				value = buffer
			}
		}
		r.assign(target.token, value)
		if n := plainName(target.word); target.simple && value == unknown {
			guess := r.guess(target.value)
			if old, ok := r.known.paths[n]; ok && old != guess {
				guess = ""
			}
			r.known.paths[n] = guess
		} else {
			r.known.paths[n] = ""
		}
	}
}

func (r *riskReader) assign(t token, value string) {
	n := plainName(t.word)
	r.known.assigned[n] = true
	if !slices.Contains(r.known.values[n], value) && len(r.known.values[n]) < 8 {
		r.known.values[n] = append(slices.Clip(r.known.values[n]), value)
	}
}

// A target is a name that a statement gives a value.
type target struct {
	token
	simple bool // the whole statement is "name = value", or "with value as name"
	value  []token
	part   bool // only a part of what it names, such as an attribute
}

// targets returns the names that a statement gives a value.
func targets(t []token) (all []target) {
	parts := splitAt(t, "=")
	for n, left := range parts[:len(parts)-1] {
		simple := len(parts) == 2 && len(left) == 1
		for i, tok := range left {
			if tok.kind == name && (i == 0 || !left[i-1].is(".")) && !slices.Contains(keywords, tok.word) {
				part := i+1 < len(left) && (left[i+1].is(".") || left[i+1].is("["))
				all = append(all, target{tok, simple && n == 0, parts[len(parts)-1], part})
			}
		}
	}
	looping := false
	for i, tok := range t {
		switch {
		case tok.is("for"), tok.is("lambda"):
			looping = true
		case tok.is("in"), tok.is(":"):
			looping = false
		case tok.kind != name || slices.Contains(keywords, tok.word):
		case looping, i+1 < len(t) && t[i+1].is(":="):
			all = append(all, target{token: tok})
		case i > 0 && t[i-1].is("as"):
			from := 0
			if t[0].is("with") {
				from = 1
			}
			all = append(all, target{tok, from == 1 && i > 2, t[from:max(from, i-1)], false})
		case i == 0 && len(t) > 1 && t[1].is(":"):
			all = append(all, target{token: tok})
		}
	}
	return all
}

// replaced adds a risk for each table of the user's that the cell replaces.
func (r *riskReader) replaced() {
	for _, p := range r.flat {
		if p.deferred != nil {
			continue
		}
		for _, g := range targets(p.tokens) {
			if r.known.frames[plainName(g.word)] && !g.part && !inComprehension(p.tokens, g.at) {
				r.found = append(r.found, mention{Risk: Risk{RiskVariable, p.lineOf(g.token), g.word}})
			}
		}
		t := p.tokens
		in := slices.IndexFunc(t, func(t token) bool { return t.is("inplace") })
		if len(t) > 1 && r.known.frames[plainName(t[0].word)] && t[0].kind == name && in > 0 && in+2 < len(t) && t[in+2].is("True") ||
			len(t) == 2 && t[0].is("del") && r.known.frames[plainName(t[1].word)] {
			r.found = append(r.found, mention{Risk: Risk{RiskVariable, p.lineOf(t[0]), t[min(1, len(t)-1)].word}})
			if t[0].kind == name && !t[0].is("del") {
				r.found[len(r.found)-1].What = t[0].word
			}
		}
	}
}

// inComprehension reports whether the name at an offset is inside brackets, so that it is another one.
func inComprehension(tokens []token, at int) bool {
	i := slices.IndexFunc(tokens, func(t token) bool { return t.at == at })
	return i >= 0 && inBrackets(tokens, i)
}

// noteFrames notes the tables that the cell, which the user runs, makes.
func (r *riskReader) noteFrames() {
	for _, p := range r.flat {
		if p.deferred != nil {
			continue
		}
		for _, g := range targets(p.tokens) {
			if g.simple && slices.ContainsFunc(g.value, func(t token) bool {
				return t.kind == name && (frameMakers.MatchString(t.word) || r.known.frames[t.word])
			}) {
				r.known.frames[plainName(g.word)] = true
			}
		}
	}
}

func isDunder(word string) bool {
	return len(word) > 4 && strings.HasPrefix(word, "__") && strings.HasSuffix(word, "__")
}

// capital reports whether a function's name is that of a class.
func capital(word string) bool {
	for _, c := range word {
		return unicode.IsUpper(c)
	}
	return false
}
