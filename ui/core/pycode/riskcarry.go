package pycode

import (
	"regexp"
	"slices"
	"strings"
)

// statement finds what a statement mentions that is risky.
func (r *riskReader) statement(p placedStatement) {
	if t := p.tokens; t[0].is("import") || t[0].is("from") && len(t) > 2 {
		return
	}
	s := &statementReader{riskReader: r, p: p, t: p.tokens}
	s.read()
	r.registered(p)
	if len(s.loose) == 0 {
		return
	}
	var names []string
	for _, g := range targets(p.tokens) {
		if !g.part || s.stores() {
			names = append(names, plainName(g.word))
		}
	}
	head := p.tokens
	if head[0].is("async") {
		head = head[1:]
	}
	if len(head) > 1 && (head[0].is("class") || head[0].is("def")) { // its bases, or the defaults of its parameters
		names = append(names, plainName(head[1].word))
	}
	if p.decorates != "" {
		names = append(names, p.decorates)
	}
	names = append(names, patched(p.tokens)...)
	if t := p.tokens; len(names) == 0 && s.stores() {
		names = append(names, plainName(t[0].word))
		if t[0].is("setattr") {
			names[0] = plainName(t[2].word)
		}
	}
	for _, m := range s.loose {
		for _, n := range names {
			r.carry(n, m)
		}
	}
}

// stores reports whether the statement only puts a function somewhere, such as d["f"] = os.remove or d.append(os.remove).
func (s *statementReader) stores() bool {
	t := s.t
	if t[0].kind != name || len(t) < 4 {
		return false
	}
	var value []token
	if parts := splitAt(t, "="); len(parts) > 1 {
		value = parts[len(parts)-1]
	} else if end := len(t) - 1; t[end].is(")") && partner(t, end) > 0 && (t[1].is(".") || t[0].is("setattr")) {
		args := arguments(t, partner(t, end))
		if len(args) == 0 {
			return false
		}
		value = args[len(args)-1]
	} else {
		return false
	}
	for i, tok := range value {
		bracket := i > 0 && value[0].is("staticmethod") && (tok.is("(") || tok.is(")"))
		if tok.kind != name && !tok.is(".") && !bracket {
			return false
		}
	}
	return true
}

// patched returns the attributes that a statement gives a value, such as close in Store.close = f: they count
// wherever they are used.
func patched(t []token) (names []string) {
	parts := splitAt(t, "=")
	for _, left := range parts[:len(parts)-1] {
		if end := len(left) - 1; end > 1 && left[end].kind == name && left[end-1].is(".") && left[0].kind == name {
			names = append(names, plainName(left[end].word))
		}
	}
	return names
}

// identifier matches a text that may be the name under which a decorator registers a function.
var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// registered notes what a decorator may be another way to: the function that it belongs to (@area.register), and a name
// in a text (@register_dataframe_accessor("clean")).
func (r *riskReader) registered(p placedStatement) {
	if p.decorates == "" {
		return
	}
	t := p.tokens
	for i, tok := range t {
		n := ""
		switch {
		case tok.kind == text && identifier.MatchString(tok.word):
			n = tok.word
		case tok.is("register") && i > 1 && t[i-1].is(".") && r.known.defined[plainName(t[i-2].word)]:
			n = plainName(t[i-2].word)
		default:
			continue
		}
		for _, m := range r.known.carriers[p.decorates] {
			r.carry(n, m)
		}
	}
}

// globs list the files that a pattern matches.
var globs = set(`glob iglob rglob`)

// hiddenFiles matches a pattern for files or folders that begin with a dot.
var hiddenFiles = regexp.MustCompile(`(?:^|[/\\])\.[^./\\]*[*?\[]`)

// seeksHidden reports whether a pattern may match files with credentials, whose folders have names with a dot.
func (s *statementReader) seeksHidden(args [][]token) bool {
	if len(args) == 0 {
		return false
	}
	return slices.ContainsFunc(args[0], func(t token) bool { return t.kind == text && hiddenFiles.MatchString(t.word) })
}

// duckMethods run SQL of DuckDB in a database in memory.
var duckMethods = set(`execute executemany sql query`)

// leavesMemorySQL matches SQL of DuckDB that reaches files, other databases, extensions or the environment.
var leavesMemorySQL = regexp.MustCompile(`(?i)(?:^|;|\()\s*(?:copy|attach|install|force\s+install|load|export|import|pragma|call|set|detach|checkpoint)\b|\b(?:getenv|read_text|read_blob)\s*\(`)

// leavesMemory reports whether SQL may do more than compute in memory.
func (s *statementReader) leavesMemory(args [][]token) bool {
	if len(args) == 0 {
		return false
	}
	if said, ok := s.fold(args[0]); ok {
		return leavesMemorySQL.MatchString(said)
	}
	said := false
	for _, t := range args[0] {
		if t.kind == text && leavesMemorySQL.MatchString(t.word) {
			return true
		}
		said = said || t.kind == text
	}
	return !said
}

// timed reports whether the name at an index only says in which names timeit runs its code, which is read by itself.
func (s *statementReader) timed(i int, called bool) bool {
	t := s.t
	if !called || i < 2 || !t[i-1].is("=") || !t[i-2].is("globals") {
		return false
	}
	for k := i - 3; k > 0; k-- {
		if t[k].match > 0 && k+t[k].match > i {
			dotted, from := chain(t, k-1)
			return t[k].is("(") && from >= 0 && slices.ContainsFunc(s.fullNames(dotted), func(full string) bool { return strings.HasPrefix(full, "timeit.") })
		}
	}
	return false
}
