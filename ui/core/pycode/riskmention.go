package pycode

import (
	"fmt"
	"regexp"
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
var givers = set(`connect client resource create_engine get_ipython import_module open_connection start_session`)

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
				s.stay(end, kind, strings.Join(dotted, "."))
			} else if kind != "" {
				s.mention(end, kind, strings.Join(dotted, "."), called && !capital(last) && !givers[last] && kind != RiskUnseen)
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
	return !s.known.starred && !s.known.assigned[word] && s.known.meanings[word] == nil && !builtinNames[word] && !hasRule(word)
}

// special reads names whose arguments count. It reports whether name needs no further look.
func (s *statementReader) special(i, end int, full string, args [][]token, called bool) bool {
	switch {
	case fileOpeners[full]:
		s.openFile(end, full, args, called, 1)
	case riskyBuiltins[full] && s.known.meanings[full] == nil:
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

// loaders make objects of a file, whose code runs. What they return is taken for data.
var loaders = set(`pickle.load pickle.loads dill.load dill.loads joblib.load torch.load pandas.read_pickle cloudpickle.load cloudpickle.loads yaml.load skops.io.load`)

// interactiveShell reads get_ipython at an index.
func (s *statementReader) interactiveShell(i int) {
	t := s.t
	if i+4 < len(t) && t[i+1].is("(") && t[i+2].is(")") && t[i+3].is(".") && (shellNamesOf[t[i+4].word] || t[i+4].is("run_line_magic") || t[i+4].is("magic")) {
		return
	}
	s.mention(i, RiskUnseen, "get_ipython", false)
}

// shellNamesOf are attributes of IPython's shell that only tell about it.
var shellNamesOf = set(`__class__ kernel config execution_count has_trait`)

// magicByCall reads a call that runs a magic.
func (s *statementReader) magicByCall(i int, args [][]token, called bool) {
	said := ""
	for _, a := range args {
		part, ok := s.fold(a)
		if !ok {
			called = false
		}
		said += " " + part
	}
	if !called {
		s.mention(i, RiskUnseen, s.dottedTo(i), false)
		return
	}
	if kind, what := magicRisk("%" + strings.TrimSpace(said)); kind != "" {
		s.mention(i, kind, what, true)
	}
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
		s.mention(i, kind, whole, called && !capital(word) && !givers[word])
		return
	}
	switch {
	case word == "query" || word == "eval":
		s.query(i, whole, args, called)
	case word == "open" && called && !s.importedRoot(dotted):
		s.openFile(i, whole, args, called, 0)
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

// sink reads the name of a function that may write to a file.
func (s *statementReader) sink(i int, word string, args [][]token, called bool) {
	if index, ok := writers[word]; ok {
		s.write(i, s.dottedTo(i), args, called, index)
		return
	}
	if called && (strings.HasPrefix(word, "read_") || strings.HasPrefix(word, "scan_") || opaqueReaders[word]) && slices.ContainsFunc(args, s.opaque) {
		s.mention(i, RiskUnseen, s.dottedTo(i)+" of a name that the code builds", true)
	}
}

// opaqueReaders read files or addresses that their first argument names.
var opaqueReaders = set(`load loadtxt genfromtxt imread open_dataset read_file fromfile`)

// opaque reports whether an expression may be a text that the code builds in a way that hides it.
func (s *statementReader) opaque(tokens []token) bool {
	for i, t := range tokens {
		if t.kind != name {
			if t.is("[") && i+3 < len(tokens) && tokens[i+1].is(":") && tokens[i+2].is(":") && tokens[i+3].is("-") && i > 0 && tokens[i-1].kind == text {
				return true
			}
			continue
		}
		if builders[t.word] && i+1 < len(tokens) && tokens[i+1].is("(") {
			return true
		}
		if s.known.values[plainName(t.word)] != nil && slices.Contains(s.known.values[plainName(t.word)], hiddenText) {
			return true
		}
	}
	return false
}

// builders make texts that no longer look like what they are.
var builders = set(`chr decode fromhex unhexlify b64decode translate swapcase maketrans`)

// dottedTo returns the name that ends at an index as the code writes it.
func (s *statementReader) dottedTo(i int) string {
	dotted, _ := chain(s.t, i)
	return strings.TrimPrefix(strings.Join(dotted, "."), ".")
}

// write reads the call of a function that writes to the file that one of its arguments names.
func (s *statementReader) write(i int, what string, args [][]token, called bool, index int) {
	word := s.t[i].word
	if !called {
		if i+1 >= len(s.t) || !s.t[i+1].is("=") {
			s.mention(i, RiskFiles, what, false)
		}
		return
	}
	argument, given := pathOf(args, index)
	if word == "mkdir" && s.t[max(0, i-1)].is(".") && !s.importedModule(i) {
		argument, given = s.receiver(i), true
	}
	switch {
	case !given && (textWriters[word] || len(args) == 0 && word == "save"):
		return
	case given && len(argument) == 1 && argument[0].is("None") && textWriters[word]:
		return
	case given && s.isBuffer(argument):
		return
	case given:
		said, ok := s.fold(argument)
		if _, local := s.inside(said); ok && local && (word == "mkdir" || word == "makedirs") || ok && s.mayWrite(said) {
			return
		} else if !ok && s.mayWritePicture(word, argument) {
			return
		} else if ok {
			what = fmt.Sprintf("%s %s", what, said)
		}
	}
	s.mention(i, RiskFiles, what, true)
}

// importedModule reports whether the function at an index belongs to an imported module, such as os.mkdir.
func (s *statementReader) importedModule(i int) bool {
	dotted, _ := chain(s.t, i)
	return len(dotted) == 2 && s.known.meanings[plainName(dotted[0])] != nil && hasRule(s.known.meanings[plainName(dotted[0])][0])
}

// receiver returns the expression before the dot before an index.
func (s *statementReader) receiver(i int) []token {
	end := i - 2
	from := end
	for from >= 0 {
		if s.t[from].is(")") || s.t[from].is("]") {
			if k := partner(s.t, from); k >= 0 {
				from = k
			}
		}
		if from > 0 && (s.t[from-1].is(".") || s.t[from].is("(") && s.t[from-1].kind == name) {
			from--
			if s.t[from].is(".") {
				from--
			}
			continue
		}
		break
	}
	if from < 0 || end < from {
		return nil
	}
	return s.t[from : end+1]
}

// openFile reads a function that opens a file, in a mode that is the argument with an index.
func (s *statementReader) openFile(i int, what string, args [][]token, called bool, index int) {
	if !called {
		s.mention(i, RiskFiles, what, false)
		return
	}
	mode, given := modeArgument(args, index)
	said := ""
	if given {
		var ok bool
		if said, ok = s.fold(mode); ok && index == 0 && !openMode.MatchString(said) {
			return // the member of an archive
		} else if !ok || !openMode.MatchString(said) {
			s.mention(i, RiskFiles, what, true)
			return
		}
	}
	if strings.ContainsAny(said, "wax+") {
		if index == 0 { // a method of a path
			if path, ok := s.fold(s.receiver(i)); ok && s.mayWrite(path) {
				return
			}
			s.mention(i, RiskFiles, what, true)
			return
		}
		s.write(i, what, args, true, 0)
		return
	}
	if slices.ContainsFunc(args, s.opaque) {
		s.mention(i, RiskUnseen, what+" of a name that the code builds", true)
	}
}

// openMode matches the mode in which a file is opened.
var openMode = regexp.MustCompile(`^[rwaxbtU+]{1,4}(?:[:|](?:gz|bz2|xz)?)?$`)

// modeArgument returns the argument with the mode, or one that may contain it or have the same effect.
func modeArgument(args [][]token, index int) (mode []token, given bool) {
	for i, a := range args {
		switch {
		case a[0].is("*"):
			return a, true
		case isNamed(a) && a[0].word == "mode":
			return a[2:], true
		case isNamed(a) && a[0].word == "opener":
			return a[2:], true
		case i == index && !isNamed(a):
			return a, true
		}
	}
	return nil, false
}

// namedByText reads getattr and its like, which name an attribute by a text.
func (s *statementReader) namedByText(i int, what string, args [][]token, called bool) {
	index := 1
	if what != "getattr" {
		index = 0
	}
	if !called || len(args) <= index {
		s.mention(i, RiskUnseen, what, false)
		return
	}
	said, ok := s.fold(args[index])
	if !ok {
		s.mention(i, RiskUnseen, what, false)
		return
	}
	for _, part := range strings.Split(said, ".") {
		part = plainName(part)
		kind, risky := riskyNames[part]
		if _, writes := writers[part]; writes {
			kind, risky = RiskFiles, true
		}
		if isDunder(part) && !harmlessDunders[part] {
			kind, risky = RiskUnseen, true
		}
		if carried := s.known.carriers[part]; len(carried) > 0 {
			kind, risky = carried[0].Kind, true
		}
		if risky {
			s.mention(i, kind, part, false)
			return
		}
	}
	if index == 1 && len(args[0]) > 0 && args[0][0].kind == name {
		dotted, from := chain(args[0], len(args[0])-1)
		if from == 0 && s.known.meanings[plainName(dotted[0])] != nil {
			for _, full := range s.fullNames(append(slices.Clone(dotted), said)) {
				if kind := riskOf(full); kind != "" {
					s.mention(i, kind, full, false)
				}
			}
		}
	}
}

// query reads an expression that pandas evaluates.
func (s *statementReader) query(i int, what string, args [][]token, called bool) {
	if !called || len(args) == 0 {
		if s.t[i].is("eval") && called || !called && s.t[i].is("eval") && !(i+1 < len(s.t) && s.t[i+1].is("=")) {
			return // model.eval() of PyTorch
		}
		return
	}
	if isNamed(args[0]) || args[0][0].is("{") || args[0][0].is("[") {
		return
	}
	said, ok := s.fold(args[0])
	switch {
	case ok && queryCall.MatchString(said):
		s.mention(i, RiskUnseen, what, true)
	case !ok:
		for _, t := range args[0] {
			if t.kind == text && queryCall.MatchString(t.word) {
				s.mention(i, RiskUnseen, what, true)
				return
			}
		}
		if !slices.ContainsFunc(args[0], func(t token) bool { return t.kind == text }) {
			s.mention(i, RiskUnseen, what, true)
		}
	}
}

// codeInText reads a function that runs the code in its first argument.
func (s *statementReader) codeInText(i int, what string, args [][]token) {
	if len(args) == 0 {
		return
	}
	for _, a := range args {
		if isNamed(a) {
			a = a[2:]
		}
		said, ok := s.fold(a)
		if !ok {
			if a[0].kind == text || a[0].kind == name && !builtinNames[a[0].word] && len(a) == 1 {
				s.mention(i, RiskUnseen, what, true)
			}
			continue
		}
		inner := &riskReader{code: said, folder: s.folder, known: s.known.clone()}
		inner.read()
		for _, m := range inner.found {
			s.mention(i, m.Kind, m.What, true)
		}
	}
}

// tunes reports whether os.environ["NAME"] = value, at an index, is of a variable that only tunes libraries.
func (s *statementReader) tunes(i int) bool {
	t := s.t
	if i+3 >= len(t) || !t[i+1].is("[") || partner(t, i+1) != i+3 || i+4 >= len(t) || !t[i+4].is("=") {
		return false
	}
	said, ok := s.fold(t[i+2 : i+3])
	return ok && harmlessVariables.MatchString(said)
}

// text reads the string literal at an index.
func (s *statementReader) text(i int) {
	t := s.t
	for _, field := range t[i].fields {
		for _, st := range scan("(" + field + "\n)").out {
			inner := &statementReader{riskReader: s.riskReader, p: s.p, t: st.tokens}
			for k := range inner.t {
				inner.t[k].at = t[i].at
			}
			inner.read()
			s.loose = append(s.loose, inner.loose...)
		}
		if scan("(" + field + "\n)").odd {
			s.mention(i, RiskUnseen, "an f-string", true)
		}
	}
	if i > 0 && (t[i-1].kind == text || t[i-1].is("+") && i > 1 && t[i-2].kind == text) {
		return // it was read with the one before
	}
	whole, end := t[i].word, i
	s.known.outward = s.known.outward || strings.Contains(whole, "..") || strings.HasPrefix(whole, "/") || strings.HasPrefix(whole, "~") || strings.Contains(whole, `:\`)
	for end+1 < len(t) {
		if t[end+1].kind == text {
			end++
		} else if t[end+1].is("+") && end+2 < len(t) && t[end+2].kind == text {
			end += 2
		} else {
			break
		}
		whole += t[end].word
	}
	if len(t) == end-i+1 { // a text by itself, which documents
		return
	}
	if end+1 < len(t) && t[end+1].is(".") && end+2 < len(t) && (builders[t[end+2].word] || t[end+2].is("replace")) && end+3 < len(t) && t[end+3].is("(") ||
		end+3 < len(t) && t[end+1].is("[") && t[end+2].is(":") && t[end+3].is(":") {
		s.mention(i, RiskUnseen, "a text that is built from another", true)
	}
	if sep := t[i].word; end+3 < len(t) && t[end+1].is(".") && t[end+2].is("join") && t[end+3].is("(") {
		whole = ""
		for k := end + 4; k < len(t) && k < partner(t, end+3); k++ {
			if t[k].kind == text {
				whole += t[k].word + sep
			}
		}
	}
	s.meaningOf(i, whole)
}

// meaningOf adds the risks of a literal text.
func (s *statementReader) meaningOf(i int, said string) {
	shown := s.shown(i)
	short := said
	if len(short) > 60 {
		short = strings.ToValidUTF8(short[:60], "") + "…"
	}
	switch {
	case secret.MatchString(said):
		if !shown {
			s.mention(i, RiskSecrets, short, true)
		}
	case address.MatchString(said):
		if shown {
			return
		}
		m := mention{Risk: Risk{RiskNetwork, s.p.lineOf(s.t[i]), short}}
		if tg := targets(s.t); len(tg) > 0 && !s.inCall(i) { // only a value, which counts where it is used
			for _, g := range tg {
				s.carry(plainName(g.word), m)
			}
			return
		}
		s.mention(i, RiskNetwork, short, true)
	case hiddenCode.MatchString(said) && !shown:
		s.mention(i, RiskUnseen, short, true)
	}
	if _, ok := writers[said]; ok && !shown && strings.Contains(said, "_") && s.passed(i) || said == "unlink" || said == "rmtree" || said == "check_output" {
		s.mention(i, RiskFiles, short, false)
	}
}

// passed reports whether the text at an index is an argument of a method that calls another by its name.
func (s *statementReader) passed(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i {
			return s.t[k].is("(") && callers[s.t[k-1].word]
		}
	}
	return false
}

// callers call the method that a text names.
var callers = set(`apply agg aggregate transform pipe map applymap methodcaller attrgetter getattr`)

// inCall reports whether the text at an index is an argument of a function that does more than build a text.
func (s *statementReader) inCall(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i && s.t[k].is("(") && s.t[k-1].kind == name && !slices.Contains(keywords, s.t[k-1].word) &&
			!slices.Contains([]string{"join", "format", "urljoin", "str", "list", "dict", "tuple"}, s.t[k-1].word) {
			return true
		}
	}
	return false
}

// shown reports whether the text at an index is only shown, for example by print.
func (s *statementReader) shown(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i {
			if s.t[k].is("(") {
				return displayers[s.t[k-1].word]
			}
		}
	}
	return false
}
