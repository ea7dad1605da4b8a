package pycode

import (
	"slices"
	"strings"
)

// statement finds what a statement mentions that is risky.
func (r *riskReader) statement(p placedStatement) {
	if t := afterColon(p.tokens); t[0].is("import") || t[0].is("from") && len(t) > 2 {
		return
	}
	s := &statementReader{riskReader: r, p: p, t: p.tokens}
	s.read()
	for _, m := range s.loose {
		for _, g := range targets(p.tokens) {
			if !g.part {
				r.carry(plainName(g.word), m)
			}
		}
	}
}

// A statementReader reads a statement.
type statementReader struct {
	*riskReader
	p     placedStatement
	t     []token
	loose []mention // what the names that the statement assigns may carry
}

func (s *statementReader) read() {
	t := s.t
	for i, tok := range t {
		switch {
		case tok.kind == text:
			s.text(i)
		case tok.kind != name || slices.Contains(keywords, tok.word):
			if (tok.is("!") || tok.is("%")) && i > 0 && t[i-1].is("=") && (i < 2 || !t[i-2].is("%")) { // files = !ls
				rest, _, _ := strings.Cut(s.p.source[min(tok.at, len(s.p.source)):], "\n")
				s.lineMagicIn(rest, i)
			}
		case i > 0 && (t[i-1].is("def") || t[i-1].is("class")), i == 0 && (tok.is("match") || tok.is("case")):
		case i > 0 && t[i-1].is(".") && !(i > 1 && t[i-2].is(".")): // not after an ellipsis
			s.attribute(i)
		case i > 0 && i+1 < len(t) && t[i+1].is("=") && (t[i-1].is("(") || t[i-1].is(",")) && inBrackets(t, i): // a named argument
			if tok.is("allow_pickle") && i+2 < len(t) && !t[i+2].is("False") {
				s.mention(i, RiskUnseen, "allow_pickle", true)
			}
			if tok.is("download") && i+2 < len(t) && !t[i+2].is("False") {
				s.mention(i, RiskNetwork, "download", true)
			}
		default:
			s.root(i)
		}
	}
}

// mention adds what the token at an index mentions. Called says that it is called and leaves nothing in reach.
func (s *statementReader) mention(i int, kind RiskKind, what string, called bool) {
	m := mention{Risk: Risk{kind, s.p.lineOf(s.t[i]), what}, loose: !called || s.lazy(i)}
	s.add(s.p, m)
	if m.loose {
		s.loose = append(s.loose, m)
	}
}

// lazy reports whether the token at an index may run later, in a lambda or a generator.
func (s *statementReader) lazy(i int) bool {
	for k := i; k >= 0; k-- {
		if s.t[k].is("lambda") {
			return true
		}
		if s.t[k].is("(") && s.t[k].match > 0 && k+s.t[k].match > i {
			for n := k + 1; n < k+s.t[k].match; n++ {
				if s.t[n].is("for") {
					return true
				}
				n = past(s.t, n)
			}
		}
	}
	return false
}

// called returns the arguments if the name at an index is called.
func (s *statementReader) called(i int) (args [][]token, yes bool) {
	if i+1 >= len(s.t) || !s.t[i+1].is("(") || partner(s.t, i+1) < 0 {
		return nil, false
	}
	return arguments(s.t, i+1), true
}

// givers return objects that can do more of the same.
var givers = set(`connect client resource create_engine get_ipython import_module open_connection start_session Session
	Client AsyncClient ClientSession HTTPConnection HTTPSConnection FTP SMTP SSHClient`)

// giver reports whether a function that is risky in a way returns an object that can do more.
func giver(word string, kind RiskKind) bool {
	if kind == RiskNetwork {
		return givers[word]
	}
	return givers[word] || capital(word)
}

// ofModule reads a name, in full, of a module that was read from the folder.
func (s *statementReader) ofModule(i int, full string, called bool) {
	for at := full; at != ""; {
		for _, m := range s.known.carriers[at+"()"] {
			s.mentionCarrier(i, m, m.What+" in "+full, called)
		}
		at = at[:max(strings.LastIndexByte(at, '.'), 0)]
	}
}

// root reads the name at an index, with the attributes that follow.
func (s *statementReader) root(i int) {
	t := s.t
	word, end := plainName(t[i].word), i
	dotted := []string{word}
	for end+2 < len(t) && t[end+1].is(".") && t[end+2].kind == name {
		end += 2
		dotted = append(dotted, plainName(t[end].word))
	}
	args, called := s.called(end)
	last := dotted[len(dotted)-1]
	for _, m := range s.known.carriers[word] {
		what := m.What
		if !strings.Contains(what, " in "+word) && s.p.deferred == nil {
			what = m.What + " in " + word
		}
		s.mentionCarrier(i, m, what, called && !capital(word))
	}
	if isDunder(word) && !harmlessDunders[word] {
		s.mention(i, RiskUnseen, word, false)
	}
	bareTarget := end == i && i+1 < len(t) && (t[i+1].is("=") || t[i+1].is(":=") || t[i+1].is(":") && i == 0)
	if bareTarget {
		return
	}
	_, imported := s.known.meanings[word]
	for _, full := range s.fullNames(dotted) {
		if imported && (full == word || strings.HasPrefix(full, word+".")) && !slices.Contains(s.known.meanings[word], word) {
			continue // the name is also that of a variable
		}
		guess := !imported && !s.known.assigned[word]
		switch {
		case s.special(i, end, full, args, called):
		case imported || guess && (hasRule(word)):
			kind := riskOf(full)
			if k, risky := riskyNames[full[strings.LastIndexByte(full, '.')+1:]]; kind == "" && len(dotted) == 1 && risky && full != "platform.system" {
				kind = k // from module import name
			}
			if kind == "" && len(dotted) == 1 && hasRule(full) && riskyModules[full].kind != "" {
				kind = RiskUnseen // the module as a value
			}
			if _, ruled := ruleOf(full); kind == RiskUnseen && !ruled {
				s.ofModule(end, full, called) // its import was asked about
			} else if kind != "" {
				s.mention(end, kind, strings.Join(dotted, "."), called && !giver(last, kind) && kind != RiskUnseen)
			}
		}
	}
	if len(dotted) == 1 && called && s.undefined(word) {
		s.mention(i, RiskUnseen, word+", which is defined where Easel could not see it", true)
	}
	if len(dotted) == 1 && (s.known.meanings[word] != nil) {
		s.sink(i, last, args, called)
	}
}

// mentionCarrier adds a risk of a function or value that the token at an index names.
func (s *statementReader) mentionCarrier(i int, m mention, what string, called bool) {
	line := s.p.lineOf(s.t[i])
	loose := m.loose || m.body && (!called || s.lazy(i))
	s.add(s.p, mention{Risk: Risk{m.Kind, line, what}, loose: loose})
	if loose {
		s.loose = append(s.loose, mention{Risk: Risk{m.Kind, line, m.What}, loose: true})
	}
}

// stay notes that the token at an index mentions a risk of which nothing remains.
func (s *statementReader) stay(i int, kind RiskKind, what string) {
	s.add(s.p, mention{Risk: Risk{kind, s.p.lineOf(s.t[i]), what}})
}

func hasRule(module string) bool {
	_, ok := riskyModules[module]
	return ok
}

// undefined reports whether a name must come from where the Follower did not look.
func (s *statementReader) undefined(word string) bool {
	return s.known.hides() && !s.known.assigned[word] && s.known.meanings[word] == nil && !builtinNames[word] && !hasRule(word)
}

// special reads names whose arguments count. It reports whether name needs no further look.
func (s *statementReader) special(i, end int, full string, args [][]token, called bool) bool {
	switch {
	case fileOpeners[full]:
		s.openFile(end, full, args, called, 1)
	case riskyBuiltins[full] && s.known.meanings[full] == nil:
		s.known.injected = s.known.injected || full != "compile"
		s.mention(i, RiskUnseen, full, false)
	case full == "getattr" || full == "operator.attrgetter" || full == "operator.methodcaller":
		s.namedByText(i, full, args, called)
	case full == "vars" && called && len(args) > 0 && !s.known.assigned["vars"]:
		s.mention(i, RiskUnseen, "vars", false)
	case full == "get_ipython" || full == "IPython.get_ipython" || full == "IPython.core.getipython.get_ipython":
		s.interactiveShell(end)
	case full == "os.environ" && s.tunes(end):
	case loaders[full]:
		s.stay(end, RiskUnseen, full)
	case full == "sys.modules" && i > 0 && s.t[i-1].is("in"):
	case full == "os.makedirs" || full == "os.mkdir":
		s.sink(end, "mkdir", args, called)
	case full == "joblib.dump" || full == "skops.io.dump":
		s.write(end, full, args, called, 1)
	case full == "scipy.io.wavfile.write" || full == "soundfile.write":
		s.write(end, full, args, called, 0)
	case full == "numpy.load" || full == "scipy.io.loadmat":
		return true // allow_pickle is what is risky
	case strings.HasPrefix(full, "timeit."):
		if !called || len(args) > 0 && !args[0][0].is("lambda") {
			s.codeInText(end, full, args)
		}
	case full == "logging.basicConfig" && slices.ContainsFunc(args, func(a []token) bool { return isNamed(a) && a[0].is("filename") }):
		s.write(end, full, args, called, 9)
	case full == "pandas.eval" || full == "numexpr.evaluate":
		s.query(end, full, args, called)
	case full == "IPython.display.HTML" || full == "IPython.core.display.HTML":
		if len(args) > 0 {
			if said, ok := s.fold(args[0]); ok && riskyMarkup.MatchString(said) {
				s.mention(end, RiskUnseen, "HTML with a script", true)
			}
		}
	default:
		return false
	}
	return true
}

// attribute reads the name after a dot at an index, whatever is before it.
func (s *statementReader) attribute(i int) {
	t := s.t
	word := plainName(t[i].word)
	args, called := s.called(i)
	for _, m := range s.known.carriers[word] {
		s.mentionCarrier(i, m, m.What+" in "+word, called && !capital(word))
	}
	if isDunder(word) && !harmlessDunders[word] {
		s.mention(i, RiskUnseen, word, false)
	}
	dotted, _ := chain(t, i)
	whole := strings.TrimPrefix(strings.Join(dotted, "."), ".")
	if word == "run_line_magic" || word == "magic" && strings.Contains(whole, "get_ipython") {
		s.magicByCall(i, args, called)
		return
	}
	if kind, risky := riskyNames[word]; risky && !s.ordinary(dotted) {
		s.mention(i, kind, whole, called && !giver(word, kind))
		return
	}
	switch {
	case word == "query" || word == "eval":
		s.query(i, whole, args, called)
	case word == "open" && called && !s.importedRoot(dotted):
		index := 0
		if s.known.meanings[plainName(dotted[0])] != nil && len(dotted) == 2 { // a function of a module
			index = 1
		}
		s.openFile(i, whole, args, called, index)
	case (word == "replace" || word == "rename") && called && len(args) == 1 && !isNamed(args[0]) && !args[0][0].is("{") && s.paths():
		s.write(i, whole, args, called, 9)
	case (word == "extractall" || word == "extract") && !(i > 1 && t[i-2].is("str")) && s.archives():
		s.mention(i, RiskFiles, whole, true)
	default:
		s.sink(i, word, args, called)
	}
}

// ordinary reports whether root says what there is to say of a dotted name, so that its last word alone does not count.
func (s *statementReader) ordinary(dotted []string) bool {
	if s.known.meanings[plainName(dotted[0])] == nil {
		return false
	}
	return slices.ContainsFunc(s.fullNames(dotted), func(full string) bool {
		rule, ok := ruleOf(full)
		return ok && rule.kind != "" || full == "platform.system"
	})
}

// importedRoot reports whether a dotted name is one of an imported module whose open reads, or that root reads.
func (s *statementReader) importedRoot(dotted []string) bool {
	for _, full := range s.fullNames(dotted) {
		if s.known.meanings[dotted[0]] != nil && (fileOpeners[full] || strings.HasPrefix(full, "PIL.")) {
			return true
		}
	}
	return false
}

// paths reports whether the cells use pathlib, so that a method such as replace may be that of a path.
func (s *statementReader) paths() bool { return s.uses("pathlib") }

func (s *statementReader) archives() bool { return s.uses("zipfile") || s.uses("tarfile") }

// uses reports whether the cells import a module.
func (s *statementReader) uses(module string) bool {
	for _, meanings := range s.known.meanings {
		if slices.ContainsFunc(meanings, func(m string) bool { return m == module || strings.HasPrefix(m, module+".") }) {
			return true
		}
	}
	return false
}

// dottedTo returns the name that ends at an index as the code writes it.
func (s *statementReader) dottedTo(i int) string {
	dotted, _ := chain(s.t, i)
	return strings.TrimPrefix(strings.Join(dotted, "."), ".")
}
