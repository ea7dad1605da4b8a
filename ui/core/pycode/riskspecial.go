package pycode

import (
	"regexp"
	"slices"
	"strings"
)

// namedArgument reads the name of an argument at an index.
func (s *statementReader) namedArgument(i int) {
	t := s.t
	if i+2 >= len(t) {
		return
	}
	value := t[i+2]
	switch word := t[i].word; {
	case value.is("False"), value.is("None"):
	case word == "allow_pickle":
		s.mention(i, RiskUnseen, word, true)
	case word == "weights" && (value.kind != text || value.word != "imagenet" && value.word != "DEFAULT"): // of a mean
	case word == "download", word == "pretrained", word == "weights":
		s.mention(i, RiskNetwork, word, true)
	case word == "mmap_mode" && (value.kind != text || value.word != "r"):
		s.mention(i, RiskFiles, word, true)
	case t[0].is("case"): // it takes an attribute
		if kind := riskyNames[plainName(word)]; kind != "" {
			s.mention(i, kind, word, false)
		}
	}
}

// selects matches SQL that only reads tables and files on the disk.
var selects = regexp.MustCompile(`(?is)^\s*(?:select|with|from|describe|summarize|show|pivot)\b`)

// onlySelects reports whether the first argument is literal SQL that only reads.
func (s *statementReader) onlySelects(args [][]token) bool {
	if len(args) == 0 {
		return false
	}
	said, ok := s.fold(args[0])
	return ok && selects.MatchString(said) && !changesSQL.MatchString(said) && !address.MatchString(said)
}

// changesSQL matches words of SQL that do more than read.
var changesSQL = regexp.MustCompile(`(?i)\b(?:copy|insert|update|delete|drop|create|attach|install|load|export|import|alter|set|pragma|call|getenv|read_text|read_blob)\b|;\s*\S`)

// special reads names whose arguments count. It reports whether name needs no further look.
func (s *statementReader) special(i, end int, full string, args [][]token, called bool) bool {
	switch {
	case (full == "globals" || full == "locals") && i > 0 && s.t[i-1].is("in"):
	case full == "globals" && s.timed(i, called):
	case full == "torch.load" && slices.ContainsFunc(args, func(a []token) bool { return isNamed(a) && a[0].is("weights_only") && a[2].is("True") }):
	case full == "zarr.open" && called && len(args) < 2:
		s.mention(end, RiskFiles, full, true)
	case fileOpeners[full]:
		s.openFile(end, full, args, called, 1)
	case riskyBuiltins[full] && s.known.meanings[full] == nil:
		s.known.injected = s.known.injected || full != "compile"
		s.mention(i, RiskUnseen, full, false)
	case full == "getattr" || full == "operator.attrgetter" || full == "operator.methodcaller":
		s.namedByText(i, full, args, called)
	case full == "vars" && called && (len(args) > 0 || i == 0 || !s.t[i-1].is("in")) && !s.known.assigned["vars"]:
		s.mention(i, RiskUnseen, "vars", false)
	case full == "get_ipython" || full == "IPython.get_ipython" || full == "IPython.core.getipython.get_ipython":
		s.interactiveShell(end)
	case full == "os.environ" && s.tunes(end):
	case loaders[full] && called:
		s.stay(end, RiskUnseen, full)
	case loaders[full]:
		s.mention(end, RiskUnseen, full, false)
	case full == "sys.modules" && i > 0 && s.t[i-1].is("in"):
	case full == "torch.save":
		s.write(end, full, args, called, 1)
	case full == "duckdb.connect" && called && len(args) == 0:
	case full == "sqlite3.connect" && called && len(args) > 0 && len(args[0]) == 1 && args[0][0].kind == text && args[0][0].word == ":memory:":
	case (full == "duckdb.sql" || full == "duckdb.query" || full == "duckdb.execute") && called && s.onlySelects(args):
	case full == "os.makedirs" || full == "os.mkdir":
		s.sink(end, "mkdir", args, called)
	case full == "joblib.dump" || full == "skops.io.dump":
		s.write(end, full, args, called, 1)
	case full == "scipy.io.wavfile.write" || full == "soundfile.write":
		s.write(end, full, args, called, 0)
	case full == "numpy.load" || full == "scipy.io.loadmat":
		if len(args) > 2 && !isNamed(args[2]) || slices.ContainsFunc(args, func(a []token) bool { return a[0].is("*") }) {
			s.mention(end, RiskUnseen, full, true)
		}
		return true // allow_pickle and mmap_mode are what is risky
	case strings.HasPrefix(full, "timeit."):
		if !called || len(args) > 0 && !args[0][0].is("lambda") {
			s.codeInText(end, full, args)
		}
	case full == "logging.basicConfig" && slices.ContainsFunc(args, func(a []token) bool { return isNamed(a) && a[0].is("filename") }):
		s.write(end, full, args, called, 9)
	case full == "pandas.eval" || full == "numexpr.evaluate":
		s.query(end, full, args, called)
	default:
		return false
	}
	return true
}

// writerPrefix matches names of functions that write files, unless they are those of a cell.
var writerPrefix = regexp.MustCompile(`^(?:write|save|export|dump)_\w+$`)

func isWriter(word string) bool {
	_, ok := writers[word]
	return ok || word == "export_text" || word == "save_ipynb"
}

// ambiguousNames are also those of columns and attributes, so that they count only where they are called.
var ambiguousNames = set(`system download upload serve touch connect geocode reverse execute`)

// movesPath reports whether a call of replace or rename may be that of a path.
func (s *statementReader) movesPath(dotted []string, args [][]token, called bool) bool {
	if !called {
		return true
	}
	if slices.ContainsFunc(s.fullNames(dotted), func(full string) bool { return strings.HasPrefix(full, "pathlib.") }) {
		return true
	}
	return len(args) == 1 && (isNamed(args[0]) && args[0][0].is("target") || !isNamed(args[0]) && !args[0][0].is("{") && !args[0][0].is("str"))
}

// rootWriters write to a file that is not their first argument.
var rootWriters = set(`torch.save joblib.dump skops.io.dump`)

// document matches the name of a file that a tree or a table writes.
var document = regexp.MustCompile(`^[\w./ -]*\.(?:xml|html?|fits?|ecsv|csv|vot|json|hdf5|h5|dat|svg|kml|ipynb|py|pkl|pickle|npy)$`)

// writesDocument reports whether the arguments of write name a file: by its
// extension, or as that of a tree of elements.
func (s *statementReader) writesDocument(args [][]token) bool {
	if len(args) == 0 || isNamed(args[0]) {
		return false
	}
	said, ok := s.fold(args[0])
	if s.uses("xml") || s.uses("lxml") { // the write of a tree, whatever its file is called
		if slices.ContainsFunc(args[1:], func(a []token) bool { return isNamed(a) && treeOptions[a[0].word] }) {
			return !ok || !s.mayWrite(said)
		}
		if ok && plainPath.MatchString(said) {
			return !s.mayWrite(said)
		}
	}
	return ok && document.MatchString(said) && !s.mayWrite(said)
}

// treeOptions are arguments of ElementTree.write that the write of a file does not have.
var treeOptions = set(`encoding xml_declaration default_namespace method short_empty_elements pretty_print standalone with_tail`)

// plainPath matches a path without an extension.
var plainPath = regexp.MustCompile(`^[\w./~-]+$`)

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
