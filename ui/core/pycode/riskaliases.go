package pycode

import "slices"

// changed adds a risk for each table of the user's that the cell replaces under any name, without giving the name another value:
// in place, or by a value for all of it.
func (r *riskReader) changed() {
	rebound := make(map[string]bool) // parameters of functions, that mean something else
	for _, p := range r.flat {
		function := ""
		if p.deferred != nil {
			function = p.deferred[len(p.deferred)-1] + "\x00"
		}
		if slices.ContainsFunc(p.tokens, func(t token) bool { return t.is("for") }) {
			r.noteAliases(p) // a comprehension uses them before
		}
		own := func(t token) bool {
			return r.isTable(t) || t.kind == name && slices.Contains(p.params, t.word) && !rebound[function+t.word]
		}
		for _, t := range r.inPlace(p.tokens, own) {
			if p.deferred != nil && slices.Contains(p.params, t.word) {
				r.known.changers[p.deferred[len(p.deferred)-1]] = true
				continue
			}
			r.add(p, mention{Risk: Risk{RiskVariable, p.lineOf(t), t.word}})
		}
		for _, g := range targets(p.tokens) {
			rebound[function+g.word] = rebound[function+g.word] || !g.part
		}
		r.noteAliases(p)
	}
}

// isTable reports whether a token is a name of a table of the user's.
func (r *riskReader) isTable(t token) bool {
	n := plainName(t.word)
	return t.kind == name && (r.known.frames[n] || r.known.aliases[n])
}

// inPlace returns the names, of those that own knows, whose table a statement changes as a whole.
func (r *riskReader) inPlace(t []token, own func(token) bool) (all []token) {
	lose := func(tokens ...token) {
		if i := slices.IndexFunc(tokens, own); i >= 0 && !slices.Contains(wordsOf(all), tokens[i].word) {
			all = append(all, tokens[i])
		}
	}
	for i, tok := range t {
		switch {
		case i > 0 && r.asksInPlace(t, i):
			open := enclosing(t, i)
			if tok.kind == text || open < 0 { // the arguments are somewhere else
				open = slices.IndexFunc(t, func(t token) bool { return t.is("(") })
			}
			if open > 0 {
				lose(t[root(t, open-1):open]...)
				if t[open-1].is("partial") || open > 2 && capital(t[open-3].word) { // the table is the first argument
					lose(t[open+1])
				}
			}
		case tok.is("(") && i > 0 && r.known.changers[plainName(t[i-1].word)]:
			for _, arg := range arguments(t, i) {
				lose(bare(arg)...)
			}
		}
	}
	parts := splitAt(t, "=")
	for _, left := range parts[:len(parts)-1] {
		last := len(left) - 1
		if last < 1 || !left[last].is("]") {
			continue
		}
		if open := last + left[last].match; open >= 0 && open < last && isAll(left[open+1:last]) {
			lose(left[root(left, last):]...)
		}
	}
	return all
}

func wordsOf(tokens []token) (words []string) {
	for _, t := range tokens {
		words = append(words, t.word)
	}
	return words
}

// asksInPlace reports whether the token at an index is an argument with which methods change their table, or may be.
func (r *riskReader) asksInPlace(t []token, i int) bool {
	if t[i].kind == text {
		return t[i].word == "inplace" && i+1 < len(t) && t[i+1].is(":")
	}
	if t[i-1].is("*") && i > 1 && t[i-2].is("*") && r.known.changers[plainName(t[i].word)] {
		return true
	}
	return t[i].is("inplace") && i+2 < len(t) && t[i+1].is("=") && !t[i+2].is("False")
}

// isAll reports whether an index means all of a table.
func isAll(index []token) bool {
	return len(index) > 0 && !slices.ContainsFunc(index, func(t token) bool { return !t.is(":") && !t.is(",") && !t.is("...") && !t.is(".") })
}

// enclosing returns where the innermost bracket opens around a token, or -1.
func enclosing(t []token, i int) int {
	for k := i - 1; k >= 0; k-- {
		if t[k].match > 0 && k+t[k].match > i {
			return k
		}
	}
	return -1
}

// root returns where the expression begins that ends with a token: a name, its attributes, calls and parts.
func root(t []token, i int) int {
	for i > 0 {
		switch {
		case t[i].match < 0:
			from := i + t[i].match
			if from == 0 || t[from-1].kind != name && !t[from-1].is("]") && !t[from-1].is(")") {
				return from
			}
			i = from - 1
		case t[i-1].is(".") && i > 1:
			i -= 2
		default:
			return i
		}
	}
	return 0
}

// noteAliases notes which names of a statement mean a table of the user's, or hold one, and which do so no more.
func (r *riskReader) noteAliases(p placedStatement) {
	t := p.tokens
	if parts := splitAt(t, "="); len(parts) > 1 && len(parts[len(parts)-1]) > 0 {
		value := parts[len(parts)-1]
		held := slices.ContainsFunc(bare(value), r.isTable)
		for _, g := range targets(t) {
			if n := plainName(g.word); !g.part && !r.known.frames[n] && g.at < value[0].at {
				r.known.aliases[n], r.known.changers[n] = held, r.saysInPlace(value)
			}
		}
	}
	for i, tok := range t {
		if !tok.is("for") {
			continue
		}
		in := slices.IndexFunc(t[i:], func(t token) bool { return t.is("in") })
		if in < 0 {
			return
		}
		over := t[i+in+1:]
		held := slices.ContainsFunc(bare(over), r.isTable)
		if len(over) > 0 && r.known.frames[plainName(over[0].word)] {
			held = held && len(over) > 1 && (over[1].is(".") || over[1].is(",")) // otherwise the names of its columns
		}
		for _, target := range t[i+1 : i+in] {
			if target.kind == name && !r.known.frames[plainName(target.word)] {
				r.known.aliases[plainName(target.word)] = held
			}
		}
	}
}

// saysInPlace reports whether a value is a function that changes its argument, or arguments with which a method does.
func (r *riskReader) saysInPlace(value []token) bool {
	if !value[0].is("lambda") && !value[0].is("{") && !value[0].is("dict") {
		return false
	}
	for i := 1; i < len(value); i++ {
		if r.asksInPlace(value, i) {
			return true
		}
	}
	return false
}

// sameData are attributes of a table that have its data, or change it.
var sameData = set(`values array loc iloc at iat T drop dropna fillna replace rename sort_values sort_index reset_index set_index drop_duplicates
		clip where mask interpolate ffill bfill eval query`)

// sameCalls are functions and methods whose result has the data of a table, or its names.
var sameCalls = set(`to_numpy items values enumerate zip list tuple dict reversed iter asarray view partial`)

// bare returns the names in an expression whose objects are its value or in it, other than as a table that is computed of them.
func bare(t []token) (names []token) {
	for i := 0; i < len(t); i++ {
		tok := t[i]
		if tok.kind != name || i > 0 && (t[i-1].is(".") || t[i-1].is("in")) || i+1 < len(t) && t[i+1].is("=") {
			if tok.is("(") && i > 0 && (t[i-1].kind == name && !sameCalls[t[i-1].word] || t[i-1].is(")")) {
				i += tok.match // the arguments of a function that computes
			}
			continue
		}
		k := i
		for k+2 < len(t) && t[k+1].is(".") && (sameData[t[k+2].word] || sameCalls[t[k+2].word]) {
			k += 2
			if k+2 < len(t) && t[k+1].is("(") && sameCalls[t[k].word] {
				k += 1 + t[k+1].match
			}
		}
		if k+1 == len(t) || joins[t[k+1].word] || t[k+1].kind != name && !goesOn[t[k+1].word] {
			names = append(names, tok)
		}
	}
	return names
}

// joins are words between values of which one is the value of the expression, or from which it is made.
var joins = set(`if else or and for`)

// goesOn are what makes another value of the one before it.
var goesOn = set(`( [ . + - * / // % ** @ < > <= >= == != & | ^`)
