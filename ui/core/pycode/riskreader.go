package pycode

import (
	"regexp"
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
	r.replaced()
	magics := len(r.found)
	for round := 0; ; round++ { // functions may use those that are defined below them
		before := r.carried()
		r.found = r.found[:magics]
		for _, p := range r.flat {
			r.statement(p)
		}
		if r.carried() == before {
			return
		}
		if round > 50 {
			r.unseen(1, "functions that call one another")
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

// The limits of what is read. More is a risk that cannot be seen.
const (
	mostCode      = 300_000 // bytes of a cell
	mostTokens    = 60_000  // of a cell
	mostStatement = 8_000   // tokens of a statement
	mostChain     = 40      // attributes of attributes
	mostInner     = 20      // magics and texts with code inside of each other
	mostFound     = 200
	mostCarried   = 20 // risks of a name
)

// prompt matches a prompt that IPython and Python print; IPython takes it away.
var prompt = regexp.MustCompile(`(?m)^[ \t]*(?:In \[\d*\]: ?|>>> ?|\.\.\. ?|[ \t]*\.{3,}: ?)`)

// cell reads the code of a cell, or of its end, which begins after so many lines.
func (r *riskReader) cell(code string, lines int) {
	if r.inner++; r.inner > mostInner || len(code) > mostCode {
		r.unseen(lines+1, "more code than Easel reads")
		return
	}
	defer func() { r.inner-- }()
	code = prompt.ReplaceAllString(code, "")
	trimmed := strings.TrimLeft(code, " \t\n")
	if strings.HasPrefix(trimmed, "%%") {
		lines += strings.Count(code[:len(code)-len(trimmed)], "\n")
		head, body, _ := strings.Cut(trimmed, "\n")
		r.cellMagic(head, body, lines+1)
		return
	}
	s := scan(code)
	if s.odd || strings.ContainsAny(code, unusualEnds) {
		r.unseen(lines+1, "text that is not plain Python")
	}
	r.automagic(s, trimmed, lines+1)
	if total := 0; true {
		for _, st := range s.out {
			if total += len(st.tokens); len(st.tokens) > mostStatement || total > mostTokens {
				r.unseen(lines+1, "more code than Easel reads")
				return
			}
		}
	}
	outer := r.blocks
	r.blocks, r.local = nil, locals(s)
	decorated, magics := false, s.magics
	for _, st := range s.out {
		if st.tokens[0].is(",") || st.tokens[0].is("/") || strings.HasPrefix(strings.TrimLeft(code[strings.LastIndexByte(code[:st.tokens[0].at], '\n')+1:], " \t"), ";") {
			r.unseen(lines+1+strings.Count(code[:st.tokens[0].at], "\n"), "a call in IPython's own form")
		}
		for len(magics) > 0 && magics[0].at < st.tokens[0].at {
			r.placeMagic(magics[0], code, lines)
			magics = magics[1:]
		}
		decorated = r.place(st, code, lines, decorated)
	}
	for _, m := range magics {
		r.placeMagic(m, code, lines)
	}
	r.blocks = outer
}

// unseen notes that something of the cell cannot be seen, so that it may define any name.
func (r *riskReader) unseen(line int, what string) {
	r.known.injected = true
	r.found = append(r.found, mention{Risk: Risk{RiskUnseen, line, what}})
}

// locals returns the names of the functions that a cell defines.
func locals(s *scanner) map[string]bool {
	all := make(map[string]bool)
	for _, st := range s.out {
		for i := range len(st.tokens) - 1 {
			if st.tokens[i].is("def") || st.tokens[i].is("class") {
				all[st.tokens[i+1].word] = true
			}
		}
	}
	return all
}

// leave leaves the functions and classes whose body does not contain what begins in a column.
func (r *riskReader) leave(column int) {
	for len(r.blocks) > 0 && r.blocks[len(r.blocks)-1].column >= column {
		r.blocks = r.blocks[:len(r.blocks)-1]
	}
}

// placeMagic reads a line in IPython's own syntax, which may be in the body of a function.
func (r *riskReader) placeMagic(m magic, code string, lines int) {
	start := strings.LastIndexByte(code[:m.at], '\n') + 1
	r.leave(m.at - start)
	p := placedStatement{tokens: []token{{kind: other, at: m.at}}, source: code, lines: lines, deferred: r.deferring()}
	r.lineMagic(p, m.text, p.lineOf(p.tokens[0]))
}

// compound are the words with which a statement begins that has others in its body.
var compound = words(`if elif else for while with try except finally match case async`)

// headerEnd returns the index of the colon after which the body of a statement begins; -1 if it has none.
func headerEnd(tokens []token) int {
	lambdas := 0
	for i := 0; i < len(tokens); i++ {
		switch {
		case tokens[i].is("lambda"):
			lambdas++
		case tokens[i].is(":") && lambdas > 0:
			lambdas--
		case tokens[i].is(":"):
			return i
		}
		i = past(tokens, i)
	}
	return -1
}

// place notes a statement with the functions whose body it belongs to. It reports whether the statement is a decorator
// that may run the function that follows.
func (r *riskReader) place(st statement, code string, lines int, decorated bool) (decorates bool) {
	if !st.joined {
		r.leave(st.column)
	}
	before := len(r.flat)
	r.put(placedStatement{tokens: st.tokens, source: code, lines: lines}, st, decorated)
	if t := st.tokens; len(t) > 2 && (t[0].is("def") || t[0].is("class") || t[0].is("async")) {
		for i := before - 1; i >= 0 && r.flat[i].tokens[0].is("@"); i-- {
			r.flat[i].decorates = plainName(t[slices.IndexFunc(t, func(t token) bool { return t.is("def") || t.is("class") })+1].word)
		}
	}
	return st.tokens[0].is("@") && !r.harmlessDecorator(st.tokens)
}

// put notes a statement, and what is in its body on the same line.
func (r *riskReader) put(p placedStatement, st statement, decorated bool) {
	tokens := p.tokens
	p.deferred = r.deferring()
	if slices.ContainsFunc(tokens, func(t token) bool { return t.is("yield") }) && len(p.deferred) > 0 {
		r.generators[p.deferred[len(p.deferred)-1]] = true
	}
	if len(r.blocks) > 0 {
		p.params, p.escapes = r.blocks[len(r.blocks)-1].params, r.blocks[len(r.blocks)-1].given
	}
	at := 0
	if tokens[0].is("async") {
		at = 1
	}
	defines := at+1 < len(tokens) && (tokens[at].is("def") || tokens[at].is("class"))
	colon := -1
	if tokens[0].kind == name && (defines || slices.Contains(compound, tokens[0].word)) {
		colon = headerEnd(tokens)
	}
	if colon < 0 {
		r.flat = append(r.flat, p)
		return
	}
	body := tokens[colon+1:]
	p.tokens = tokens[:colon]
	if len(p.tokens) > 0 {
		r.flat = append(r.flat, p)
	}
	if defines {
		outer := defBlock{}
		if len(r.blocks) > 0 {
			outer = r.blocks[len(r.blocks)-1]
		}
		later := outer.body || tokens[at].is("def") && !decorated
		b := defBlock{
			column: st.column, names: append(slices.Clone(outer.names), plainName(tokens[at+1].word)), body: later,
			params: parameters(p.tokens), given: decorated || outer.given,
		}
		if st.joined || len(r.blocks) > 0 && st.column <= outer.column {
			b.column = max(b.column, outer.column+1)
		}
		r.blocks = append(r.blocks, b)
	}
	if len(body) > 0 {
		p.tokens = body
		r.put(p, st, false)
	}
}

// parameters returns the names of the parameters in the header of a function, without self. One with a value is "" if
// that is not None or False.
func parameters(header []token) (names []string) {
	open := slices.IndexFunc(header, func(t token) bool { return t.is("(") })
	if open < 0 {
		return nil
	}
	for _, a := range arguments(header, open) {
		n := plainName(a[0].word)
		if eq := splitAt(a, "="); len(eq) == 2 && (len(eq[1]) != 1 || !eq[1][0].is("None") && !eq[1][0].is("False")) {
			n = ""
		}
		if n != "self" && n != "cls" {
			names = append(names, n)
		}
	}
	return names
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

func (r *riskReader) harmlessDecorator(tokens []token) bool {
	last := ""
	for _, t := range tokens[1:] {
		if t.is("(") {
			break
		}
		if t.kind == name {
			last = t.word
		}
	}
	return harmlessDecorators[last] && !r.local[last] && (!r.known.assigned[last] || r.known.meanings[last] != nil)
}

// assignments notes which names a statement gives a value.
func (r *riskReader) assignments(p placedStatement) {
	t := p.tokens
	r.known.moved = r.known.moved || slices.ContainsFunc(t, func(t token) bool { return t.is("chdir") || t.is("fchdir") })
	r.known.pathed = r.known.pathed || slices.ContainsFunc(t, func(t token) bool { return t.is("sys") }) && slices.ContainsFunc(t, func(t token) bool { return t.is("path") })
	if t[0].is("import") || t[0].is("from") {
		return
	}
	if len(t) > 1 && (t[0].is("def") || t[0].is("class") || t[0].is("async") && len(t) > 2) {
		for i := 1; i < len(t); i++ { // its own name and those of its parameters
			if t[i].kind == name && (t[i-1].is("def") || t[i-1].is("class") || t[i-1].is("(") || t[i-1].is(",") || t[i-1].is("*")) {
				r.assign(p, t[i], unknown)
				if t[i-1].is("def") || t[i-1].is("class") {
					r.known.defined[plainName(t[i].word)] = true
				}
			}
		}
		return
	}
	r.known.outward = r.known.outward || slices.ContainsFunc(t, func(t token) bool { return t.is("pardir") })
	for _, target := range targets(t) {
		value := unknown
		if r.opaque(target.value) || target.part && r.opaque(t) {
			value = hiddenText
		}
		if target.simple && value == unknown {
			if said, ok := r.fold(target.value); ok {
				value = said
			} else if inMemory(target.value) {
				value = buffer
			}
		}
		if target.part && value == unknown { // the name means the same as before
			continue
		}
		r.assign(p, target.token, value)
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

// assign notes that a statement gives a name a value.
func (r *riskReader) assign(p placedStatement, t token, value string) {
	n := plainName(t.word)
	if r.known.pinned[n] && !slices.Contains(r.known.values[n], value) { // a function writes to where this leads
		r.found = append(r.found, mention{Risk: Risk{RiskFiles, p.lineOf(t), n}})
	}
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
				part := i+1 < len(left) && (left[i+1].is(".") || left[i+1].is("[") || left[i+1].is("("))
				all = append(all, target{tok, simple && n == 0, parts[len(parts)-1], part})
			}
		}
	}
	looping := false
	for i, tok := range t {
		last := i+1 == len(t)
		if i > 0 && t[0].is("case") && tok.kind == name && !t[i-1].is(".") && (last || !slices.ContainsFunc([]string{"(", ".", "="}, t[i+1].is)) {
			all = append(all, target{token: tok})
			continue
		}
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
