package pycode

import (
	"slices"
	"strings"
)

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
		case tok.is("(") && i > 0 && (t[i-1].is("]") || t[i-1].is(")")) && s.known.escaped && partner(t, i) > 0:
			s.mention(i, RiskUnseen, "a call of a function that was kept", true)
		case tok.kind != name || slices.Contains(keywords, tok.word):
			if (tok.is("!") || tok.is("%")) && i > 0 && t[i-1].is("=") && (i < 2 || !t[i-2].is("%")) { // files = !ls
				rest, _, _ := strings.Cut(s.p.source[min(tok.at, len(s.p.source)):], "\n")
				s.lineMagicIn(rest, i)
			}
		case i > 0 && (t[i-1].is("def") || t[i-1].is("class")):
		case i > 0 && t[i-1].is(".") && (i < 2 || !t[i-2].is(".")): // not after an ellipsis
			s.attribute(i)
		case i > 0 && i+1 < len(t) && t[i+1].is("=") && (t[i-1].is("(") || t[i-1].is(",")) && inBrackets(t, i): // a named argument
			s.namedArgument(i)
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
	if kind == RiskNetwork || kind == RiskFiles {
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
	if !called { // the module itself, or a part of it
		for n, carried := range s.known.carriers {
			if strings.HasPrefix(n, full+".") && strings.HasSuffix(n, "()") {
				for _, m := range carried {
					s.mentionCarrier(i, mention{Risk: m.Risk, loose: true}, m.What+" in "+full, false)
				}
			}
		}
	}
}

// root reads the name at an index, with the attributes that follow.
func (s *statementReader) root(i int) {
	t := s.t
	word, end := plainName(t[i].word), i
	dotted := []string{word}
	for end+2 < len(t) && t[end+1].is(".") && t[end+2].kind == name && len(dotted) <= mostChain {
		end += 2
		dotted = append(dotted, plainName(t[end].word))
	}
	if len(dotted) > mostChain {
		s.stay(i, RiskUnseen, word)
		return
	}
	args, called := s.called(end)
	for _, m := range s.known.carriers[word] {
		what := m.What
		if !strings.Contains(what, " in "+word) && s.p.deferred == nil {
			what = m.What + " in " + word
		}
		if m.param != "" && called && len(dotted) == 1 && s.harmlessCall(m, args) {
			continue
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
		case imported || guess && guessed[word]:
			s.named(end, full, dotted, called)
		}
	}
	s.bare(i, word, args, called, len(dotted) == 1)
}

// named reads a name of a module, in full, which ends at an index.
func (s *statementReader) named(end int, full string, dotted []string, called bool) {
	last, whole := dotted[len(dotted)-1], strings.Join(dotted, ".")
	of := s.known.imported[strings.Split(full, ".")[0]]
	_, ruled := ruleOf(full)
	kind := riskOf(full)
	if kind == "" && of {
		s.ofModule(end, full, called) // a module of the folder with the name of another
	}
	if kind == "" && len(dotted) == 1 {
		if kind = riskyNames[full[strings.LastIndexByte(full, '.')+1:]]; full == "platform.system" { // from module import name
			kind = ""
		}
		if hasRule(full) && riskyModules[full].kind != "" {
			kind = RiskUnseen // the module as a value
		}
	}
	if parts := strings.Split(full, "."); kind == "" && !ruled && len(dotted) > 1 && len(parts) > len(dotted) {
		kind = riskyNames[parts[len(parts)-len(dotted)]] // from sklearn.utils import os
	}
	switch {
	case kind == RiskUnseen && !ruled && of:
		s.ofModule(end, full, called) // its import was asked about, or its source was read
	case kind == RiskUnseen && !ruled:
		s.stay(end, kind, whole)
	case kind != "":
		s.mention(end, kind, whole, called && !giver(last, kind) && kind != RiskUnseen)
	}
}

// bare reads the name at an index for itself. alone means that no attribute follows.
func (s *statementReader) bare(i int, word string, args [][]token, called, alone bool) {
	if !alone {
		return
	}
	if called && s.known.escaped && s.variable(word) {
		s.mention(i, RiskUnseen, word+", which may be a function that was kept", true)
	}
	if called && s.undefined(word) {
		s.mention(i, RiskUnseen, word+", which is defined where Easel could not see it", true)
	}
	starred := s.known.starred && !s.known.assigned[word] && !builtinNames[word]
	if s.known.meanings[word] != nil || starred {
		s.sink(i, word, args, called)
	}
	if kind := riskyNames[word]; starred && kind != "" {
		s.mention(i, kind, word, called && !giver(word, kind))
	}
	if (called || len(s.t) == 1) && (word == "exit" || word == "quit") && !s.known.assigned[word] {
		s.mention(i, RiskPrograms, word, true)
	}
}

// mentionCarrier adds a risk of a function or value that the token at an index names.
func (s *statementReader) mentionCarrier(i int, m mention, what string, called bool) {
	line := s.p.lineOf(s.t[i])
	if m.said { // an address, which counts where a function gets it
		switch {
		case s.shown(i):
		case s.inCall(i):
			s.add(s.p, mention{Risk: Risk{m.Kind, line, what}})
		default:
			s.carrySaid(m)
		}
		return
	}
	loose := m.loose || m.body && (!called || s.lazy(i))
	s.known.escaped = s.known.escaped || m.body && !called && s.kept(i)
	s.add(s.p, mention{Risk: Risk{m.Kind, line, what}, loose: loose})
	if loose {
		s.loose = append(s.loose, mention{Risk: Risk{m.Kind, line, m.What}, loose: true})
	}
}

// kept reports whether the token at an index is given to a function or a method that a cell defines.
func (s *statementReader) kept(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i && s.t[k].is("(") && s.known.defined[plainName(s.t[k-1].word)] {
			return true
		}
	}
	return false
}

// stay notes that the token at an index mentions a risk of which nothing remains.
func (s *statementReader) stay(i int, kind RiskKind, what string) {
	s.add(s.p, mention{Risk: Risk{kind, s.p.lineOf(s.t[i]), what}})
}

// guessed are modules that a name means that no cell has imported.
var guessed = set(`os sys subprocess shutil socket builtins importlib ctypes pickle requests urllib httpx sqlite3 pathlib runpy signal`)

func hasRule(module string) bool {
	_, ok := riskyModules[module]
	return ok
}

// variable reports whether a name is that of a value and not of a function, a class or a builtin.
func (s *statementReader) variable(word string) bool {
	return s.known.assigned[word] && !s.known.defined[word] && s.known.meanings[word] == nil && !builtinNames[word]
}

// undefined reports whether a name must come from where the Follower did not look.
func (s *statementReader) undefined(word string) bool {
	return s.known.hides() && !s.known.assigned[word] && s.known.meanings[word] == nil && !builtinNames[word] && !guessed[word]
}

// attribute reads the name after a dot at an index, whatever is before it.
func (s *statementReader) attribute(i int) {
	t := s.t
	word := plainName(t[i].word)
	args, called := s.called(i)
	for _, m := range slices.Concat(s.known.carriers[word], s.known.carriers[word+".()"]) {
		if m.param != "" && called && s.harmlessCall(m, args) {
			continue
		}
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
	if (word == "write_text" || word == "write_bytes" || word == "touch") && s.writePath(i, called) {
		return
	}
	if ambiguousNames[word] && !called {
		return
	}
	if kind, risky := riskyNames[word]; risky && !s.ordinary(dotted) {
		s.mention(i, kind, whole, called && !giver(word, kind))
		return
	}
	switch {
	case called && len(dotted) > 2 && loaders[strings.Join(dotted[len(dotted)-2:], ".")]:
		s.stay(i, RiskUnseen, whole)
	case called && globs[word] && s.seeksHidden(args):
		s.mention(i, RiskSecrets, whole, true)
	case word == "name" && i+1 < len(t) && t[i+1].is("=") && s.uses("tempfile"): // what a temporary directory deletes at its end
		s.mention(i, RiskFiles, whole, true)
	case called && duckMethods[word] && s.uses("duckdb") && s.leavesMemory(args):
		s.mention(i, RiskFiles, whole, true)
	case word == "query" && slices.Contains(dotted, "sindex"): // of geometries
	case word == "query" || word == "eval":
		s.query(i, whole, args, called)
	case word == "open" && called && !s.importedRoot(dotted):
		index := 0
		if s.known.meanings[plainName(dotted[0])] != nil && i > 1 && t[i-2].kind == name { // a function of a module
			index = 1
		}
		s.openFile(i, whole, args, called, index)
	case (word == "replace" || word == "rename") && s.paths() && s.movesPath(dotted, args, called):
		s.mention(i, RiskFiles, whole, called)
	case slices.ContainsFunc(s.fullNames(dotted), func(full string) bool { return rootWriters[full] }): // root has read it
	case word == "render" && called && s.uses("graphviz"):
		s.mention(i, RiskFiles, whole, true)
	case (word == "extractall" || word == "extract") && (i < 2 || !t[i-2].is("str")) && s.archives():
		s.mention(i, RiskFiles, whole, true)
	case (word == "write" || word == "dump") && called && s.writesDocument(args):
		s.mention(i, RiskFiles, whole, true)
	case strings.HasPrefix(word, "fetch_") && called && s.known.meanings[plainName(dotted[0])] != nil:
		s.mention(i, RiskNetwork, whole, true)
	case writerPrefix.MatchString(word) && writers[word] == 0 && !s.known.assigned[word] && !isWriter(word) && called:
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

// dottedTo returns the name that ends at an index as the code writes it.
func (s *statementReader) dottedTo(i int) string {
	dotted, _ := chain(s.t, i)
	return strings.TrimPrefix(strings.Join(dotted, "."), ".")
}
