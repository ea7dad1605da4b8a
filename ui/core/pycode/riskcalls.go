package pycode

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// loaders make objects of a file, whose code runs. What they return is taken for data.
var loaders = set(`pickle.load pickle.loads dill.load dill.loads joblib.load torch.load pandas.read_pickle cloudpickle.load cloudpickle.loads yaml.load skops.io.load`)

// interactiveShell reads get_ipython at an index.
func (s *statementReader) interactiveShell(i int) {
	t := s.t
	if i+4 < len(t) && t[i+1].is("(") && t[i+2].is(")") && t[i+3].is(".") && shellNamesOf[t[i+4].word] {
		return
	}
	s.mention(i, RiskUnseen, "get_ipython", false)
}

// shellNamesOf are attributes of IPython's shell that only tell about it.
var shellNamesOf = set(`__class__ config execution_count has_trait run_line_magic magic`)

// magicByCall reads a call that runs a magic.
func (s *statementReader) magicByCall(i int, args [][]token, called bool) {
	var parts []string
	for _, a := range args {
		part, ok := s.fold(a)
		called = called && ok
		parts = append(parts, part)
	}
	if !called {
		s.mention(i, RiskUnseen, s.dottedTo(i), false)
		return
	}
	if kind, what := magicRisk("%" + strings.Join(parts, " ")); kind != "" {
		s.mention(i, kind, what, true)
	}
}

// writePath reads a method of a path that writes its file.
func (s *statementReader) writePath(i int, called bool) bool {
	said, ok := s.fold(s.receiver(i))
	return called && ok && s.mayWrite(said)
}

// sink reads the name of a function that may write to a file.
func (s *statementReader) sink(i int, word string, args [][]token, called bool) {
	if index, ok := writers[word]; ok {
		s.write(i, s.dottedTo(i), args, called, index)
		return
	}
	reads := strings.HasPrefix(word, "read_") || strings.HasPrefix(word, "scan_") || opaqueReaders[word]
	if called && reads && slices.ContainsFunc(args, s.opaque) {
		s.mention(i, RiskUnseen, s.dottedTo(i)+" of a name that the code builds", true)
	}
}

// opaqueReaders read files or addresses that their first argument names.
var opaqueReaders = set(`load loadtxt genfromtxt imread open_dataset read_file fromfile`)

// opaque reports whether an expression may be a text that the code builds in a way that hides it.
func (r *riskReader) opaque(tokens []token) bool {
	for i, t := range tokens {
		if t.kind != name {
			if i > 0 && tokens[i-1].kind == text && i+3 < len(tokens) && written(tokens[i:i+4]) == "[::-" {
				return true
			}
			continue
		}
		if builders[t.word] && i+1 < len(tokens) && tokens[i+1].is("(") {
			return true
		}
		if r.known.values[plainName(t.word)] != nil && slices.Contains(r.known.values[plainName(t.word)], hiddenText) {
			return true
		}
	}
	return false
}

// builders make texts that no longer look like what they are.
var builders = set(`chr decode fromhex unhexlify b64decode translate swapcase maketrans`)

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
	if word == "savefig" && s.t[max(0, i-1)].is(".") && s.isBuffer(s.receiver(i)) { // a page of a document
		return
	}
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
		s.pin(argument)
		_, local := s.inside(said)
		switch folder := word == "mkdir" || word == "makedirs"; {
		case ok && (folder && local || s.mayWrite(said)):
			return
		case ok:
			what = fmt.Sprintf("%s %s", what, said)
		case s.mayWriteNamed(word, argument) || s.writesParameter(i, what, argument):
			return
		}
	}
	s.mention(i, RiskFiles, what, true)
}

// pin notes the names of a path to which a function writes when it is called.
func (s *statementReader) pin(path []token) {
	if s.p.deferred == nil {
		return
	}
	for _, t := range path {
		if t.kind == name && s.known.values[plainName(t.word)] != nil {
			s.known.pinned[plainName(t.word)] = true
		}
		for _, field := range t.fields {
			s.pin(statementOf(field))
		}
	}
}

// writesParameter notes that a function writes to the file that one of its parameters names, which counts where it is
// called.
func (s *statementReader) writesParameter(i int, what string, argument []token) bool {
	if s.p.deferred == nil || len(argument) != 1 || argument[0].kind != name {
		return false
	}
	n := plainName(argument[0].word)
	place := slices.Index(s.p.params, n)
	is := func(g target) bool { return plainName(g.word) == n }
	if place < 0 || slices.ContainsFunc(s.flat, func(p placedStatement) bool { // it may be another file by then
		return slices.Equal(p.deferred, s.p.deferred) && slices.ContainsFunc(targets(p.tokens), is)
	}) {
		return false
	}
	s.add(s.p, mention{Risk: Risk{RiskFiles, s.p.lineOf(s.t[i]), what}, param: n, place: place})
	return true
}

// harmlessCall reports whether a call gives a function, which writes to the file that a parameter names, a new one, or none.
func (s *statementReader) harmlessCall(m mention, args [][]token) bool {
	for i, a := range args {
		switch {
		case a[0].is("*"):
			return false
		case isNamed(a) && plainName(a[0].word) == m.param:
			return s.names(a[2:])
		case !isNamed(a) && i == m.place:
			return s.names(a)
		}
	}
	return true
}

// names reports whether an expression is the path of a file that may be written without a question, or None.
func (s *statementReader) names(path []token) bool {
	said, ok := s.fold(path)
	return ok && s.mayWrite(said) || s.mayWriteNamed("", path) || len(path) == 1 && path[0].is("None")
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
	if index == 0 && len(args) > 1 && !isNamed(args[1]) {
		if said, ok := s.fold(args[0]); !ok || !openMode.MatchString(said) { // open(path, mode) by another name
			index = 1
		}
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
	for part := range strings.SplitSeq(said, ".") {
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
		return // for example model.eval() of PyTorch
	}
	if isNamed(args[0]) || args[0][0].is("{") || args[0][0].is("[") || len(args) > 1 && !isNamed(args[1]) ||
		slices.ContainsFunc(args, func(a []token) bool {
			return isNamed(a) && !slices.Contains([]string{"inplace", "engine", "parser", "local_dict", "global_dict", "level", "target"}, a[0].word)
		}) {
		return
	}
	said, ok := s.fold(args[0])
	switch {
	case ok && (queryCall.MatchString(said) || s.reaches(said)):
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

// attributes matches the names of attributes in an expression.
var attributes = regexp.MustCompile(`\.\s*([\pL_][\pL\pN_]*)`)

// reaches reports whether an expression of pandas uses an attribute that is risky.
func (s *statementReader) reaches(said string) bool {
	for _, m := range attributes.FindAllStringSubmatch(said, -1) {
		if _, writes := writers[m[1]]; writes || riskyNames[m[1]] != "" && !ambiguousNames[m[1]] {
			return true
		}
	}
	return false
}

// codeInText reads a function that runs the code in its first argument.
func (s *statementReader) codeInText(at int, what string, args [][]token) {
	if len(args) == 0 {
		return
	}
	for i, a := range args {
		named := ""
		if isNamed(a) {
			named, a = a[0].word, a[2:]
		}
		said, ok := s.fold(a)
		if !ok {
			code := i == 0 || named == "stmt" || named == "setup"
			function := len(a) == 1 && a[0].kind == name
			if code && !function && !a[0].is("lambda") {
				s.mention(at, RiskUnseen, what, true)
			}
			continue
		}
		inner := newRiskReader(said, s.folder, s.known)
		inner.read()
		for _, m := range inner.found {
			s.mention(at, m.Kind, m.What, true)
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
