package pycode

import "slices"

// replaced adds a risk for each table of the user's that the cell replaces.
func (r *riskReader) replaced() {
	frame := func(t token) bool { return t.kind == name && r.known.frames[plainName(t.word)] }
	for _, p := range r.flat {
		t := p.tokens
		lose := func(tok token) { r.add(p, mention{Risk: Risk{RiskVariable, p.lineOf(tok), tok.word}}) }
		if p.deferred != nil && !t[0].is("global") {
			continue // a name of the function's own
		}
		for i, tok := range t {
			switch {
			case !frame(tok) || i > 0 && t[i-1].is("."):
			case t[0].is("global"), t[0].is("case") && i > 0 && !t[i-1].is("="), i > 0 && (t[i-1].is("def") || t[i-1].is("class")),
				i+1 < len(t) && t[i+1].is(":="), t[0].is("del") && (i+1 == len(t) || t[i+1].is(",") || t[i+1].is(")")):
				lose(tok)
			}
		}
		for _, g := range targets(t) {
			if frame(g.token) && !g.part && !inComprehension(t, g.at) {
				lose(g.token)
			}
		}
	}
	r.changed()
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
